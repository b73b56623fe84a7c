//! Replies: how an interaction is read.

use super::NAME;
use super::step::{ends_with_call, read_steps};
use crate::message::{AssistantMessage, Finish, Origin, TokenCounts, Usage};
use crate::wire::WireError;
use crate::wire::error::{beginning, server_error, server_message};
use crate::wire::expected::Expected;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

const REPLY: Expected = Expected::reply(NAME, "a reply of Gemini's Interactions API");

/// An interaction, which the events of a stream have without its steps.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Interaction<'a> {
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,
    pub(super) status: Option<String>,
    #[serde(borrow)]
    steps: Option<Vec<&'a RawValue>>,
    pub(super) usage: Value,
    pub(super) errors: Value,
    error: Value,
}

impl Interaction<'_> {
    /// The message of the error, if the interaction has failed with one.
    pub(super) fn failure(&self) -> Option<String> {
        let has_failed = self.status.as_deref() == Some("failed");
        server_message(&self.errors[0]).filter(|_| has_failed)
    }
}

/// Reads the body of a response.
pub(super) fn read(body: &str) -> Result<AssistantMessage, WireError> {
    let interaction: Interaction<'_> = REPLY.read(body)?;
    server_error(&interaction.error)?;
    if let Some(message) = interaction.failure() {
        return Err(WireError::Server { message });
    }
    if let Some(status @ ("in_progress" | "queued")) = interaction.status.as_deref() {
        return Err(
            REPLY.unexpected(format_args!("the interaction is `{status}`: retrieve it when it is complete"))
        );
    }
    let Some(steps) = &interaction.steps else {
        let body_start = beginning(body);
        let advice = "send the header `Api-Revision: 2026-05-20`";
        return Err(REPLY.wrong_body(body, format_args!("there are no `steps` in {body_start}: {advice}")));
    };
    let mut reply = read_steps(steps).map_err(|error| REPLY.unexpected(error))?;
    if let Some(status) = interaction.status {
        // Arguments are objects, so a truncated call looks complete.
        reply.finish(Finish::new(status), ends_with_call(steps));
    }
    let origin = Origin { model: interaction.model, response_id: interaction.id, ..Origin::new(NAME) };
    Ok(reply.received(origin, read_usage(&interaction.usage)))
}

/// The tokens of thoughts are not among those of the output, and those of the provider's own tools are not among those of the
/// input: <https://ai.google.dev/api/interactions-api#Resource:Usage>.
pub(super) fn read_usage(usage: &Value) -> Option<Usage> {
    let count = |name: &str| usage[name].as_u64();
    let reasoning = count("total_thought_tokens");
    let counts = TokenCounts {
        input: &[count("total_input_tokens"), count("total_tool_use_tokens")],
        cached: count("total_cached_tokens"),
        output: &[count("total_output_tokens"), reasoning],
        reasoning,
        ..TokenCounts::default()
    };
    counts.usage()
}
