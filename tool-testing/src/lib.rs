//! A model that replies by a script, and assertions on sessions, for tests and examples of programs with [`tool_runtime`]. They
//! need no network.
//!
//! The package is usually a development dependency:
//!
//! ```toml
//! [dev-dependencies]
//! # In a project next to a checkout of the repository; after the first release: "0.1" in place of the path.
//! tool-runtime-testing = { path = "../tool-runtime/tool-testing" }
//! ```
//!
//! [`ScriptedModel`] replaces a client. It writes each request on the request's wire, checks the request by the
//! rules of the providers that accept this format, and sends the next reply of its script. A [`ScriptedReply`] can have
//! delays, be interrupted, be an error of the server, decline to answer, or depend on the request. [`check_request`] is the
//! check alone, for a stub server.
//!
//! [`called_tools`], [`assert_called`] and [`assert_valid`] check a [`Session`](tool_runtime::Session) after its runs, and
//! [`assert_cache_stable`] checks that its requests keep the provider's prompt cache.
//! The package `tool-runtime-lock` compares the tools of a registry with a file, and classifies each change.
//!
//! ```
//! use serde_json::json;
//! use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, tool, tools};
//! use tool_runtime_testing::{ScriptedModel, assert_called, assert_valid};
//!
//! /// Adds two numbers.
//! #[tool]
//! fn add(a: i64, b: i64) -> i64 {
//!     a + b
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let call = ToolCall::new("call_1", "add", r#"{"a":1,"b":2}"#);
//! let model = ScriptedModel::new([
//!     AssistantMessage::from_tool_calls(vec![call]),
//!     AssistantMessage::from_text("It is 3."),
//! ]);
//! let registry = Registry::new(tools![add])?;
//! let mut session = Session::new().user("What is 1 + 2?");
//! let _ = session.run(&registry).complete(|request| model.complete(request)).await?;
//! assert_eq!(session.final_text(), "It is 3.");
//! assert_called(&session, "add", json!({"a": 1, "b": 2}));
//! assert_valid(&session);
//! assert_eq!(model.requests()[1]["messages"][2]["content"], "3");
//! # Ok(())
//! # }
//! ```
#![warn(clippy::disallowed_methods)]

mod assertions;
mod check_request;
mod contained_call;
mod error;
mod rejected;
mod rules;
mod scripted_model;
mod scripted_reply;
mod sent_reply;

pub use assertions::{assert_cache_stable, assert_called, assert_valid, called_tools};
pub use check_request::check_request;
pub use error::ScriptedModelError;
pub use rejected::RejectedError;
pub use scripted_model::ScriptedModel;
pub use scripted_reply::ScriptedReply;

/// The program of the README, compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
