//! A page that shows the tools of a [`tool_runtime`] registry as models see them, runs their calls, and opens sessions.
//!
//! - **Tools**: the definition of each tool for each provider, plain and strict, its tokens, why it is not strict, and its changes
//!   since a lock file.
//! - **Try**: a call from a form or as raw text, through each step of the registry, and the message that the model reads.
//! - **Sessions**: a stored session, a history of any provider or a live run as a timeline, with errors, approvals, tokens, money, and
//!   the rules that it breaks.
//!
//! ```no_run
//! use tool_runtime::{Registry, tool};
//!
//! /// The time of day.
//! #[tool(read_only)]
//! fn now() -> &'static str {
//!     "12:00"
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let registry = Registry::collect()?;
//!     println!("Open http://127.0.0.1:4000");
//!     Ok(tool_runtime_inspector::serve(&registry, "127.0.0.1:4000").await?)
//! }
//! ```
//!
//! [`Inspector`] has the settings: a lock file, stored sessions, live runs, prices. [`Inspector::router`] is for a program that has a
//! server.
//!
//! # Histories without a program
//!
//! The program `tool-inspector` opens a history: a serialized [`Session`](tool_runtime::Session), a list of messages, or the body of a
//! request of any provider.
//!
//! ```sh
//! cargo install --path ../tool-runtime/tool-inspector # after the first release: cargo install tool-runtime-inspector
//! tool-inspector history.json
//! ```
//!
//! # Access
//!
//! The page has no login. The server answers only requests for this machine, rejects requests of other sites, and listens only at a
//! loopback address, unless the program [allows](Inspector::allow_hosts) other hosts. The page shows arguments and results, but neither
//! the state of the program nor the arguments that a hook adds
//! ([`Decision::RunWith`](tool_runtime::dispatch::Decision::RunWith)).
//!
//! A call of a tool that is not declared `read_only` asks first. The calls that such a tool makes itself do not ask. A remote server
//! declares its tools itself: a client of an MCP server that is not trusted drops its annotations (`ignore_annotations`), as the example
//! `inspect_mcp` does.
//!
//! # Dependency
//!
//! ```toml
//! [dependencies]
//! # In a project next to a checkout of the repository; after the first release: "0.1" in place of the path.
//! tool-runtime-inspector = { path = "../tool-runtime/tool-inspector" }
//! ```
#![warn(clippy::disallowed_methods)]

mod access;
mod api_error;
mod calls;
mod definitions;
mod extract;
mod histories;
mod history_text;
mod inspector;
mod lines;
mod live_runs;
mod lock_file;
mod open_calls;
mod page;
mod parts;
mod session_source;
mod state;
mod timeline;
mod tokens;
mod tools;

pub use inspector::{Inspector, ServeError};
pub use live_runs::{LiveRuns, RunRecorder};
pub use session_source::{SessionEntry, SessionFolder, SessionSource};

use tokio::net::ToSocketAddrs;
use tool_runtime::Registry;

/// Serves the page for the tools of a registry at a loopback address, until the future is dropped: [`Inspector::serve`] with the
/// default settings.
///
/// # Errors
///
/// The address cannot be used, or other machines could reach it.
pub async fn serve(registry: &Registry, address: impl ToSocketAddrs) -> Result<(), ServeError> {
    Inspector::new(registry).serve(address).await
}

/// The program of the README, compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
