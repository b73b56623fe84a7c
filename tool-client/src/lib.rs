//! An HTTP client of language models, for programs with [`tool_runtime`] that have none.
//!
//! [`Model`] sends the requests of a session to a provider or a local server, repeats attempts that fail, and reads streams.
//!
//! ```no_run
//! use tool_runtime::{Registry, Session, tool};
//! use tool_runtime_client::{Model, RunModel as _};
//!
//! /// Look up the weather of a city.
//! #[tool]
//! fn get_weather(city: &str) -> String {
//!     format!("{city}: sunny")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (model, registry) = (Model::from_env()?, Registry::collect()?);
//! let mut session = Session::new().user("What is the weather in Beijing?");
//! let end = session.run(&registry).model(&model).await?; // or `.stream_model(&model)`
//! println!("{end}: {}", session.final_text());
//! # Ok(())
//! # }
//! ```
//!
//! The variable `LLM_MODEL` selects the provider and the model, for example `anthropic/claude-haiku-4-5`:
//! [`Model::from_env`] lists the others. A constructor for each provider, such as [`Model::anthropic`], takes the same settings
//! from code.
//!
//! # Errors
//!
//! A run fails with [`RunError::Client`](tool_runtime::session::RunError::Client), which contains a [`ModelError`]. A stream that
//! fails after its first content is a [`RunError::Stream`](tool_runtime::session::RunError::Stream). [`error_kind`] classifies
//! both. The client repeats a request after a temporary error first: see [`Model::max_attempts`]. The session keeps all replies and
//! results before the error; another run repeats the request.
//!
//! # Features
//!
//! | Feature | Content |
//! | --- | --- |
//! | `tls` (default) | TLS, with the certificates of the system |
//! | `bedrock` | streams and signed requests of Bedrock; without it, a model of Bedrock takes API keys only, and does not stream |
//!
//! The core `tool-runtime` does not depend on this package: a program can keep the client that it has.
//!
//! # Dependency
//!
//! ```toml
//! [dependencies]
//! # In a project next to a checkout of the repository; after the first release: "0.1" in place of each path.
//! tool-runtime = { path = "../tool-runtime/tool-runtime" }
//! tool-runtime-client = { path = "../tool-runtime/tool-client" }
//! tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
//! ```
#![warn(clippy::disallowed_methods)]

mod api;
#[cfg(feature = "bedrock")]
mod aws_signature;
mod complete;
#[cfg_attr(not(feature = "bedrock"), path = "no_credentials.rs")]
mod credentials;
mod environment;
mod environment_error;
mod error;
mod events;
#[cfg_attr(not(feature = "bedrock"), path = "no_frames.rs")]
mod frames;
mod framing;
mod http_request;
mod model;
mod providers;
mod quoted;
mod rejection;
mod response;
mod retries;
mod retry_after;
mod run;
mod secret;
mod send;
mod signature;
mod stream;
mod wait;

#[cfg(feature = "bedrock")]
pub use aws_credential_types::{
    Credentials as AwsCredentials, provider::ProvideCredentials as ProvideAwsCredentials,
};
pub use environment_error::EnvironmentError;
pub use error::ModelError;
pub use model::Model;
pub use rejection::Rejection;
/// The HTTP client of [`Model::http_client`].
pub use reqwest;
pub use run::{RunModel, error_kind};
pub use stream::ReplyStream;
pub use tool_runtime::wire::ErrorKind;

/// The program of the README, compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
