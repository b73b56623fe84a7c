//! Give async functions to language models as tools.
//!
//! Put [`#[tool]`](macro@tool) on a function: its signature and doc comment become a Tool Schema and a
//! dispatcher. A [`Registry`] collects the tools; [`Registry::schemas`] goes into the request, and
//! [`Registry::dispatch`] turns the `tool_calls` of the reply into exactly one paired message of role `tool`
//! per call, whatever the model sent and whatever the tools did.
//!
//! ```standalone_crate
//! use tool_runtime::{Registry, ToolCall, tool};
//!
//! /// Look up the weather of a city.
//! #[tool]
//! async fn get_weather(
//!     /// City name, for example "Beijing".
//!     city: &str,
//!     /// How many days ahead; 0 is today.
//!     #[arg(default = 0)]
//!     days: u8,
//! ) -> Result<String, std::io::Error> {
//!     Ok(format!("{city} in {days} days: sunny"))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let registry = Registry::collect()?;
//! let tools = serde_json::to_string(registry.schemas())?; // goes into the request as `tools`
//! # assert!(tools.contains("get_weather"));
//!
//! // What comes back as `tool_calls`, usually inside an `AssistantMessage`.
//! let calls = [ToolCall::new("call_1", "get_weather", r#"{"city":"Beijing"}"#)];
//! let answers = registry.dispatch(&calls).await;
//! assert_eq!(
//!     serde_json::to_string(&answers)?,
//!     r#"[{"role":"tool","tool_call_id":"call_1","content":"Beijing in 0 days: sunny"}]"#,
//! );
//! # Ok(())
//! # }
//! ```
//!
//! # The way of a reply
//!
//! A [`Conversation`] goes it by itself, and cannot be sent while a call lacks its answer; [`Conversation::drive`] is
//! the loop around it. A program that keeps its messages itself goes it step by step:
//!
//! 1. The reply is read as an [`AssistantMessage`]. It takes what servers really send.
//! 2. [`AssistantMessage::echo`] makes of it what the history may hold, by the provider's needs ([`Echo`]).
//! 3. [`Registry::dispatch`] answers the calls of the echo: one [`ToolMessage`] each, in order.
//! 4. Echo and answers go to the end of the messages, as [`Message`]s.
//!
//! Messages that come from elsewhere are checked, mended and made shorter by [`history`]. `stream::ReplyAssembler` puts
//! replies together that come piece by piece, and `Registry::dispatch_stream` runs their calls while they come.
//!
//! # What a tool can be
//!
//! - a function: [`#[tool]`](macro@tool) has its parameters, descriptions, options, results, and what the program
//!   lends to it;
//! - a method of a value: [`#[toolset]`](macro@toolset);
//! - something known only when the program runs: [`DynamicTool`].
//!
//! # Schemas
//!
//! The schema of a tool comes from its parameters, and the tool enforces it: arguments that are invalid under it are answered
//! with an error message that names everything that is wrong in them, also where `serde` alone would accept them. The
//! request contains that of a function in forms that grammar engines compile (llama.cpp, xgrammar, llguidance), which accept
//! a little more: the documentation of [`#[tool]`](macro@tool#what-is-published) lists the differences.
//! [`Dialect::OpenAiStrict`] makes the server enforce the schema as well.
//!
//! # What a program says of its tools
//!
//! [`RegistryBuilder`] has what holds for all calls: `timeout`, `max_concurrency`, `max_output_bytes`,
//! `max_calls_per_batch`, and `before_call`, which approves, denies or answers a call before it runs ([`Decision`]). A
//! [`BatchContext`] has what holds for one batch: values for its tools, and a [`CancellationToken`] that ends it early.
//! Each answer has an [`Outcome`].
//!
//! # Features
//!
//! - `collect` (default): [`Registry::collect`], through the `inventory` crate. Without it, a registry is made
//!   of lists: `Registry::new(tools![a, b])`.
//! - `history`: [`history`]'s `repair`, `trim` and `find`, for messages that come from elsewhere. No dependencies.
//! - `regex`: the keyword `pattern` of a schema is enforced, through the `regex` crate. Without it, only the model reads
//!   `pattern`, and [`Registry::unsupported_keywords`] lists it.
//! - `stream`: `stream::ReplyAssembler` and `Registry::dispatch_stream`, for replies that come piece by piece. No
//!   dependencies.
//! - `tracing`: a span for each call of a dispatch, `execute_tool {name}`, with the attributes of OpenTelemetry's
//!   [conventions](https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/#execute-tool-span) for generative AI, and an
//!   event for each failure, with its sources; through the `tracing` crate. `otel.name`, `otel.kind` and `otel.status_description` are
//!   there for `tracing-opentelemetry`. [`RegistryBuilder`]'s `trace_content(true)` adds arguments and results.
//! - `lenient`: [`RegistryBuilder`]'s `lenient_arguments(true)`, for models that make mistakes in JSON. No dependencies.

mod approval;
mod arguments;
mod coerce;
mod context;
pub mod conversation;
pub mod dispatch;
mod fingerprint;
pub mod history;
mod invocation;
mod json;
pub mod message;
mod outcome;
mod output;
mod panics;
pub mod registry;
pub mod schema;
mod state;
#[cfg(feature = "stream")]
pub mod stream;
mod suggest;
mod tool;
mod tool_choice;
mod tool_name;
mod validator;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

#[doc(inline)]
pub use conversation::Conversation;
#[doc(inline)]
pub use dispatch::{BatchContext, CallContext, CallError, ToolError, ToolOutput};
#[doc(inline)]
pub use message::{AssistantMessage, ToolCall, ToolMessage};
#[doc(inline)]
pub use registry::{BuildError, DynamicTool, Registry, RegistryBuilder};
#[doc(inline)]
pub use schema::{ToolChoice, ToolSchema};
#[doc = include_str!("docs/tool.md")]
pub use tool_runtime_macros::tool;
#[doc = include_str!("docs/toolset.md")]
pub use tool_runtime_macros::toolset;

// Their types and traits occur in the API of this crate.
pub use {schemars, serde, serde_json};

/// The README's code, compiled and run with the tests.
#[cfg(all(doctest, feature = "collect"))]
#[doc = include_str!("../../README.md")]
struct Readme;
