//! Calls that wait for a person or for a result.

use serde::{Deserialize, Serialize};

/// A call that waits for an approval or for its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WaitingCall {
    /// The id of the call.
    pub id: String,
    /// The name of the tool.
    pub tool: String,
    /// The arguments that the tool receives: the text of one JSON object.
    ///
    /// The model wrote this text. Escape control characters and marks of text direction before you show it to a person.
    pub arguments: String,
    /// The ticket of a result that comes later: see [`ToolOutput::pending`](crate::ToolOutput::pending).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticket: Option<String>,
    /// The reason why the arguments that a person has edited are invalid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether the call began in an earlier run that was interrupted, and its tool is not `read_only`. An approval runs it
    /// again. If it is denied or skipped, the model reads that it may have taken effect.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_have_taken_effect: bool,
}
