//! A user message cannot be added while calls are pending.

use tool_runtime::conversation::Received;
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, Conversation};

fn main() {
    let chat = Conversation::new().user("Hello!");
    if let Received::ToolCalls(pending) = chat.receive(AssistantMessage::default()) {
        let _ = pending.user("Are you there?");
    }
    let mut chat = Conversation::new();
    chat.messages.push(Message::user("Are you there?"));
    chat.messages().push(Message::user("Are you there?"));
}
