//! A session as the page shows it.

use serde_json::{Value, json};
use tool_runtime::message::{Message, ToolMessage};
use tool_runtime::{AssistantMessage, Session};

/// The messages, the waiting calls, and the state: `running`, `waiting` for the user, `interrupted`, or `idle`.
pub(crate) fn session_view(session: &Session, is_running: bool) -> Value {
    let mut messages: Vec<Value> = session
        .messages()
        .iter()
        .filter_map(|message| match message {
            Message::User(_) => Some(json!({ "role": "user", "text": message.text() })),
            Message::Assistant(reply) => Some(shown(session, reply)),
            _ => None,
        })
        .collect();
    messages.extend(session.pending().map(|pending| shown(session, pending.reply())));
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

/// The result of a call, which is in the messages if all calls of its reply have results.
fn result_of<'a>(session: &'a Session, id: &str) -> Option<&'a ToolMessage> {
    let pending = session.pending().and_then(|pending| pending.result_of(id));
    pending.or_else(|| {
        session.messages().iter().rev().find_map(|message| match message {
            Message::Tool(result) if result.tool_call_id == id => Some(result),
            _ => None,
        })
    })
}

fn shown(session: &Session, reply: &AssistantMessage) -> Value {
    let calls = reply.tool_calls.iter().map(|call| {
        let result = result_of(session, &call.id);
        json!({
            "id": call.id, "tool": call.name, "arguments": call.arguments,
            "result": result.map(ToolMessage::text), "is_error": result.is_some_and(ToolMessage::is_error),
        })
    });
    json!({ "role": "assistant", "text": reply.text(), "calls": calls.collect::<Vec<_>>() })
}
