//! The tools of this program as an MCP server: for one client over standard input and output, or for many over HTTP.
//!
//! `cargo run -p tool-runtime-mcp --features http-server --example serve` waits for a client on standard input, as clients
//! start it. With an address, for example `127.0.0.1:8000`, it serves `http://127.0.0.1:8000/mcp`.

use std::error::Error;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tool_runtime::dispatch::Decision;
use tool_runtime::{CallContext, Registry, ToolOutput, tool};
use tool_runtime_mcp::serve;

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Weather {
    city: String,
    celsius: f32,
}

/// Look up the current weather of a city.
#[tool(title = "Weather", read_only, output_schema)]
fn get_weather(
    /// City name, for example "Beijing".
    city: String,
) -> Result<Weather, String> {
    if city == "Atlantis" {
        Err("there is no such city".to_owned())
    } else {
        Ok(Weather { city, celsius: 21.5 })
    }
}

/// Draw the sky over a city.
#[tool(read_only)]
fn draw_sky(city: &str) -> ToolOutput {
    ToolOutput::new()
        .with_text(format!("the sky over {city}"))
        .with_image("image/png", include_bytes!("sky.png"))
}

/// Count to a number, one tenth of a second each.
#[tool]
async fn count(to: u64, #[context] call: &CallContext) -> String {
    for done in 1..=to {
        tokio::time::sleep(Duration::from_millis(100)).await;
        call.progress(done, to, format!("{done} of {to}"));
    }
    format!("counted to {to}")
}

#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

/// Add a note, and return the number of notes.
#[tool(destructive, requires_approval)]
fn add_note(text: String, #[state] notes: &Notes) -> usize {
    let mut notes = notes.0.lock().unwrap_or_else(PoisonError::into_inner);
    notes.push(text);
    notes.len()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let registry = Registry::builder()
        .collect()
        .state(Notes::default())
        .timeout(Duration::from_secs(30))
        // A server cannot ask a person, but its client can. This rule approves short notes; longer ones are errors.
        .before_call(|call| async move {
            if call.arguments().len() < 100 { Decision::Run } else { Decision::Undecided }
        })
        .build()?;
    let server =
        serve(registry).name("example", env!("CARGO_PKG_VERSION")).instructions("Look up the weather first.");
    let Some(address) = std::env::args().nth(1) else { return Ok(server.stdio().await?) };
    let router = axum::Router::new().nest_service("/mcp", server.http_service());
    let listener = tokio::net::TcpListener::bind(address).await?;
    eprintln!("http://{}/mcp", listener.local_addr()?);
    Ok(axum::serve(listener, router).await?)
}
