//! The parts that the programs share: the tool, the question, the settings, the HTTP client and the error.
//!
//! ```sh
//! OPENAI_BASE_URL=http://localhost:8080/v1 OPENAI_API_KEY=none OPENAI_MODEL=qwen3 cargo run --bin reqwest
//! ```

use std::fmt;
use std::time::Duration;
use tool_runtime::tool;

/// The question of the user.
pub const QUESTION: &str = "What is the weather in Beijing?";

/// Look up the weather of a city.
#[tool]
pub fn get_weather(
    /// City name, for example "Beijing".
    city: &str,
) -> String {
    format!("{city}: sunny, 25 degrees")
}

/// The value of an environment variable.
///
/// # Errors
///
/// It is not set.
pub fn var(name: &str) -> Result<String, Error> {
    std::env::var(name).map_err(|error| Error(format!("{name}: {error}; set it to run this program")))
}

/// The time limit of a request: `TIMEOUT_SECONDS`, or two minutes. The clients have none, or a longer one.
pub fn timeout() -> Duration {
    let seconds = var("TIMEOUT_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(seconds.unwrap_or(120))
}

/// The HTTP client of the programs that use `reqwest`, with a time limit and with TLS.
///
/// # Errors
///
/// The system has no certificates.
pub fn http_client() -> Result<reqwest::Client, Error> {
    install_tls();
    Ok(reqwest::Client::builder().timeout(timeout()).build()?)
}

/// Selects the implementation of TLS for the process, for clients that select none.
pub fn install_tls() {
    // An error means that one is installed already.
    drop(rustls::crypto::ring::default_provider().install_default());
}

/// Any error, as one line: its text and that of its sources. `main` prints it.
pub struct Error(String);

impl<E: std::error::Error + 'static> From<E> for Error {
    fn from(error: E) -> Self {
        let mut text = error.to_string();
        let mut source = source(&error);
        while let Some(error) = source {
            let cause = error.to_string();
            if !text.contains(&cause) {
                text = format!("{text}: {cause}");
            }
            source = error.source();
        }
        Error(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

/// The cause of an error. Errors of genai do not return theirs, which names a time-out or a lost connection.
fn source<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a (dyn std::error::Error + 'static)> {
    use genai::Error::WebModelCall;
    match error.downcast_ref() {
        Some(WebModelCall { webc_error: genai::webc::Error::Reqwest(cause), .. }) => {
            std::error::Error::source(cause)
        }
        _ => error.source(),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The same text: a `main` that returns an error prints this form.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
