//! Adding a reply moves the conversation, so that it cannot be sent while calls are pending.

use tool_runtime::conversation::Received;
use tool_runtime::{AssistantMessage, Conversation, Registry};

fn send(_: &Conversation) -> AssistantMessage {
    AssistantMessage::default()
}

fn main() {
    let chat = Conversation::new().user("Hello!");
    let reply = send(&chat);
    if let Received::ToolCalls(_pending) = chat.receive(reply) {
        send(&chat);
        let _ = chat.request(&Registry::builder().build().unwrap());
    }
}
