//! Replies: how a response is read.

use super::NAME;
use super::item::ItemHead;
use super::part::field;
use crate::message::{
    AssistantMessage, Completeness, Extra, Finish, ItemContent, Origin, ReadItem, TokenCounts, Usage,
    is_object,
};
use crate::wire::WireError;
use crate::wire::error::{beginning, read_error};
use crate::wire::expected::{Expected, is_list};
use crate::wire::finish_reason::{completeness, is_no_reason};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::fmt::Display;

const REPLY: Expected = Expected::reply(NAME, "a reply of the Gemini API");
const FINISH_MESSAGE: &str = "finishMessage";

/// A response, or an event of a stream.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Response<'a> {
    #[serde(borrow)]
    pub(super) candidates: Option<Vec<Candidate<'a>>>,
    #[serde(alias = "prompt_feedback")]
    pub(super) prompt_feedback: Value,
    #[serde(alias = "usage_metadata")]
    pub(super) usage_metadata: Value,
    #[serde(alias = "model_version")]
    pub(super) model_version: Option<String>,
    #[serde(rename = "responseId", alias = "response_id")]
    pub(super) id: Option<String>,
    pub(super) error: Value,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Candidate<'a> {
    pub(super) index: Option<i64>,
    #[serde(borrow)]
    content: Option<Content<'a>>,
    #[serde(alias = "finish_reason")]
    finish_reason: Value,
    #[serde(alias = "finish_message")]
    finish_message: Value,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(default, borrow)]
    parts: Option<Vec<&'a RawValue>>,
}

impl<'a> Candidate<'a> {
    pub(super) fn parts(&self) -> &[&'a RawValue] {
        self.content.as_ref().and_then(|content| content.parts.as_deref()).unwrap_or_default()
    }

    /// How the reply ended, if it did.
    pub(super) fn finish(&self, has_calls: bool) -> Option<Finish> {
        let reason = match &self.finish_reason {
            Value::String(reason) => reason.clone(),
            // The values of the enumeration, as some SDKs store them.
            Value::Number(number) if number.as_u64() == Some(0) => return None,
            Value::Number(number) if number.as_u64() == Some(1) => "STOP".to_owned(),
            Value::Number(number) if number.as_u64() == Some(2) => "MAX_TOKENS".to_owned(),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        if is_no_reason(&reason) || reason == "FINISH_REASON_UNSPECIFIED" {
            return None;
        }
        let is_unexpected_call = reason == "UNEXPECTED_TOOL_CALL";
        // A call of an undeclared tool is complete: its result is an error, and the model continues.
        let completeness =
            if is_unexpected_call && has_calls { Completeness::Complete } else { completeness(&reason) };
        Some(Finish { reason, completeness })
    }

    /// The further fields of a reply.
    pub(super) fn extra(&mut self) -> Map<String, Value> {
        let message = self.finish_message.take();
        message.is_string().then(|| (FINISH_MESSAGE.to_owned(), message)).into_iter().collect()
    }
}

/// Reads the body of a response.
pub(super) fn read(body: &str) -> Result<AssistantMessage, WireError> {
    if let Some(message) = read_error(body) {
        return Err(WireError::Server { message });
    }
    let response: Response<'_> = match serde_json::from_str(body) {
        Err(error) if error.is_data() => return Err(not_a_reply(body, error)),
        response => response.map_err(|error| WireError::not_json(body, error))?,
    };
    let candidate = response.candidates.and_then(|candidates| candidates.into_iter().next());
    let reply = match (candidate, blocked(&response.prompt_feedback)) {
        (Some(candidate), _) => read_candidate(candidate).map_err(|error| REPLY.unexpected(error))?,
        (None, Some((reason, refusal))) => AssistantMessage {
            refusal: Some(refusal),
            finish_reason: Some(reason),
            completeness: Completeness::Truncated,
            ..AssistantMessage::default()
        },
        (None, None) => {
            return Err(not_a_reply(body, format_args!("there are no `candidates` in {}", beginning(body))));
        }
    };
    let origin = Origin { model: response.model_version, response_id: response.id, ..Origin::new(NAME) };
    Ok(reply.received(origin, read_usage(&response.usage_metadata)))
}

fn not_a_reply(body: &str, problem: impl Display) -> WireError {
    if is_list(body) {
        return REPLY.wrong_body(body, "an array: request a stream with `alt=sse`, and read its events");
    }
    REPLY.wrong_body(body, problem)
}

fn read_candidate(mut candidate: Candidate<'_>) -> serde_json::Result<AssistantMessage> {
    let mut reply = read_parts(candidate.parts())?;
    if let Some(finish) = candidate.finish(!reply.tool_calls.is_empty()) {
        reply.finish(finish, ends_with_call(candidate.parts()));
    }
    reply.extra = Extra::new(NAME, candidate.extra());
    Ok(reply)
}

/// Whether a call is the last part that is not an empty text. Replies may end with one, which has the signature:
/// <https://ai.google.dev/gemini-api/docs/thought-signatures>.
fn ends_with_call(parts: &[&RawValue]) -> bool {
    let json = parts.iter().rev().map(|raw| raw.get());
    let mut heads = json.filter_map(|json| Some((serde_json::from_str::<ItemHead<'_>>(json).ok()?, json)));
    heads.find(|(head, json)| !head.has_empty_text(json)).is_some_and(|(head, _)| head.is_call())
}

/// The reply with these parts as its items. Calls without an id have an empty one.
pub(super) fn read_parts(parts: &[&RawValue]) -> serde_json::Result<AssistantMessage> {
    let mut items = Vec::with_capacity(parts.len());
    for raw in parts {
        let head: ItemHead<'_> = serde_json::from_str(raw.get())?;
        items.extend(head.into_content(raw.get())?.map(|content| read_item(raw, content)));
    }
    let mut reply = AssistantMessage::from_items(items);
    reply.content = reply.content.filter(|content| !content.is_empty());
    Ok(reply)
}

/// The item of a part with this content. The API rejects a part that goes back if its arguments are not an object.
pub(super) fn read_item(raw: &RawValue, content: ItemContent) -> ReadItem {
    let is_valid = !matches!(&content, ItemContent::Call(call) if !is_object(&call.arguments));
    ReadItem { json: raw.get().to_owned(), content, is_valid }
}

/// The reason why a request was blocked, and a text that names it. The reply has no candidates then.
pub(super) fn blocked(feedback: &Value) -> Option<(String, String)> {
    let reason = match field(feedback, "blockReason") {
        Value::String(reason) => reason.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let refusal = match field(feedback, "blockReasonMessage").as_str() {
        Some(message) => format!("the request was blocked: {reason}: {message}"),
        None => format!("the request was blocked: {reason}"),
    };
    Some((reason, refusal))
}

/// <https://ai.google.dev/api/generate-content#UsageMetadata>: the tokens of thoughts are not among those of the
/// candidates, and those of the results of the provider's own tools are not among those of the prompt.
pub(super) fn read_usage(usage: &Value) -> Option<Usage> {
    let count = |name: &str| field(usage, name).as_u64();
    let reasoning = count("thoughtsTokenCount");
    let counts = TokenCounts {
        input: &[count("promptTokenCount"), count("toolUsePromptTokenCount")],
        cached: count("cachedContentTokenCount"),
        output: &[count("candidatesTokenCount"), reasoning],
        reasoning,
        ..TokenCounts::default()
    };
    counts.usage()
}
