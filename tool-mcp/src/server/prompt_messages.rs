//! The messages of a prompt in the format of the protocol.

use super::result::block;
use rmcp::model::{ContentBlock, PromptMessage, Role};
use tool_runtime::message::{Content, Message};

/// The messages that a prompt function returns: a text, [`Message`]s, or the [`PromptMessage`]s of the protocol. Each of them has a
/// `From`. A text is a message of the user.
///
/// In the protocol, a message has one part, and its role is that of the user or the assistant: each part of a [`Message`] is a
/// message of its own, instructions are messages of the user, and tool calls and their results are left out.
///
/// ```
/// use tool_runtime::message::{Content, Message, Part};
/// use tool_runtime_mcp::PromptMessages;
///
/// let question = PromptMessages::from("Summarise the orders of today.");
/// let receipt = Content::from_parts([Part::text("Check this receipt:"), Part::image("image/png", b"png")]);
/// let messages = PromptMessages::from([Message::user(receipt), Message::assistant("I look for the sum first.")]);
/// ```
#[derive(Clone, Debug)]
pub struct PromptMessages(pub(super) Vec<PromptMessage>);

fn messages_of(message: &Message) -> Vec<PromptMessage> {
    let (role, content): (Role, &Content) = match message {
        Message::System(input) | Message::Developer(input) | Message::User(input) => {
            (Role::User, &input.content)
        }
        Message::Assistant(reply) => match &reply.content {
            Some(content) => (Role::Assistant, content),
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    match content.parts() {
        None => vec![PromptMessage::new(role, ContentBlock::text(content.as_str()))],
        Some(parts) => {
            parts.iter().filter_map(block).map(|block| PromptMessage::new(role.clone(), block)).collect()
        }
    }
}

impl From<&str> for PromptMessages {
    fn from(text: &str) -> Self {
        PromptMessages(vec![PromptMessage::new_text(Role::User, text)])
    }
}

impl From<String> for PromptMessages {
    fn from(text: String) -> Self {
        PromptMessages(vec![PromptMessage::new_text(Role::User, text)])
    }
}

impl From<Message> for PromptMessages {
    fn from(message: Message) -> Self {
        PromptMessages(messages_of(&message))
    }
}

impl From<Vec<Message>> for PromptMessages {
    fn from(messages: Vec<Message>) -> Self {
        PromptMessages(messages.iter().flat_map(messages_of).collect())
    }
}

impl<const N: usize> From<[Message; N]> for PromptMessages {
    fn from(messages: [Message; N]) -> Self {
        Vec::from(messages).into()
    }
}

impl From<Vec<PromptMessage>> for PromptMessages {
    fn from(messages: Vec<PromptMessage>) -> Self {
        PromptMessages(messages)
    }
}

impl<const N: usize> From<[PromptMessage; N]> for PromptMessages {
    fn from(messages: [PromptMessage; N]) -> Self {
        PromptMessages(messages.into())
    }
}
