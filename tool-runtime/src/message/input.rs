//! Messages of the user and of the program to the model.

use super::{Content, Extra};
use serde_json::Value;

/// A message of the user or of the program to the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputMessage {
    /// Text, or parts with images and files.
    pub content: Content,
    /// Other fields, such as `name`.
    pub(crate) extra: Extra,
}

impl InputMessage {
    /// A message of text, or of parts.
    #[must_use]
    pub fn new(content: impl Into<Content>) -> Self {
        InputMessage { content: content.into(), extra: Extra::default() }
    }

    /// The text; empty if there is none.
    #[must_use]
    pub fn text(&self) -> &str {
        self.content.as_str()
    }

    /// A further field of a message that was read, such as `name`.
    ///
    /// ```
    /// use tool_runtime::message::Message;
    ///
    /// let message: Message = serde_json::from_str(r#"{"role":"user","name":"Ada","content":"Hello!"}"#)?;
    /// let Message::User(message) = message else { unreachable!("the role is user") };
    /// assert_eq!(message.extra("name").and_then(|name| name.as_str()), Some("Ada"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn extra(&self, field: &str) -> Option<&Value> {
        self.extra.get(field)
    }
}
