//! Replies: how a response is read.

use super::NAME;
use super::custom_tool::CustomTools;
use super::item::{may_end_in_text, read_items};
use crate::message::{AssistantMessage, Origin, Usage};
use crate::wire::error::beginning;
use crate::wire::{WireError, other_wires};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

const EXPECTED: &str = "a reply of the Responses API";

/// The fields of a response that a reply has.
#[derive(Deserialize)]
pub(super) struct Response<'a> {
    #[serde(default)]
    pub(super) id: Value,
    #[serde(default)]
    pub(super) model: Value,
    #[serde(default)]
    pub(super) status: Value,
    #[serde(default)]
    incomplete_details: Value,
    #[serde(default, borrow)]
    pub(super) output: Option<Vec<&'a RawValue>>,
    #[serde(default)]
    pub(super) error: Value,
    #[serde(default)]
    pub(super) usage: Value,
}

impl Response<'_> {
    pub(super) fn origin(&self) -> Origin {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Origin { model: text(&self.model), response_id: text(&self.id), ..Origin::new(NAME) }
    }

    /// The reason for the end of the response; `None` if it is not known.
    pub(super) fn finish_reason(&self) -> Option<String> {
        let reason = self.incomplete_details["reason"].as_str().filter(|_| self.status == "incomplete");
        reason.or_else(|| self.status.as_str()).map(str::to_owned)
    }
}

/// Reads the body of a response.
pub(super) fn read(body: &str, custom_tools: &CustomTools) -> Result<AssistantMessage, WireError> {
    let response: Response<'_> = serde_json::from_str(body).map_err(|error| {
        if error.is_data() { unexpected(error.to_string()) } else { WireError::not_json(body, error) }
    })?;
    if let Some(message) = error_message(&response.error) {
        return Err(WireError::Server { message });
    }
    let Some(output) = &response.output else {
        let value: Value = serde_json::from_str(body).unwrap_or_default();
        return Err(match other_wires::wire_of_response(&value) {
            Some(wire) => other_wires::error(wire),
            None => unexpected(format!("there is no `output` in {}", beginning(body))),
        });
    };
    if let Some(status @ ("queued" | "in_progress")) = response.status.as_str() {
        return Err(unexpected(format!("the response is `{status}`: retrieve it when it is complete")));
    }
    let mut reply = read_items(output, custom_tools)?;
    if let Some(reason) = response.finish_reason() {
        reply = reply.with_finish_reason(reason);
    }
    if let (true, Some(last)) = (reply.is_truncated() && may_end_in_text(output), reply.tool_calls.last_mut())
    {
        last.is_truncated = true;
    }
    reply.origin = Some(response.origin());
    reply.usage = read_usage(&response.usage);
    reply.make_ids_usable();
    Ok(reply)
}

pub(super) fn unexpected(problem: String) -> WireError {
    WireError::Unexpected { expected: EXPECTED, problem }
}

pub(super) fn read_usage(usage: &Value) -> Option<Usage> {
    let output = usage["output_tokens"].as_u64();
    let input = usage["input_tokens"].as_u64();
    output.or(input)?;
    Some(Usage {
        input_tokens: input.unwrap_or_default(),
        cached_input_tokens: usage["input_tokens_details"]["cached_tokens"].as_u64().unwrap_or_default(),
        output_tokens: output.unwrap_or_default(),
    })
}

/// The message of an error response.
pub(super) fn read_error(body: &str) -> Option<String> {
    error_message(&serde_json::from_str::<Value>(body).ok()?["error"])
}

pub(super) fn error_message(error: &Value) -> Option<String> {
    match error {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Object(_) => Some(error["message"].as_str().map_or_else(|| error.to_string(), str::to_owned)),
        _ => None,
    }
}
