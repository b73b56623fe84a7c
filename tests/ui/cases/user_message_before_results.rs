//! A user message can only be added to a `Conversation`, not to the outcome of a reply.

use tool_runtime::conversation::Received;
use tool_runtime::{AssistantMessage, Conversation};

fn main() {
    let turn = Conversation::new().user("Hello!").receive(AssistantMessage::default());
    let _ = turn.user("And now?");
    if let Received::ToolCalls(pending) = Conversation::new().receive(AssistantMessage::default()) {
        let _ = pending.into_conversation().user("And now?");
    }
}
