//! The events that users see.

use crate::problem::Problem;
use serde_json::{Value, json};
use tool_runtime::Session;
use tool_runtime::dispatch::{CallEvent, CallStatus};
use tool_runtime::session::{Event, RunEnd, RunError};

/// A message to the page.
pub(crate) enum Message {
    Event(Value),
    /// The last one.
    End(Result<Value, Problem>),
}

/// The message for an event, if users see it.
///
/// This lists the events to send, so a new kind of event is never sent by accident. Omitted are warnings, which are for the
/// operator; the reasoning of the model, which may repeat its instructions; the durations and errors inside of an outcome;
/// and the error of a reply that is interrupted, which may contain addresses.
pub(crate) fn for_user(event: &Event) -> Option<Message> {
    let event = match event {
        Event::Call(CallEvent { id, tool, status: CallStatus::Finished { result, .. }, .. }) => json!({
            "type": "call", "id": id, "tool": tool, "status": "finished",
            "result": result.text(), "is_error": result.is_error(),
        }),
        Event::ReplyFinished { number, .. } => json!({ "type": "reply_finished", "number": number }),
        Event::ReplyInterrupted { is_kept, .. } => json!({ "type": "reply_interrupted", "is_kept": is_kept }),
        Event::Text { .. }
        | Event::CallAnnounced { .. }
        | Event::CallArguments { .. }
        | Event::CallComplete { .. }
        | Event::Call(_) => serde_json::to_value(event).ok()?,
        _ => return None,
    };
    Some(Message::Event(event))
}

/// The last message of a run.
pub(crate) fn end<E: std::error::Error>(
    session: &Session,
    ended: Result<RunEnd, RunError<E>>,
    stored: Result<(), Problem>,
) -> Message {
    let end = ended.map_err(Problem::from).and_then(|end| stored.map(|()| end));
    Message::End(end.map(|end| {
        json!({
            "type": "end", "end": end, "reason": end.to_string(), "text": session.final_text(),
            "waiting": session.awaiting_approval(), "usage": session.usage(),
        })
    }))
}
