//! `PendingCalls` cannot be used as a `Conversation`.

use tool_runtime::conversation::{PendingCalls, Received};
use tool_runtime::{AssistantMessage, Conversation, Registry};

fn send(_: &Conversation) -> AssistantMessage {
    AssistantMessage::default()
}

fn main() {
    let mut chat = Conversation::new().user("Hello!");
    if let Received::ToolCalls(pending) = chat.receive(AssistantMessage::default()) {
        send(&pending);
        let _ = pending.request(&Registry::builder().build().unwrap());
        let _ = pending.messages();
        chat = pending;
    }
}

fn from(pending: PendingCalls) -> Conversation {
    pending.into()
}
