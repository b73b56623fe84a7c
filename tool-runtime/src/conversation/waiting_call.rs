//! Calls that wait for a person or for a result.

use crate::outcome::Escaped;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A call that waits for an approval or for its result.
///
/// Its `Display` text is safe to print in a terminal: one line with the tool and the arguments, in which all control characters
/// and invisible characters are escaped.
///
/// ```
/// use tool_runtime::Session;
///
/// # fn ask(session: &Session) {
/// for call in session.awaiting_approval() {
///     println!("Run {call}?"); // Run delete {"path":"a.txt"}?
/// }
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WaitingCall {
    /// The id of the call.
    pub id: String,
    /// The name of the tool.
    pub tool: String,
    /// The arguments that the tool receives: the text of one JSON object.
    ///
    /// The model wrote this text, which may have control characters and marks of text direction. To show the call to a person in
    /// a terminal, print it: its `Display` text escapes them.
    pub arguments: String,
    /// The ticket of a result that comes later: see [`ToolOutput::pending`](crate::ToolOutput::pending).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticket: Option<String>,
    /// The reason why the arguments that a person has edited are invalid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether the call began in an earlier run that was interrupted, or was handed out, and its tool is not `read_only`. If it is
    /// denied or skipped, the model reads that it may have taken effect. An approval runs an interrupted call again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_have_taken_effect: bool,
    /// The id of the call whose tool makes this call: see [`CallContext::inner_call`](crate::CallContext::inner_call). `None` for a
    /// call of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outer_call: Option<String>,
}

impl fmt::Display for WaitingCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WaitingCall { tool, arguments, error, .. } = self;
        write!(f, "{} {}", Escaped(tool), Escaped(arguments))?;
        error.iter().try_for_each(|error| write!(f, " ({})", Escaped(error)))
    }
}
