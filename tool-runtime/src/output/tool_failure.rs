//! Failures of calls.

use crate::message::RETURNED;
use crate::outcome::CallError;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// The reason why a call has no output: the message for the model, and the kind of the error.
///
/// It serializes as its kind and its message, so that it can be recorded and replayed. A failure of this process also has
/// the [`CallError`].
///
/// ```
/// use tool_runtime::dispatch::ToolFailure;
///
/// let failure = ToolFailure::new("the printer is offline");
/// assert_eq!(failure.kind(), "returned");
/// assert_eq!(failure.to_string(), "the printer is offline");
/// ```
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolFailure(Box<Data>);

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    kind: Cow<'static, str>,
    message: String,
    #[serde(skip)]
    error: Option<Arc<CallError>>,
}

impl ToolFailure {
    /// Creates a failure of the kind `returned`, with this message for the model.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        ToolFailure(Box::new(Data { kind: RETURNED.into(), message: message.into(), error: None }))
    }

    /// Sets the kind, so that other middleware and metrics can recognize the failure.
    ///
    /// ```
    /// use tool_runtime::dispatch::{ToolFailure, ToolResult};
    ///
    /// let rejected: ToolResult = ToolFailure::new("the service is down").with_kind("circuit_open").into();
    /// assert_eq!(rejected.error_kind(), Some("circuit_open"));
    /// ```
    #[must_use]
    pub fn with_kind(mut self, kind: impl Into<Cow<'static, str>>) -> Self {
        self.0.kind = kind.into();
        self.0.error = None;
        self
    }

    /// The failure of a call that began and was interrupted, and that must not run again: it may have taken effect. Programs that
    /// run calls in several processes use it for a call whose process has ended.
    ///
    /// ```
    /// use tool_runtime::dispatch::ToolFailure;
    ///
    /// let failure = ToolFailure::interrupted("charge");
    /// assert_eq!(failure.kind(), "interrupted");
    /// assert_eq!(failure.message(), "`charge` was interrupted. It may have taken effect: check whether it did.");
    /// ```
    #[must_use]
    pub fn interrupted(tool: impl Into<String>) -> Self {
        CallError::Interrupted { tool: tool.into(), reason: String::new() }.into()
    }

    pub(super) fn unserializable(error: &serde_json::Error) -> Self {
        let message = format!("the result cannot be written as JSON: {error}.");
        ToolFailure(Box::new(Data { kind: "unserializable".into(), message, error: None }))
    }

    /// The kind of the error, as in [`CallError::kind`].
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.0.kind
    }

    /// The message for the model, without `Error: `.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The error of the call; `None` if the failure was recorded, or if middleware created it.
    #[must_use]
    pub fn error(&self) -> Option<&CallError> {
        self.0.error.as_deref()
    }

    pub(crate) fn set_message(&mut self, message: String) {
        self.0.message = message;
    }

    pub(crate) fn with_message(mut self, message: String) -> Self {
        self.set_message(message);
        self
    }

    /// The error, which is created if there is none.
    pub(crate) fn to_error(&self, tool: &str) -> Arc<CallError> {
        let Data { kind, message, error } = &*self.0;
        error.clone().unwrap_or_else(|| {
            let (tool, message) = (tool.to_owned(), message.clone());
            Arc::new(if kind == RETURNED {
                CallError::Returned { tool, message, is_for_model: true, error: None }
            } else {
                CallError::Recorded { tool, kind: kind.to_string(), message }
            })
        })
    }

    /// The failure with the message of its error, if it has no message.
    pub(crate) fn or_message_of_error(self, tool: &str) -> Self {
        if !self.0.message.is_empty() {
            return self;
        }
        let message = self.to_error(tool).to_string();
        self.with_message(message)
    }

    /// The kind, and the message for the model.
    pub(crate) fn into_parts(self) -> (Cow<'static, str>, String) {
        (self.0.kind, self.0.message)
    }
}

impl From<CallError> for ToolFailure {
    #[cold]
    fn from(error: CallError) -> Self {
        let (kind, message) = (error.static_kind(), error.to_string());
        ToolFailure(Box::new(Data { kind, message, error: Some(Arc::new(error)) }))
    }
}

impl From<Box<CallError>> for ToolFailure {
    #[cold]
    fn from(error: Box<CallError>) -> Self {
        (*error).into()
    }
}

impl fmt::Display for ToolFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for ToolFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Data { kind, message, error } = &*self.0;
        f.debug_struct("ToolFailure")
            .field("kind", kind)
            .field("message", message)
            .field("error", error)
            .finish()
    }
}

impl Error for ToolFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // The message is the text of the error.
        self.0.error.as_deref().and_then(Error::source)
    }
}
