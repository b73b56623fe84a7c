//! A session as the page shows it.

use serde_json::{Value, json};
use tool_runtime::message::{Message, ToolMessage};
use tool_runtime::{AssistantMessage, Session, ToolCall};

/// The messages, the waiting calls, and the state: `running`, `waiting` for the user, `interrupted`, or `idle`.
pub(crate) fn session_view(session: &Session, is_running: bool) -> Value {
    let results: Vec<&ToolMessage> = session.messages().iter().filter_map(result).collect();
    let result_of = |call: &ToolCall| match session.pending().and_then(|pending| pending.result_of(&call.id))
    {
        None => results.iter().copied().find(|result| result.tool_call_id == call.id),
        found => found,
    };
    let mut messages: Vec<Value> = session
        .messages()
        .iter()
        .filter_map(|message| match message {
            Message::User(_) => Some(json!({ "role": "user", "text": message.text() })),
            Message::Assistant(reply) => Some(shown(reply, result_of)),
            _ => None,
        })
        .collect();
    messages.extend(session.pending().map(|pending| shown(pending.reply(), result_of)));
    let state = if is_running {
        "running"
    } else if !session.awaiting_approval().is_empty() {
        "waiting"
    } else if is_interrupted(session) {
        "interrupted"
    } else {
        "idle"
    };
    json!({ "state": state, "messages": messages, "waiting": session.awaiting_approval() })
}

/// Whether the last run has ended before the model has answered, so that another run continues it.
pub(crate) fn is_interrupted(session: &Session) -> bool {
    match session.pending() {
        Some(_) => session.awaiting_approval().is_empty(),
        None => matches!(session.messages().last(), Some(Message::User(_) | Message::Tool(_))),
    }
}

fn result(message: &Message) -> Option<&ToolMessage> {
    match message {
        Message::Tool(result) => Some(result),
        _ => None,
    }
}

fn shown<'a>(reply: &AssistantMessage, result_of: impl Fn(&ToolCall) -> Option<&'a ToolMessage>) -> Value {
    let calls = reply.tool_calls.iter().map(|call| {
        let result = result_of(call);
        json!({
            "id": call.id, "tool": call.name, "arguments": call.arguments,
            "result": result.map(ToolMessage::text), "is_error": result.is_some_and(ToolMessage::is_error),
        })
    });
    json!({ "role": "assistant", "text": reply.text(), "calls": calls.collect::<Vec<_>>() })
}
