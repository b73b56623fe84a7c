//! Results of tool calls.

use super::process_data::ProcessData;
use super::{Content, Extra};
use crate::outcome::{CallError, Outcome};
use serde_json::Value;
use std::any::Any;
use std::borrow::Cow;

/// The result of one tool call: a message of role `tool`.
///
/// The [outcome](ToolMessage::outcome) and the [artifact](ToolMessage::artifact) of a dispatched call stay in the
/// process: no serialized form contains them, and they do not count when messages are compared.
///
/// ```
/// use tool_runtime::ToolMessage;
///
/// let message = ToolMessage::new("call_1", "sunny");
/// assert_eq!(serde_json::to_string(&message)?, r#"{"role":"tool","tool_call_id":"call_1","content":"sunny"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolMessage {
    /// The id of the call.
    pub tool_call_id: String,
    /// The content for the model. It starts with `Error: ` if a dispatched call failed.
    pub content: Content,
    /// The name of the tool; empty if it is not known.
    pub(crate) tool: Cow<'static, str>,
    /// The kind of the error, if the call failed.
    pub(crate) error_kind: Option<Cow<'static, str>>,
    /// Other fields of a message that was read.
    pub(crate) extra: Extra,
    pub(crate) process: ProcessData,
}

/// The kind of an error that a tool returned, and of an error message whose kind is not known.
pub(crate) const RETURNED: &str = "returned";

/// The prefix of the content of a failed call.
pub(crate) const ERROR: &str = "Error: ";

impl ToolMessage {
    /// A tool message with this content.
    #[must_use]
    pub fn new(tool_call_id: impl Into<String>, content: impl Into<Content>) -> Self {
        ToolMessage { tool_call_id: tool_call_id.into(), content: content.into(), ..ToolMessage::default() }
    }

    /// A tool message that a wire has read. `tool` is empty if it is not known.
    pub(crate) fn read(
        tool_call_id: impl Into<String>,
        tool: String,
        content: Content,
        is_error: bool,
        extra: Extra,
    ) -> Self {
        let error_kind = is_error.then_some(Cow::Borrowed(RETURNED));
        ToolMessage { tool: tool.into(), error_kind, extra, ..ToolMessage::new(tool_call_id, content) }
    }

    /// A tool message for a call that failed. The model reads `Error: ` and the reason.
    ///
    /// ```
    /// use tool_runtime::ToolMessage;
    ///
    /// let message = ToolMessage::error("call_1", "the printer is offline");
    /// assert_eq!(message.content, "Error: the printer is offline");
    /// assert!(message.is_error());
    /// ```
    #[must_use]
    pub fn error(tool_call_id: impl Into<String>, reason: impl AsRef<str>) -> Self {
        let content = [ERROR, reason.as_ref()].concat();
        ToolMessage { error_kind: Some(RETURNED.into()), ..ToolMessage::new(tool_call_id, content) }
    }

    /// Sets the name of the tool, which some providers require.
    #[must_use]
    pub fn with_tool(mut self, name: impl Into<String>) -> Self {
        self.tool = Cow::Owned(name.into());
        self
    }

    /// The message for a call that failed.
    pub(crate) fn failed(id: &str, tool: &str, error: CallError) -> Self {
        let mut message = ToolMessage::new(id, format!("{ERROR}{error}")).with_tool(tool);
        message.error_kind = Some(error.static_kind());
        message.process.outcome = Some(Outcome::from_error(error));
        message
    }

    /// The text for the model.
    #[must_use]
    pub fn text(&self) -> &str {
        self.content.as_str()
    }

    /// The name of the tool, if it is known.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        Some(&*self.tool).filter(|name| !name.is_empty())
    }

    /// Whether the call failed. The format of Chat Completions has no such field: a message that was read in it is an error
    /// if its text starts with `Error: `.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.error_kind.is_some()
    }

    /// Adds a note for the model, if there is one.
    pub(crate) fn add_note(&mut self, note: &str) {
        if !note.is_empty() {
            self.content = format!("{}{note}", self.text()).into();
        }
    }

    /// The kind of the error, if the call failed, such as `timeout`: [`CallError::kind`](crate::CallError::kind) lists all
    /// kinds. It is `returned` for a message from elsewhere.
    #[must_use]
    pub fn error_kind(&self) -> Option<&str> {
        self.error_kind.as_deref()
    }

    /// A further field of a message that was read.
    #[must_use]
    pub fn extra(&self, field: &str) -> Option<&Value> {
        self.extra.get(field)
    }

    /// How the call ended, for the program only: it is not part of any serialized form. `None` if the message does not
    /// come from a dispatch of this process.
    #[must_use]
    pub fn outcome(&self) -> Option<&Outcome> {
        self.process.outcome.as_ref()
    }

    /// The artifact that the tool returned to the program, if it is of this type: see [`ToolOutput`](crate::ToolOutput).
    /// It is not part of any serialized form.
    #[must_use]
    pub fn artifact<T: Any>(&self) -> Option<&T> {
        self.process.artifact.as_ref()?.downcast_ref()
    }
}
