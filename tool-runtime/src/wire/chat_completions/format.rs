//! The wire of Chat Completions, which most servers accept.
//!
//! Reading accepts the variations that servers send; writing follows the API reference:
//! <https://platform.openai.com/docs/api-reference/chat/create>. The serde implementations of messages,
//! tool definitions and the tool choice are here.

mod call;
mod content;
mod event;
mod fields;
mod message;
mod reply;
mod request;
mod server_error;
mod tool;
mod write;

pub(crate) use call::{written_arguments, written_name};
pub(crate) use content::{read_parts, text_part};
pub(crate) use fields::{add_fields, add_parts};
pub(crate) use write::{serialize_messages, text_with_notices};

use super::{FORMAT, MAX_TOOLS, NAME};
use crate::json::replace_lone_surrogates;
use crate::message::{AssistantMessage, Chunk, Message};
use crate::wire::error::WireError;
use crate::wire::tool_settings::ToolSettings;
use crate::wire::{Body, IdRules, RequestParts, UseResponseFormat, Wire};
use serde_json::Value;
pub(in crate::wire) use tool::Definition as ToolDefinition;

// OpenAI: "string too long. Expected a string with maximum length 40". DeepSeek: "Duplicate value for 'tool_call_id'".
const RULES: IdRules =
    IdRules { min_bytes: 1, max_bytes: Some(40), punctuation: None, unique_across_replies: true };

/// The wire of Chat Completions (`POST /chat/completions`): OpenAI, Azure, DeepSeek, Mistral, Groq, xAI, OpenRouter, vLLM,
/// llama.cpp, Ollama and many others. It is the default, and serde of the message types is this format with the default
/// settings.
///
/// - Names of tools that servers reject are written with `_`, and arguments that are not an object as
///   `{"invalid_json": ".."}`.
/// - An id of more than 40 bytes, which OpenAI rejects, and one that occurs in an earlier reply, which DeepSeek rejects, is
///   replaced in the call and its result; so is any that Mistral rejects, with [`mistral_ids`](ChatCompletions::mistral_ids).
///   Serde of a single [`Message`] writes ids as they are.
/// - Definitions of tools have a form that OpenAI and servers with a grammar engine accept, and at most 128 are sent:
///   [`Report::changed_definitions`](crate::wire::Report::changed_definitions) and
///   [`Report::left_out_tools`](crate::wire::Report::left_out_tools) list the changes.
/// - Tool messages have text only. Images and files of results follow in one user message after the last result of a
///   reply, with a notice such as `[image: image/png]` in the result.
/// - Files with an address, and parts and items of other providers, are dropped and [reported](Body::report).
/// - If a response has several choices, the first is read.
///
/// ```
/// use tool_runtime::message::Message;
/// use tool_runtime::wire::{ChatCompletions, RequestParts, Wire};
///
/// let wire = ChatCompletions::new().keep_reasoning(true);
/// let reply = wire.read_reply(r#"{"choices":[{"message":{"content":"4","reasoning_content":"2 + 2"}}]}"#)?;
/// let messages = [Message::user("What is 2 + 2?"), reply.into()];
/// let body = wire.write(&RequestParts::new(&messages))?;
/// assert!(serde_json::to_string(&body)?.contains(r#""reasoning_content":"2 + 2""#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "these settings are independent")]
#[must_use = "it has the settings of a wire"]
pub struct ChatCompletions {
    keep_reasoning: bool,
    strict: bool,
    native_allowed_tools: bool,
    mistral_ids: bool,
    stream_usage: bool,
    max_tools: Option<usize>,
    tools: ToolSettings,
    response_format: UseResponseFormat,
}

impl Default for ChatCompletions {
    fn default() -> Self {
        ChatCompletions {
            keep_reasoning: false,
            strict: false,
            native_allowed_tools: false,
            mistral_ids: false,
            stream_usage: true,
            max_tools: Some(MAX_TOOLS),
            tools: ToolSettings::default(),
            response_format: UseResponseFormat::WithoutTools,
        }
    }
}

impl ChatCompletions {
    /// The wire with its default settings.
    pub fn new() -> Self {
        ChatCompletions::default()
    }

    /// Whether the reasoning of replies is sent back: `reasoning_content`, `reasoning`, `reasoning_details`, and
    /// Gemini's `extra_content` with thought signatures. A request contains only the reasoning that the same wire has
    /// read; other reasoning is dropped. Default: false.
    ///
    /// In thinking mode, DeepSeek and Kimi reject a request without the reasoning of a reply with calls
    /// (<https://api-docs.deepseek.com/guides/thinking_mode>); so does Gemini 3
    /// (<https://ai.google.dev/gemini-api/docs/thought-signatures>), and OpenRouter asks for it
    /// (<https://openrouter.ai/docs/use-cases/reasoning-tokens>). Gateways of models without reasoning reject it ("Extra
    /// inputs are not permitted").
    ///
    /// A reply that was read as a [`Message`] of a history keeps all its fields whatever this setting is, since a request
    /// contained them.
    pub fn keep_reasoning(mut self, keep: bool) -> Self {
        self.keep_reasoning = keep;
        self
    }

    /// Whether tools are sent with `strict: true`: the server makes the model follow the schema
    /// (<https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>). Default: false.
    ///
    /// Every property is required, and the model sends null for an absent argument. `read_reply` and
    /// `read_event` mark all calls that they read, so that a dispatch reads a null for an optional argument as absent.
    /// Limits that the server does not support are in the descriptions. A tool that cannot be strict, such as one that takes
    /// a map with any keys, is sent without `strict`, and [`Body::report`] lists it.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Whether the tools that the model may call are sent as OpenAI's `allowed_tools`, which keeps the list of tools
    /// constant for the prompt cache. Default: false, which sends only these tools, since other servers do not know
    /// `allowed_tools`.
    pub fn native_allowed_tools(mut self, native: bool) -> Self {
        self.native_allowed_tools = native;
        self
    }

    /// Whether ids that are not nine letters and digits are replaced: Mistral's servers accept no others
    /// (<https://github.com/mistralai/mistral-common>), so a conversation of another provider needs it there. Default:
    /// false.
    pub fn mistral_ids(mut self, mistral_ids: bool) -> Self {
        self.mistral_ids = mistral_ids;
        self
    }

    /// Whether a request for a stream may ask for the usage: `stream_options: {"include_usage": true}`
    /// (<https://platform.openai.com/docs/api-reference/chat/create#chat-create-stream_options>). Default: true. Switch it off
    /// for a server that rejects the field.
    pub fn stream_usage(mut self, stream_usage: bool) -> Self {
        self.stream_usage = stream_usage;
        self
    }

    /// The maximum number of tools in a request; the tools after it are left out, and [`Body::report`] lists them. Default:
    /// 128, since OpenAI, Groq and xAI reject a request with more. `None` for a server without such a limit, for example
    /// vLLM or llama.cpp.
    ///
    /// A model chooses better among few tools: see `RegistryBuilder::search`.
    pub fn max_tools(mut self, max_tools: impl Into<Option<usize>>) -> Self {
        self.max_tools = max_tools.into();
        self
    }

    /// Adds a tool that the provider runs itself, such as the search of a gateway: its definition in the form of the API
    /// (<https://openrouter.ai/docs/guides/features/server-tools>). Its calls and results are fields of replies, go
    /// back as they came, and are never [`ToolCall`](crate::ToolCall)s.
    ///
    /// A value that is not an object is an error of [`write`](Wire::write).
    pub fn hosted_tool(mut self, definition: Value) -> Self {
        self.tools.add_hosted(definition);
        self
    }

    /// Adds fields of the API to the definition of a tool: for example `cache_control` of a gateway, or an
    /// object `function` with fields for that of the definition. They replace fields of the same names. A name that
    /// no tool has is in [`Report::unknown_tools`](crate::wire::Report::unknown_tools).
    ///
    /// A value that is not an object is an error of [`write`](Wire::write).
    pub fn definition_fields(mut self, tool: impl Into<String>, fields: Value) -> Self {
        self.tools.add_fields(tool.into(), fields);
        self
    }

    /// Sets the requests in which a typed answer ([`Run::answer_as`](crate::session::Run::answer_as)) uses the response format
    /// of the API, `response_format` with a JSON Schema (<https://platform.openai.com/docs/guides/structured-outputs>).
    /// Default:
    /// [`WithoutTools`](UseResponseFormat::WithoutTools).
    ///
    /// OpenAI accepts a response format together with tools: set [`Always`](UseResponseFormat::Always). Groq rejects such a
    /// request, and a model on vLLM calls no tool (<https://github.com/vllm-project/vllm/issues/39929>). Servers that accept no
    /// JSON Schema, such as DeepSeek's, need [`Never`](UseResponseFormat::Never).
    pub fn response_format(mut self, response_format: UseResponseFormat) -> Self {
        self.response_format = response_format;
        self
    }
}

impl Wire for ChatCompletions {
    fn name(&self) -> &'static str {
        NAME
    }

    fn write(&self, parts: &RequestParts<'_>) -> Result<Body, WireError> {
        request::write(self, parts)
    }

    fn read_reply(&self, body: &str) -> Result<AssistantMessage, WireError> {
        let reply = reply::read(&replace_lone_surrogates(body))?;
        Ok(reply.with_null_is_absent(self.strict))
    }

    fn read_event(&self, data: &str) -> Chunk {
        event::read(data).with_null_is_absent(self.strict)
    }

    fn read_messages(&self, body: &str) -> Result<Vec<Message>, WireError> {
        request::read_messages(&replace_lone_surrogates(body))
    }

    fn writes_response_format(&self, parts: &RequestParts<'_>) -> bool {
        self.response_format.applies_to(parts)
    }

    fn id_rules(&self) -> IdRules {
        if self.mistral_ids {
            IdRules { min_bytes: 9, max_bytes: Some(9), punctuation: Some(""), ..RULES }
        } else {
            RULES
        }
    }
}
