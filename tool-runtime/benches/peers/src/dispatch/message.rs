//! The tool message, for libraries that leave it to their users.

use serde::Serialize;
use std::borrow::Cow;

/// <https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages>
#[derive(Serialize)]
pub(super) struct Message<'a> {
    role: &'static str,
    tool_call_id: &'a str,
    content: Cow<'a, str>,
}

impl<'a> Message<'a> {
    pub(super) fn new(tool_call_id: &'a str, content: impl Into<Cow<'a, str>>) -> Self {
        Message { role: "tool", tool_call_id, content: content.into() }
    }
}
