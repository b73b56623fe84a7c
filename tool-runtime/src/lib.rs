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
//! - [`#[tool]`](macro@tool) turns a function into a tool; its page describes parameters, options, validation and
//!   results. [`#[toolset]`](macro@toolset) does so for the methods of a value, and a [`DynamicTool`] is known only at
//!   run time.
//! - [`Registry`] and [`RegistryBuilder`] hold the tools and their limits: time, concurrency, size of results,
//!   approval.
//! - [`Session`] is the loop of a chat: [`Session::run`] sends requests and runs the called tools until the model answers, a
//!   person must approve a call, a result comes from elsewhere, or a limit is reached. It can be stored at any time, and
//!   continues after a restart.
//! - [`Conversation`] is for programs with a loop of their own: a list of messages that a server accepts. It becomes a
//!   [`Received`](conversation::Received) with each reply. While tool calls are unanswered, there is no
//!   `Conversation`, only [`PendingCalls`](conversation::PendingCalls), from which no request can be created.
//! - [`dispatch`] contains the [`ToolResult`](dispatch::ToolResult) and the [`Outcome`](dispatch::Outcome) of each call,
//!   errors, hooks, [middleware](#middleware), events and contexts.
//! - [`message`] has the messages of a conversation, and their [storage](message::stored) without loss. A
//!   [`wire`] writes requests and reads replies in the format of a provider.
//! - [`history`] validates messages from other programs; the package `tool-runtime-repair` repairs them. [`stream`] assembles
//!   replies that arrive in chunks.
//!
//! | Task | Documentation |
//! | --- | --- |
//! | an optional argument, a default, a struct as an argument | [`#[tool]`](macro@tool#parameters) |
//! | application state in a tool | [`#[tool]`](macro@tool#state-and-context), [`RegistryBuilder::state`]; of one user or request: [`Registry::with`] |
//! | several messages of a user | [`Session::push_user`] |
//! | approval by a rule of the program | [`RegistryBuilder::before_call`]; rules in a settings file: the package `tool-runtime-approval` |
//! | effects of a reply in their order | [`RegistryBuilder::ordered_effects`] |
//! | a secret of the program in the arguments of a tool | [`Decision::RunWith`](dispatch::Decision::RunWith) |
//! | approval by a person, in a later request | [`Session::approve`], [`Session::awaiting_approval`]; without a session, [`PendingCalls::run`](conversation::PendingCalls::run) |
//! | a result from a browser, a person or a long job | [`DynamicTool::external`], [`ToolOutput::pending`], [`Session::provide_result`] |
//! | limits of replies, calls and tokens in a run | [`Run::max_replies`](session::Run::max_replies), [`max_calls`](session::Run::max_calls), [`max_tokens_total`](session::Run::max_tokens_total) |
//! | a tool choice, fewer tools or fewer messages in one request | [`Run::map_request`](session::Run::map_request), [`Request`](conversation::Request) |
//! | a shorter conversation | [`Session::trim`], [`Conversation::trim`] |
//! | the definitions, annotations and limits of all tools | [`Registry::tools`] |
//! | a time limit | [`#[tool(timeout = ..)]`](macro@tool#options), [`RegistryBuilder::timeout`], [`call_timeout`](RegistryBuilder::call_timeout) |
//! | a limit of the calls of one tool: at the same time, or in total | [`#[tool(max_concurrency = .., max_calls = ..)]`](macro@tool#options) |
//! | the tools that one request may contain, or that calls may use | [`Request::allowed_tools`](conversation::Request::allowed_tools), [`RunContext::allowed_tools`] |
//! | a hundred tools and more, without their definitions in each request | feature `search`: [`RegistryBuilder::search`] |
//! | retries, a cache, redaction, marks around untrusted text, recording | [Middleware](#middleware), [`RegistryBuilder::around_call`] |
//! | the events of a run, for server-sent events | [`Run::on_event`](session::Run::on_event), [`session::Event`] |
//! | the tools that a run has called, with their results | the pattern of [`session::Event::Call`] in [`Run::on_event`](session::Run::on_event) |
//! | an audit log | [`CallStatus::Finished`](dispatch::CallStatus::Finished) and its [`Cause`](dispatch::Cause) |
//! | a graceful stop | [`Run::stop_after_calls`](session::Run::stop_after_calls), [`cancel_on`](session::Run::cancel_on), [`RunContext::finish_effects`] |
//! | progress, and each result as soon as it exists | [`CallContext::progress`], [`session::Event::Call`], [`RunContext::on_event`] |
//! | data that a tool sends to the user interface | [`CallContext::emit`] |
//! | calls inside a tool, which pass each stage and may wait for a person | [`CallContext::inner_call`] |
//! | a question to the user in the middle of a call | [`CallContext::ask`]; answers: [`RunContext::on_question`], [`Session::answer`] |
//! | one program of the model in place of many calls | `CodeTool` of the package `tool-runtime-code` |
//! | a session inside a tool | [`CallContext::child_run_context`], [`session`](session#events) |
//! | a session inside a tool with the listeners, the middleware and the limits of the run | [`RunContext::inherit_listeners`], [`inherit_middleware`](RunContext::inherit_middleware), [`inherit_call_counts`](RunContext::inherit_call_counts) |
//! | calls that other processes run | [`Run::hand_out_calls`](session::Run::hand_out_calls), [`Registry::run_handed_out`] |
//! | sessions and calls on many machines | `Agent`, `Sessions` and `remote` of the package `tool-runtime-restate` |
//! | the session stored during a run | [`Run::store`](session::Run::store) |
//! | the session checked or changed between replies | [`Run::between_replies`](session::Run::between_replies) |
//! | messages of the user during a run | [`Session::inbox`] |
//! | a session that is too long for the model | [`Run::compact`](session::Run::compact), with the package `tool-runtime-compaction` |
//! | results that are too long | [`RegistryBuilder::max_result_bytes`]; to read and search the rest: `Spill` of the package `tool-runtime-compaction` |
//! | a budget that sessions share | [`session::Budget`] |
//! | a model that repeats itself | [`Run::max_identical_calls`](session::Run::max_identical_calls), [`RegistryBuilder::note_repeated_calls`] |
//! | streaming | [`Run::stream`](session::Run::stream); without a session, [`Registry::dispatch_stream_events`], or [`ReplyAssembler`](stream::ReplyAssembler) |
//! | a final answer with a type | [`Run::answer_as`](session::Run::answer_as), [`wire::UseResponseFormat`] |
//! | the tokens and the price of replies | [`Session::usage`], [`AssistantMessage::usage`], [`message::Prices`] |
//! | a prompt cache that holds | [`wire::Cache`], [`session`](session#the-prompt-cache), [`Run::check_cache_prefix`](session::Run::check_cache_prefix) |
//! | a web search and other tools that the provider runs | `hosted_tool` of a [wire](wire#tools-of-providers) |
//! | the shell, the editor or the computer of a provider, run by the program | `client_tool` of a [wire](wire#tools-of-providers) |
//! | further fields in the definition of a tool, for one provider | `definition_fields` of a [wire](wire#tools-of-providers) |
//! | tools that come during a conversation | [`Message::added_tools`](message::Message::added_tools) |
//! | warnings for the operator: empty replies, ignored tool choices | [`Session::warnings`], [`ReplyWarning`](conversation::ReplyWarning) |
//! | a valid history from any list of messages | `repair` of the package `tool-runtime-repair` |
//! | a conversation in a database | [`Session`] and [`PendingCalls`](conversation::PendingCalls), which implement `Serialize` and `Deserialize`; a list of messages: [`message::stored`] |
//! | Anthropic, Bedrock, Gemini, Ollama or Responses, or a provider that is chosen at run time | [`wire::by_name`], [`Run::wire`](session::Run::wire), [`Request::wire`](conversation::Request::wire) |
//! | errors of a server: rate limits, a conversation that is too long | [`wire::ErrorKind`] |
//! | an HTTP client with retries for all providers | `Model` of the package `tool-runtime-client` |
//! | the retries of a client, as events of the run | [`Request::report_retry`](conversation::Request::report_retry) |
//! | continue a conversation with another provider | [`Request::wire`](conversation::Request::wire), [`Body::report`](wire::Body::report) |
//! | images and files in a result | [`ToolOutput`] |
//! | images and files from the user | [`message::Part`] |
//! | a title for people, a schema of the result | [`#[tool(title = .., output_schema)]`](macro@tool#options), [`Registry::tool`] |
//! | reasoning in later requests | [`ChatCompletions::keep_reasoning`](wire::ChatCompletions::keep_reasoning) |
//! | tools of a remote server | [`DynamicTool`]; of an MCP server, the package `tool-runtime-mcp` |
//! | a page that shows the tools as models see them, runs calls, and opens sessions | `Inspector` of the package `tool-runtime-inspector` |
//! | a test without a network | `ScriptedModel`, `ScriptedReply`, `assert_called` and `assert_valid` of the package `tool-runtime-testing` |
//! | a test that fails if a tool changes, and classifies the change as breaking or compatible | `assert_tools_lock` of the package `tool-runtime-lock` |
//!
//! # The steps of a reply
//!
//! [`Session`] does these steps, and [`Conversation`] helps a program that does them in a loop of its own. A program that keeps
//! its messages itself does them in this order:
//!
//! 1. Read the reply as an [`AssistantMessage`]. It accepts the variations that servers send, and a whole response as
//!    well as its message.
//! 2. Call [`Registry::dispatch`] with its calls. It returns one [`ToolMessage`] per call, in order.
//! 3. Append the reply and the tool messages to the history, as [`Message`](message::Message)s.
//! 4. Write the history with serde, or with the [`Wire`](wire::Wire) of the server. A request contains only the fields
//!    of a reply that servers accept.
//!
//! # Schemas
//!
//! The schema of a tool comes from the types of its parameters, and the tool enforces it: the tool message for invalid
//! arguments lists the errors, even if `serde` alone would accept the arguments. The request contains the schema in a
//! form that grammar engines compile (llama.cpp, xgrammar, llguidance). That form accepts slightly more; the
//! documentation of [`#[tool]`](macro@tool#published-schemas) lists the differences.
//!
//! Some servers make the model follow the schema of a tool with `strict: true`. Strict schemas are a setting of a wire:
//! `wire::ChatCompletions::new().strict(true)`. Each provider has its own rules for them, so a tool has one form for
//! OpenAI ([`ToolSchema::openai_strict`]) and one for Anthropic ([`ToolSchema::anthropic_strict`]). A tool that cannot
//! have the form, for example because it takes a map with any keys, is sent without `strict`, and
//! [`Body::report`](wire::Body::report) lists it with the reasons.
//!
#![doc = include_str!("docs/middleware.md")]
#![doc = include_str!("docs/error_messages.md")]
#![doc = include_str!("docs/expansion.md")]
//! # Features
//!
//! Each row links to an example.
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
//! | `preserve_order` (default) | [Properties keep their declared order](#order-of-properties) in schemas, and so do the keys of every `serde_json::Map` of the program. Without it, both are sorted by name. | `indexmap` |
//! | `regex` | [Enforces the keyword `pattern`](#patterns) of schemas. Without it, only the model reads `pattern`, and [`RegisteredTool::unsupported_keywords`](registry::RegisteredTool::unsupported_keywords) lists it. | `regex` |
//! | `responses` | [`wire::Responses`]: OpenAI's Responses API. | none |
//! | `search` | [`RegistryBuilder::search`]: a model finds tools with a search, and the `tools` of its requests stay equal. | `tool-runtime-search`, `frostem` |
//! | `testing` | [`RegisteredTool::enforced_schema`](registry::RegisteredTool::enforced_schema): the schema against which arguments are validated, for tests. The packages `tool-runtime-testing` and `tool-runtime-lock` enable it. | none |
//! | `tracing` | A span per run, request and call (`invoke_agent`, `chat`, `execute_tool {name}`), with the attributes of OpenTelemetry's [conventions for generative AI][otel], and an event per failure. [`RegistryBuilder::trace_content`] adds arguments, results, and the texts and sources of errors. `otel.name`, `otel.kind` and `otel.status_description` are for `tracing-opentelemetry`. | `tracing` |
//! | `wires` | Every [`wire`]: `anthropic`, `bedrock`, `gemini`, `gemini_interactions`, `ollama` and `responses`. | none |
//!
//! [otel]: https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/
//!
//! ## Order of properties
//!
//! A model writes its arguments, and a typed answer, in the order of the properties in the schema. Declare the field in which
//! it reasons before the one with the result: with the feature `preserve_order`, schemas have the declared order, on each wire
//! and in each strict form, also inside other types, in schemas of [`DynamicTool`] and of MCP servers, and after
//! `serde_json::to_value` of a request.
//!
//! The feature enables `preserve_order` of `serde_json`, which concerns all crates of the program: a
//! [`serde_json::Map`] keeps the order in which entries are inserted, and [`remove`](serde_json::Map::remove) moves the last
//! entry to the place of the removed one ([`retain`](serde_json::Map::retain) moves none). A program that needs sorted maps
//! sets `default-features = false` and enables `collect` where it uses it; properties are then sorted by name, unless another
//! crate enables `preserve_order` of `serde_json`.
//!
//! ```
//! use tool_runtime::{Registry, tool, tools};
//!
//! /// Decides about a refund.
//! #[tool]
//! fn decide(reasons: String, is_granted: bool) {}
//!
//! let registry = Registry::new(tools![decide])?;
//! # if cfg!(feature = "preserve_order") {
//! assert_eq!(
//!     registry.schemas()[0].parameters().get(),
//!     concat!(
//!         r#"{"type":"object","required":["reasons","is_granted"],"additionalProperties":false,"#,
//!         r#""properties":{"reasons":{"type":"string"},"is_granted":{"type":"boolean"}}}"#,
//!     ),
//! );
//! # }
//! # Ok::<(), tool_runtime::BuildError>(())
//! ```
//!
//! ## Patterns
//!
//! With the feature `regex`, a call whose arguments do not match the `pattern` of the schema fails:
//!
//! ```
//! use serde_json::json;
//! use tool_runtime::{Registry, tool, tools};
//!
//! /// Looks up an order.
//! #[tool]
//! fn find_order(#[arg(schema(pattern = "^[A-Z]{2}[0-9]+$"))] number: &str) -> String {
//!     format!("{number}: shipped")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let registry = Registry::new(tools![find_order])?;
//! assert_eq!(registry.call("find_order", json!({"number": "DE7"})).await.text(), "DE7: shipped");
//!
//! let result = registry.call("find_order", json!({"number": "seven"})).await;
//! # if cfg!(feature = "regex") {
//! assert_eq!(
//!     result.text(),
//!     "Error: invalid arguments for `find_order`: `number`: expected a string that matches `^[A-Z]{2}[0-9]+$`, \
//!      got string \"seven\". Call it again, but change `number` to a string that matches `^[A-Z]{2}[0-9]+$`.",
//! );
//! # }
//! # Ok(())
//! # }
//! ```
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
