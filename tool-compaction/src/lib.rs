//! Small requests in long sessions, for programs with [`tool_runtime`].
//!
//! A session with many calls of tools becomes longer than the context of the model, and each of its requests costs more than the
//! one before it.
//!
//! - [`Spill`] stores long results. The model receives their beginning and end, and reads or searches the rest with the tool
//!   `read_result`.
//! - [`Compaction`] shortens the messages of a session that has become too long: results become notices, and older messages a
//!   summary.
//!
//! ```
//! use tool_runtime::{Registry, RunContext, Session, tool, tools};
//! use tool_runtime_compaction::{Compaction, Spill, SpillResults, estimated_tokens};
//! # use tool_runtime::conversation::Request;
//! # use tool_runtime::{AssistantMessage, ToolCall};
//! # async fn complete(request: Request) -> Result<AssistantMessage, std::io::Error> {
//! #     Ok(match request.messages().len() {
//! #         1 => AssistantMessage::from_tool_calls([ToolCall::new("call_1", "read_log", "{}")]),
//! #         _ => AssistantMessage::from_text("Done."),
//! #     })
//! # }
//!
//! /// Reads the log of the server.
//! #[tool(read_only)]
//! fn read_log() -> String {
//!     "GET / 200\n".repeat(9_000)
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("compaction_{}", std::process::id()));
//! let spill = Spill::folder(folder.join("results"))?.above(8_000); // bytes of one result
//! let registry = Registry::builder().tools(tools![read_log]).spill(spill.clone()).build()?;
//! let context = RunContext::new().run_id("chat-7"); // one id for each session, the same after a restart
//!
//! let mut session = Session::new().user("Which requests fail?");
//! let compaction = Compaction::above(120_000, estimated_tokens); // tokens of all messages
//! session.run(&registry.with(&context)).compact(compaction).complete(complete).await?;
//! assert!(session.messages()[2].text().contains(r#"read_result with handle "1""#));
//!
//! spill.remove_run("chat-7").await?; // when the program deletes the session
//! # std::fs::remove_dir_all(folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! # Strategies
//!
#![doc = include_str!("strategies.md")]
//!
//! # Dependency
//!
//! A program depends on this package, in addition to `tool-runtime`:
//!
//! ```toml
//! [dependencies]
//! # In a project next to a checkout of the repository; after the first release: "0.1" in place of the path.
//! tool-runtime-compaction = { path = "../tool-runtime/tool-compaction" }
//! ```
#![warn(clippy::disallowed_methods)]

mod compaction;
mod error;
mod estimate;
mod grouped;
mod notice;
mod part_limit;
mod spill;
mod store;

pub use compaction::Compaction;
pub use error::StoreError;
pub use estimate::estimated_tokens;
pub use spill::{Spill, SpillResults};
pub use store::{ResultStore, StoreFuture, is_inner_run};

/// The program of the README, compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
