//! Replies: how a response is read.

use super::item::{may_end_in_text, read_items};
use super::{NAME, Responses};
use crate::message::{AssistantMessage, Finish, Origin, TokenCounts, Usage};
use crate::wire::WireError;
use crate::wire::error::{beginning, server_error};
use crate::wire::expected::Expected;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

pub(super) const REPLY: Expected = Expected::reply(NAME, "a reply of the Responses API");

/// The fields of a response that a reply has.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Response<'a> {
    pub(super) id: Value,
    pub(super) model: Value,
    pub(super) status: Value,
    incomplete_details: Value,
    #[serde(borrow)]
    pub(super) output: Option<Vec<&'a RawValue>>,
    pub(super) error: Value,
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
pub(super) fn read(body: &str, wire: &Responses) -> Result<AssistantMessage, WireError> {
    let response: Response<'_> = REPLY.read(body)?;
    server_error(&response.error)?;
    let Some(output) = &response.output else {
        return Err(REPLY.wrong_body(body, format_args!("there is no `output` in {}", beginning(body))));
    };
    if let Some(status @ ("queued" | "in_progress")) = response.status.as_str() {
        return Err(
            REPLY.unexpected(format_args!("the response is `{status}`: retrieve it when it is complete"))
        );
    }
    let mut reply = read_items(output, wire)?;
    if let Some(reason) = response.finish_reason() {
        reply.finish(Finish::new(reason), may_end_in_text(output));
    }
    Ok(reply.received(response.origin(), read_usage(&response.usage)))
}

pub(super) fn read_usage(usage: &Value) -> Option<Usage> {
    let input = &usage["input_tokens_details"];
    let counts = TokenCounts {
        input: &[usage["input_tokens"].as_u64()],
        cached: input["cached_tokens"].as_u64(),
        cache_write: input["cache_write_tokens"].as_u64(),
        output: &[usage["output_tokens"].as_u64()],
        reasoning: usage["output_tokens_details"]["reasoning_tokens"].as_u64(),
    };
    counts.usage()
}
