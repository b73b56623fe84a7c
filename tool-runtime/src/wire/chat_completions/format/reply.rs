//! Replies: a message, the choice around it, or the response around both; or an error instead of them.

use super::NAME;
use super::message::ReadMessage;
use crate::message::{AssistantMessage, Origin, TokenCounts, Usage};
use crate::wire::error::{beginning, read_error, response_error, server_message};
use crate::wire::expected::Expected;
use crate::wire::{WireError, anthropic, detect};
use serde::de::{Error as _, value};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

const REPLY: Expected = Expected::reply(NAME, "a reply of Chat Completions");

/// One of the `choices` of a response.
#[derive(Deserialize)]
#[serde(expecting = "a choice")]
struct Choice {
    message: ReadMessage,
    /// `done_reason` is its name in Ollama's own API.
    #[serde(default, alias = "done_reason")]
    finish_reason: Option<String>,
}

/// Reads the body of a response.
pub(super) fn read(body: &str) -> Result<AssistantMessage, WireError> {
    match serde_json::from_str::<ReadMessage>(body) {
        Ok(read) => from_read(read),
        Err(error) if error.is_data() => Err(match read_error(body) {
            Some(message) => WireError::Server { message },
            None => REPLY.wrong_body(body, error),
        }),
        Err(error) => Err(WireError::not_json(body, error)),
    }
}

impl<'de> Deserialize<'de> for AssistantMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_read(ReadMessage::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

fn from_read(read: ReadMessage) -> Result<AssistantMessage, WireError> {
    if let Some(wire) = detect::wire_of_fields(&read.other) {
        return Err(WireError::OtherWire { wire });
    }
    if read.other.get("type").is_some_and(|kind| kind == "message") {
        return Err(WireError::OtherWire { wire: anthropic::NAME });
    }
    let (choice, origin, usage) = if read.is_no_message() {
        read_response(read.other)?
    } else {
        let error = read.other.get("error").filter(|_| read.is_silent());
        if let Some(message) = error.and_then(server_message) {
            return Err(WireError::Server { message });
        }
        (Choice { message: read, finish_reason: None }, Origin::new(NAME), None)
    };
    let message = choice.message.checked_as::<value::Error>("assistant");
    let mut reply = AssistantMessage::from(message.map_err(|error| REPLY.unexpected(error))?);
    if let Some(reason) = choice.finish_reason {
        reply = reply.with_finish_reason(reason);
    }
    (reply.origin, reply.usage) = (Some(origin), usage);
    reply.make_ids_usable();
    Ok(reply)
}

/// The first choice of a response, or the choice that these fields are.
fn read_response(response: Map<String, Value>) -> Result<(Choice, Origin, Option<Usage>), WireError> {
    let text_of = |field| response.get(field).and_then(Value::as_str).map(str::to_owned);
    let origin = Origin { model: text_of("model"), response_id: text_of("id"), ..Origin::new(NAME) };
    let usage = read_usage(response.get("usage").unwrap_or(&Value::Null)).or_else(|| ollama_usage(&response));
    let mut choice = Value::Object(response);
    if response_error(&choice).is_none() {
        if let Some(first) = choice.pointer_mut("/choices/0") {
            choice = first.take();
        }
    }
    if let Some(message) = response_error(&choice) {
        return Err(WireError::Server { message });
    }
    if choice["message"].is_object() {
        let choice = serde_json::from_value(choice).map_err(|error| REPLY.unexpected(error))?;
        return Ok((choice, origin, usage));
    }
    let text = choice.to_string();
    Err(REPLY.unexpected(format_args!(
        "this is neither a message nor a response with `choices`: {}",
        beginning(&text)
    )))
}

/// The `usage` of a response or of the last chunk of a stream.
pub(super) fn read_usage(usage: &Value) -> Option<Usage> {
    let input = &usage["prompt_tokens_details"];
    let counts = TokenCounts {
        input: &[usage["prompt_tokens"].as_u64()],
        // DeepSeek has another name.
        cached: input["cached_tokens"].as_u64().or_else(|| usage["prompt_cache_hit_tokens"].as_u64()),
        // OpenRouter: https://openrouter.ai/docs/guides/best-practices/prompt-caching
        cache_write: input["cache_write_tokens"].as_u64(),
        output: &[usage["completion_tokens"].as_u64()],
        reasoning: usage["completion_tokens_details"]["reasoning_tokens"].as_u64(),
    };
    counts.usage()
}

/// Ollama's own API has no `usage`.
fn ollama_usage(response: &Map<String, Value>) -> Option<Usage> {
    let input = response.get("prompt_eval_count")?.as_u64()?;
    let output = response.get("eval_count").and_then(Value::as_u64);
    TokenCounts { input: &[Some(input)], output: &[output], ..TokenCounts::default() }.usage()
}
