//! Results of calls.

use super::{ToolFailure, ToolOutput};
use crate::json::to_text;
use crate::message::{Content, ERROR, Extra, Part, ProcessData, ToolMessage};
use crate::outcome::Outcome;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The result of a call: the [`ToolOutput`] of its tool, or the [`ToolFailure`] if there is none.
///
/// Middleware ([`around_call`](crate::RegistryBuilder::around_call)) receives and returns it, and
/// [`Registry::call`](crate::Registry::call) returns it. It serializes without loss, except for artifacts and sources of
/// errors, so that it can be recorded and replayed in another process:
///
/// ```
/// use tool_runtime::dispatch::ToolResult;
///
/// let failed = ToolResult::error("the printer is offline");
/// let recorded = serde_json::to_string(&failed)?;
/// assert_eq!(recorded, r#"{"error":{"kind":"returned","message":"the printer is offline"}}"#);
/// let replayed: ToolResult = serde_json::from_str(&recorded)?;
/// assert!(replayed.is_error());
/// assert_eq!(replayed.text(), "Error: the printer is offline");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
#[must_use = "it may be an error"]
pub struct ToolResult(pub(crate) CallResult);

/// The output of a call, or its failure.
pub(crate) type CallResult = Result<ToolOutput, ToolFailure>;

/// The serialized form, which has one of the fields.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a tool result: a map with `output` or `error`")]
struct Stored {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<ToolOutput>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<ToolFailure>,
}

impl From<ToolResult> for Stored {
    fn from(result: ToolResult) -> Self {
        match result.0 {
            Ok(output) => Stored { output: Some(output), error: None },
            Err(failure) => Stored { output: None, error: Some(failure) },
        }
    }
}

impl TryFrom<Stored> for ToolResult {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<Self, &'static str> {
        match stored {
            Stored { output: Some(output), error: None } => Ok(ToolResult(Ok(output))),
            Stored { output: None, error: Some(failure) } => Ok(failure.into()),
            _ => Err("a tool result is a map with either `output` or `error`"),
        }
    }
}

impl ToolResult {
    /// Creates a result with this output. It is a failure if the output has a value that could not be written as JSON.
    pub fn ok(output: impl Into<ToolOutput>) -> Self {
        match output.into().reject_unserializable() {
            Ok(output) => ToolResult(Ok(output)),
            Err(error) => ToolFailure::unserializable(&error).into(),
        }
    }

    /// Creates a failure with this message, which the model receives after `Error: `.
    pub fn error(message: impl Into<String>) -> Self {
        ToolFailure::new(message).into()
    }

    /// Whether the call has no output.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.failure().is_some()
    }

    /// The output; `None` for a failure.
    #[must_use]
    pub fn output(&self) -> Option<&ToolOutput> {
        self.0.as_ref().ok()
    }

    /// The failure; `None` if there is an output.
    #[must_use]
    pub fn failure(&self) -> Option<&ToolFailure> {
        self.0.as_ref().err()
    }

    /// The kind of the failure, such as `returned` or `timeout`: [`CallError::kind`](crate::CallError::kind) lists all
    /// kinds. `None` if there is an output.
    #[must_use]
    pub fn error_kind(&self) -> Option<&str> {
        self.failure().map(ToolFailure::kind)
    }

    /// The text that the model receives: that of the output, or `Error: ` and the message of the failure.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match &self.0 {
            Ok(output) => Cow::Borrowed(output.text()),
            Err(failure) => Cow::Owned(format!("{ERROR}{failure}")),
        }
    }

    /// The output, or the failure.
    ///
    /// # Errors
    ///
    /// Returns the failure of the call.
    pub fn into_result(self) -> Result<ToolOutput, ToolFailure> {
        self.0
    }

    /// The tool message of a call. The outcome gets the error.
    pub(crate) fn into_message(
        self,
        id: &str,
        tool: Cow<'static, str>,
        outcome: Option<Outcome>,
    ) -> ToolMessage {
        let (content, artifact, error_kind, outcome) = match self.0 {
            Ok(output) => {
                let (content, artifact) = output.into_parts();
                (content, artifact, None, outcome)
            }
            Err(failure) => {
                let error = Some(failure.to_error(&tool));
                let outcome = Outcome { error, ..outcome.unwrap_or_default() };
                let (kind, text) = failure.into_parts();
                ([ERROR, &text].concat().into(), None, Some(kind), Some(outcome))
            }
        };
        let process = ProcessData { outcome, artifact };
        let (tool_call_id, extra) = (id.to_owned(), Extra::default());
        ToolMessage { tool_call_id, content, tool, error_kind, extra, process }
    }

    /// Replaces each text that the model receives: the parts with text or JSON (as its text), or the message of the
    /// failure, without `Error: `. Images, files and the artifact stay. JSON stays JSON if the new text is valid.
    ///
    /// ```
    /// use tool_runtime::dispatch::ToolResult;
    ///
    /// let result = ToolResult::error("no access with the key s3cr3t").map_text(|text| text.replace("s3cr3t", "***"));
    /// assert_eq!(result.text(), "Error: no access with the key ***");
    /// ```
    pub fn map_text(self, mut map: impl FnMut(&str) -> String) -> Self {
        ToolResult(match self.0 {
            Ok(output) => {
                let content = map_content(output.content(), &mut map);
                Ok(output.with_content(content))
            }
            Err(failure) => {
                let message = map(failure.message());
                Err(failure.with_message(message))
            }
        })
    }
}

fn map_content(content: &Content, map: &mut impl FnMut(&str) -> String) -> Content {
    let is_json = |text: &str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    match content.parts() {
        None => {
            let text = map(content.as_str());
            if content.is_json() && is_json(&text) { Content::from_json_text(text) } else { text.into() }
        }
        Some(parts) => Content::from_parts(parts.iter().map(|part| match part {
            Part::Text { text } => Part::text(map(text)),
            Part::Json { json } => Part::from_json_text(map(&to_text(json))),
            other => other.clone(),
        })),
    }
}

impl<O: Into<ToolOutput>> From<O> for ToolResult {
    fn from(output: O) -> Self {
        ToolResult::ok(output)
    }
}

/// The result of a call that has finished, for example in another process.
impl From<ToolMessage> for ToolResult {
    fn from(message: ToolMessage) -> Self {
        match message.error_kind {
            None => ToolOutput::from(message.content).into(),
            Some(kind) => {
                let text = message.content.as_str();
                ToolFailure::new(text.strip_prefix(ERROR).unwrap_or(text)).with_kind(kind).into()
            }
        }
    }
}

impl From<ToolFailure> for ToolResult {
    fn from(failure: ToolFailure) -> Self {
        ToolResult(Err(failure))
    }
}

impl From<Result<ToolOutput, ToolFailure>> for ToolResult {
    fn from(result: Result<ToolOutput, ToolFailure>) -> Self {
        match result {
            Ok(output) => ToolResult::ok(output),
            Err(failure) => failure.into(),
        }
    }
}
