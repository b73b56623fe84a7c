//! The formats of providers: how requests are written, and how replies, streams and errors are read.
//!
//! A [`Wire`] writes requests and reads replies in the format of one provider's API. [`ChatCompletions`] is the default
//! everywhere and needs no feature; `Anthropic`, `Bedrock`, `Gemini`, `GeminiInteractions`, `Ollama` and `Responses` need the
//! features `anthropic`, `bedrock`, `gemini`, `gemini_interactions`, `ollama` and `responses`. [`by_name`] selects a wire at run
//! time, and [`detect`] names the wire of a history.
//!
//! The program sends the request, and adds the fields that do not come from the conversation:
//!
//! | Wire | Path | Fields of the program | Key |
//! | --- | --- | --- | --- |
//! | `chat_completions` | `/v1/chat/completions` | `model`, `stream`, `max_completion_tokens` | `authorization: Bearer ..` |
//! | `anthropic` | `/v1/messages` | `model`, `stream`, `max_tokens` (required) | `x-api-key`, with `anthropic-version` |
//! | `responses` | `/v1/responses` | `model`, `stream`, `max_output_tokens` | `authorization: Bearer ..` |
//! | `gemini` | `/v1beta/models/{model}:generateContent` or `:streamGenerateContent?alt=sse` | `generationConfig` | `x-goog-api-key` |
//! | `gemini_interactions` | `/v1beta/interactions` | `model`, `stream` | `x-goog-api-key`, with `api-revision` |
//! | `bedrock` | `/model/{model}/converse` or `/converse-stream` | `inferenceConfig` | `authorization: Bearer ..`, or a signature |
//! | `ollama` | `/api/chat` | `model`, `stream` (`false` for a whole reply), `options` | none |
//!
//! # Tools of providers
//!
//! The settings of a wire add what its provider offers next to functions. A program that needs them creates the wire itself.
//!
//! - `hosted_tool` adds a tool that the provider runs: a web search, the execution of code, a remote MCP server. Its items go back as
//!   they came. If the provider asks for an approval, the run ends with [`NeedsApproval`](crate::session::RunEnd::NeedsApproval):
//!   the call is one of `approve_hosted_call`, with the name and the arguments of the provider's call. Only a person approves it: a
//!   hook can deny it, and any result but that of an approval is a denial. A tool that needs no person has its own setting at the
//!   provider.
//! - `client_tool` (`Anthropic`, `Responses`) sends a definition of the provider in place of that of a tool of the registry, which
//!   runs the calls: a shell, an editor, a computer.
//! - `definition_fields` adds fields to the definition of one tool.
//! - `cache` (`Anthropic`, `Bedrock`) sets the breakpoints of the prompt cache.
//! - `mid_conversation_changes` (`Anthropic`, `Responses`) writes what a conversation adds at its place.
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//! use tool_runtime::wire::{self, Wire};
//! use tool_runtime::{Conversation, Registry, tools};
//!
//! /// The time of day.
//! #[tool_runtime::tool]
//! fn now() -> &'static str {
//!     "12:00"
//! }
//!
//! let registry = Registry::new(tools![now])?;
//! let chat = Conversation::new().user("What time is it?");
//!
//! let wire: Arc<dyn Wire> = wire::by_name("chat_completions")?;
//! let body = chat.request(&registry).wire(Arc::clone(&wire)).body()?.with("model", "a-model");
//! assert_eq!(body.report().dropped.len(), 0);
//! let reply = wire.read_reply(r#"{"choices":[{"message":{"content":"Noon."},"finish_reason":"stop"}]}"#)?;
//! assert_eq!(reply.text(), "Noon.");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod allowed_tools;
mod anthropic;
mod bedrock;
mod body;
mod by_name;
mod cache;
mod cache_prefix;
mod call_rules;
mod chat_completions;
mod content_parts;
mod definitions;
mod detect;
mod element;
mod error;
mod error_kind;
mod event_data;
mod expected;
mod finish_reason;
mod gemini;
mod gemini_interactions;
mod ids;
mod images;
mod native_search;
#[cfg(any(feature = "gemini_interactions", feature = "responses"))]
mod newest_response;
mod ollama;
mod open_calls;
mod other_arguments;
mod partial_call;
mod partial_calls;
mod provider;
mod reasoning;
#[cfg(any(feature = "anthropic", feature = "bedrock"))]
mod rejected_keys;
mod report;
mod request_parts;
mod response_format;
mod responses;
#[cfg(any(feature = "anthropic", feature = "bedrock"))]
mod role_messages;
mod snapshots;
#[cfg(any(feature = "anthropic", feature = "responses"))]
mod tool_additions;
mod tool_arrays;
mod tool_settings;

pub(crate) use allowed_tools::AllowedTools;
#[cfg(feature = "anthropic")]
pub use anthropic::Anthropic;
#[cfg(feature = "bedrock")]
pub use bedrock::Bedrock;
pub use body::Body;
pub use by_name::{UnknownWireError, by_name};
pub use cache::Cache;
pub use cache_prefix::{PrefixChange, PrefixChangeKind};
pub use chat_completions::ChatCompletions;
pub(crate) use chat_completions::{
    add_fields, add_parts, read_parts, serialize_messages, text_part, text_with_notices, written_arguments,
    written_name,
};
#[cfg(feature = "testing")]
pub(crate) use definitions::broken_definition;
pub(crate) use definitions::convert_foreign;
pub use detect::detect;
pub use error::WireError;
pub use error_kind::ErrorKind;
#[cfg(feature = "gemini")]
pub use gemini::Gemini;
#[cfg(feature = "gemini_interactions")]
pub use gemini_interactions::GeminiInteractions;
#[cfg(feature = "ollama")]
pub use ollama::Ollama;
pub(crate) use partial_call::{PartialCall, Reported};
pub(crate) use partial_calls::{PartialCalls, WhichCall};
pub(crate) use provider::{Provider, has_written_keys, provider_or_chat_completions};
pub use report::{Changed, ChangedDefinition, Dropped, LeftOutTool, NotStrictTool, Report};
pub use request_parts::RequestParts;
pub use response_format::UseResponseFormat;
#[cfg(feature = "responses")]
pub use responses::Responses;
pub(crate) use tool_arrays::{ToolArrays, ToolCache};

use crate::json::replace_lone_surrogates;
use crate::message::{AssistantMessage, Chunk, Message};
use std::fmt;
use std::sync::Arc;

/// Writes requests and reads replies in the format of one provider's API.
///
/// It is object-safe: a program that selects its provider at run time holds an `Arc<dyn Wire>`. A
/// program can implement it by wrapping one of the wires of this module; it cannot define a new format.
///
/// ```
/// use tool_runtime::AssistantMessage;
/// use tool_runtime::message::{Chunk, Message};
/// use tool_runtime::wire::{Body, IdRules, RequestParts, Wire, WireError};
///
/// /// Adds the field that a gateway requires.
/// #[derive(Debug)]
/// struct Gateway<W>(W);
///
/// impl<W: Wire> Wire for Gateway<W> {
///     fn write(&self, parts: &RequestParts<'_>) -> Result<Body, WireError> {
///         Ok(self.0.write(parts)?.with("tenant", 7))
///     }
///     fn name(&self) -> &'static str {
///         self.0.name()
///     }
///     fn read_reply(&self, body: &str) -> Result<AssistantMessage, WireError> {
///         self.0.read_reply(body)
///     }
///     fn read_event(&self, data: &str) -> Chunk {
///         self.0.read_event(data)
///     }
///     fn read_messages(&self, body: &str) -> Result<Vec<Message>, WireError> {
///         self.0.read_messages(body)
///     }
///     fn read_error(&self, body: &str) -> Option<String> {
///         self.0.read_error(body)
///     }
///     fn writes_response_format(&self, parts: &RequestParts<'_>) -> bool {
///         self.0.writes_response_format(parts)
///     }
///     fn id_rules(&self) -> IdRules {
///         self.0.id_rules()
///     }
/// }
///
/// let wire = Gateway(tool_runtime::wire::ChatCompletions::new());
/// let body = wire.write(&RequestParts::new(&[Message::user("Hello!")]))?;
/// assert_eq!(body.get("tenant").map(|tenant| tenant.get()), Some("7"));
/// # Ok::<(), WireError>(())
/// ```
pub trait Wire: fmt::Debug + Send + Sync {
    /// The name of the wire, for [`by_name`] and for stored replies: for example `chat_completions`. A wire that wraps another
    /// one returns the name of that wire.
    fn name(&self) -> &'static str;

    /// Writes the fields of a request that come from messages and tools. The messages must be valid: see
    /// [`history::validate`](crate::history::validate).
    ///
    /// # Errors
    ///
    /// A part of the request cannot be written as JSON.
    fn write(&self, parts: &RequestParts<'_>) -> Result<Body, WireError>;

    /// Reads the body of a response.
    ///
    /// # Errors
    ///
    /// The body is an error of the server, or not a reply in the format of this wire.
    fn read_reply(&self, body: &str) -> Result<AssistantMessage, WireError>;

    /// Reads one event of a streamed reply: the text after `data:` of a server-sent event, or a line of a stream of `ollama`. An
    /// error of the server, or a text that is not an event, is a chunk that interrupts the reply.
    fn read_event(&self, data: &str) -> Chunk;

    /// Reads the messages of a request: the body of the request, or its list of messages.
    ///
    /// # Errors
    ///
    /// The body is not a request in the format of this wire.
    fn read_messages(&self, body: &str) -> Result<Vec<Message>, WireError>;

    /// Reads the message of a response with an error status; `None` if the body has none.
    /// [`read_reply`](Wire::read_reply) returns it too, as a [`WireError::Server`]. [`ErrorKind::from_response`] has its kind.
    ///
    /// Default: the message of the field `error`, or the field `message` or `detail`.
    fn read_error(&self, body: &str) -> Option<String> {
        error::read_error(&replace_lone_surrogates(body))
    }

    /// Whether [`write`](Wire::write) sends the [`answer_schema`](RequestParts::answer_schema) of these parts as the response
    /// format of the API, so that the server makes the model follow the schema. Otherwise, [`Request`] adds a tool for the
    /// answer. Default: `false`.
    ///
    /// [`Request`]: crate::conversation::Request
    fn writes_response_format(&self, parts: &RequestParts<'_>) -> bool {
        let _ = parts;
        false
    }

    /// The rules of the provider for the ids of calls. The wires of this crate replace an id that breaks a rule, in the call
    /// and in its result. `possible_violations` of the package `tool-runtime-repair` lists ids that are too long or repeated.
    /// Default: no rules.
    fn id_rules(&self) -> IdRules {
        IdRules::default()
    }
}

/// The rules of a provider for the ids of calls in a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IdRules {
    /// The minimum length of an id, in bytes. An id is never empty.
    pub min_bytes: usize,
    /// The maximum length of an id, in bytes.
    pub max_bytes: Option<usize>,
    /// The characters that an id may have in addition to ASCII letters and digits: for example `_-`. `None` for all.
    pub punctuation: Option<&'static str>,
    /// Whether some servers reject an id that an earlier reply has too.
    pub unique_across_replies: bool,
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<W: Wire + ?Sized> Wire for $pointer {
            fn name(&self) -> &'static str {
                (**self).name()
            }
            fn write(&self, parts: &RequestParts<'_>) -> Result<Body, WireError> {
                (**self).write(parts)
            }
            fn read_reply(&self, body: &str) -> Result<AssistantMessage, WireError> {
                (**self).read_reply(body)
            }
            fn read_event(&self, data: &str) -> Chunk {
                (**self).read_event(data)
            }
            fn read_messages(&self, body: &str) -> Result<Vec<Message>, WireError> {
                (**self).read_messages(body)
            }
            fn read_error(&self, body: &str) -> Option<String> {
                (**self).read_error(body)
            }
            fn writes_response_format(&self, parts: &RequestParts<'_>) -> bool {
                (**self).writes_response_format(parts)
            }
            fn id_rules(&self) -> IdRules {
                (**self).id_rules()
            }
        }
    )*};
}

forward!(&W, Box<W>, Arc<W>);
