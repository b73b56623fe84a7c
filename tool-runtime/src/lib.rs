//! Give Rust functions to language models as tools.
//!
//! Put [`#[tool]`](macro@tool) on a function: its signature and doc comment become a tool schema and a dispatcher. A
//! [`Registry`] collects the tools. [`Registry::schemas`] goes into the request, and [`Registry::dispatch`] turns the
//! `tool_calls` of the reply into exactly one paired message of role `tool` per call, whatever the model sends and
//! whatever the tools do.
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
//! let tools = serde_json::to_string(registry.schemas())?; // the `tools` of the request
//! # assert!(tools.contains("get_weather"));
//!
//! // The `tool_calls` of the reply, usually inside an `AssistantMessage`.
//! let calls = [ToolCall::new("call_1", "get_weather", r#"{"city":"Beijing"}"#)];
//! let messages = registry.dispatch(&calls).await;
//! assert_eq!(
//!     serde_json::to_string(&messages)?,
//!     r#"[{"role":"tool","tool_call_id":"call_1","content":"Beijing in 0 days: sunny"}]"#,
//! );
//! # Ok(())
//! # }
//! ```
//!
//! # Where to start
//!
//! - The [`guide`] has a chapter for each task, with programs to copy: a chat in a terminal, approvals, a server with storage, streaming,
//!   crashes, MCP, tests. Its [`tasks`](guide::tasks) list what the crate does, with the item for each.
//! - [`#[tool]`](macro@tool) turns a function into a tool; its page describes parameters, options, validation and results.
//!   [`#[toolset]`](macro@toolset) does so for the methods of a value, and a [`DynamicTool`] is known only at run time.
//! - [`Registry`] and [`RegistryBuilder`] hold the tools and their limits: time, concurrency, size of results, approval.
//! - [`Session`] is the loop of a chat: [`Session::run`] sends requests and runs the called tools until the model answers, a person must
//!   approve a call, a result must come from elsewhere, or a limit is reached. It can be stored at any time, and continues after a restart.
//! - [`Conversation`] is for programs with a loop of their own. While tool calls are unanswered, there is no `Conversation`, only
//!   [`PendingCalls`](conversation::PendingCalls), from which no request can be created.
//!
//! | Module | Content |
//! | --- | --- |
//! | [`session`] | runs, their events, ends and limits; storage |
//! | [`registry`] | tools, their annotations and policies, errors of building a registry |
//! | [`dispatch`] | results, outcomes and events of calls; contexts, hooks, middleware |
//! | [`conversation`] | conversations that are always paired, requests |
//! | [`message`] | messages, independent of a provider; their storage without loss |
//! | [`wire`] | the formats of Chat Completions, Responses, Anthropic, Bedrock, Gemini (both APIs) and Ollama |
//! | [`stream`] | replies that arrive in chunks |
//! | [`history`] | validation of messages of other programs |
//! | [`schema`] | definitions of tools, strict schemas |
//! | [`search`] | tools that a model finds with a search |
//!
//! # The steps of a reply
//!
//! [`Session`] does these steps. A program that keeps its messages itself does them in this order:
//!
//! 1. Read the reply as an [`AssistantMessage`]. It accepts the variations that servers send, and a whole response as well as its
//!    message.
//! 2. Call [`Registry::dispatch`] with its calls. It returns one [`ToolMessage`] per call, in order.
//! 3. Append the reply and the tool messages to the history, as [`Message`](message::Message)s.
//! 4. Write the history with serde, or with the [`Wire`](wire::Wire) of the server. A request contains only the fields of a reply that
//!    servers accept.
//!
//! # Other packages
//!
//! The rest of an agent is in packages of its own, which the [guide](guide#the-programs) lists: an HTTP client, MCP, tests without a model,
//! approval rules, long sessions, crashes, many machines, code mode, repair of histories, and a page that shows all of it.
//!
//! # Features
//!
//! | Feature | Content | Dependencies |
//! | --- | --- | --- |
//! | `anthropic` | [`wire::Anthropic`]: Anthropic's Messages API. | none |
//! | `bedrock` | [`wire::Bedrock`]: Amazon's Converse API. | none |
//! | `collect` (default) | [`Registry::collect`]: every `#[tool]` function that is linked into the program. Without it, a registry is built from lists: `Registry::new(tools![a, b])`. | `inventory` |
//! | `gemini` | [`wire::Gemini`]: the Gemini API. | none |
//! | `gemini_interactions` | [`wire::GeminiInteractions`]: Gemini's Interactions API. | none |
//! | `lenient` | [`RegistryBuilder::lenient_arguments`]: repairs and coerces arguments of models that make mistakes in JSON. | none |
//! | `ollama` | [`wire::Ollama`]: Ollama's own API. | none |
//! | `preserve_order` (default) | [Properties keep their declared order](schema#order-of-properties) in schemas, and so do the keys of every `serde_json::Map` of the program. Without it, both are sorted by name. | `indexmap` |
//! | `regex` | [Enforces the keyword `pattern`](macro@tool#patterns) of schemas. Without it, only the model reads `pattern`, and [`RegisteredTool::unsupported_keywords`](registry::RegisteredTool::unsupported_keywords) lists it. | `regex` |
//! | `responses` | [`wire::Responses`]: OpenAI's Responses API. | none |
//! | `search` | [`RegistryBuilder::search`]: a model finds tools with a search, and the `tools` of its requests stay equal. | `tool-runtime-search`, `frostem` |
//! | `testing` | [`RegisteredTool::enforced_schema`](registry::RegisteredTool::enforced_schema): the schema against which arguments are validated, for tests. The packages `tool-runtime-testing` and `tool-runtime-lock` enable it. | none |
//! | `tracing` | A span per run, request and call (`invoke_agent`, `chat`, `execute_tool {name}`), with the attributes of OpenTelemetry's [conventions for generative AI][otel], and an event per failure. [`RegistryBuilder::trace_content`] adds arguments, results, and the texts and sources of errors. `otel.name`, `otel.kind` and `otel.status_description` are for `tracing-opentelemetry`. | `tracing` |
//! | `wires` | Every [`wire`]: `anthropic`, `bedrock`, `gemini`, `gemini_interactions`, `ollama` and `responses`. | none |
//!
//! [otel]: https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::disallowed_methods)]
#![cfg_attr(
    not(all(
        feature = "collect",
        feature = "lenient",
        feature = "search",
        feature = "testing",
        feature = "tracing",
        feature = "wires"
    )),
    allow(rustdoc::broken_intra_doc_links, reason = "the documentation of a feature links to its items")
)]

mod approval;
mod arguments;
mod call_span;
mod coerce;
mod contained_call;
mod context;
pub mod conversation;
pub mod dispatch;
mod fingerprint;
pub mod guide;
pub mod history;
mod json;
#[cfg_attr(
    not(feature = "wires"),
    allow(dead_code, unused_imports, reason = "each wire uses only some of these types")
)]
pub mod message;
mod outcome;
mod output;
mod panics;
pub mod registry;
pub mod schema;
#[cfg(feature = "search")]
pub mod search;
pub mod session;
mod state;
pub mod stream;
mod suggest;
mod tool;
mod tool_choice;
mod tool_name;
mod validator;
mod violation;
#[cfg_attr(
    not(feature = "wires"),
    allow(dead_code, unused_imports, reason = "each wire uses only some of the shared items")
)]
pub mod wire;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

#[doc(hidden)]
#[path = "repair.rs"]
pub mod __repair;

#[cfg(feature = "testing")]
#[doc(hidden)]
#[path = "testing.rs"]
pub mod __testing;

#[doc(inline)]
pub use conversation::Conversation;
#[doc(inline)]
pub use dispatch::{CallContext, CallError, RunContext, ToolError, ToolOutput};
#[doc(inline)]
pub use message::{AssistantMessage, ToolCall, ToolMessage};
#[doc(inline)]
pub use registry::{BuildError, DynamicTool, Registry, RegistryBuilder};
#[doc(inline)]
pub use schema::{ToolChoice, ToolSchema};
#[doc(inline)]
pub use session::Session;
#[doc = include_str!("docs/tool.md")]
pub use tool_runtime_macros::tool;
#[doc = include_str!("docs/toolset.md")]
pub use tool_runtime_macros::toolset;

// Their types and traits occur in the API of this crate.
pub use {schemars, serde, serde_json};
