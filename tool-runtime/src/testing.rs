//! A model that replies by a script, for tests and examples. It needs no network.
//!
//! [`ScriptedModel`] takes the place of a client. It writes each request on the request's wire, checks the request by the
//! rules of the providers that accept this format, and sends the next reply of its script. A [`ScriptedReply`] can have
//! delays, be interrupted, be an error of the server, decline to answer, or depend on the request. [`check_request`] is the
//! check alone, for a stub server.
//!
//! ```
//! use tool_runtime::testing::ScriptedModel;
//! use tool_runtime::{AssistantMessage, Conversation, Registry, ToolCall, tool, tools};
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
//! let mut chat = Conversation::new().user("What is 1 + 2?");
//! let _ = chat.drive(&registry, None, |request| model.complete(request)).await?;
//! assert_eq!(chat.final_text(), "It is 3.");
//! assert_eq!(model.requests()[1]["messages"][2]["content"], "3");
//! # Ok(())
//! # }
//! ```

mod chunks;
mod declined;
mod error;
mod rules;
mod scripted_model;
mod scripted_reply;
mod sent_reply;

pub use error::ScriptedModelError;
pub use rules::{RejectedError, check_request};
pub use scripted_model::ScriptedModel;
pub use scripted_reply::ScriptedReply;
