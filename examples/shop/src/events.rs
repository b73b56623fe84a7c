//! The events that users see.

use crate::request_error::RequestError;
use serde_json::{Value, json};
use tool_runtime::Session;
use tool_runtime::dispatch::{CallEvent, CallStatus};
use tool_runtime::session::{Event, RunEnd, RunError};

/// An update for the page.
pub(crate) enum Update {
    Event(Value),
    /// The last one.
    End(Result<Value, RequestError>),
}

/// The update for an event, if users see it.
///
/// The function lists the events to send, so a new kind of event is never sent by accident. It omits: warnings, which are for
/// the operator; the reasoning of the model, which may repeat its instructions; the data that tools emit, and the outcomes
/// of calls, which are for the program; the error of an interrupted reply, which may contain addresses.
pub(crate) fn for_user(event: &Event) -> Option<Update> {
    let event = match event {
        // Also of a call that a decision or a new message has ended: the run reports it first.
        Event::Call(CallEvent { id, tool, status: CallStatus::Finished { cause, result, .. }, .. }) => {
            json!({
                "type": "call", "id": id, "tool": tool, "status": "finished", "cause": cause,
                "result": result.text(), "is_error": result.is_error(),
            })
        }
        Event::ReplyFinished { number, .. } => json!({ "type": "reply_finished", "number": number }),
        Event::ReplyInterrupted { is_kept, .. } => json!({ "type": "reply_interrupted", "is_kept": is_kept }),
        Event::Text { .. }
        | Event::CallAnnounced { .. }
        | Event::CallArguments { .. }
        | Event::CallComplete { .. }
        | Event::Call(CallEvent {
            status:
                CallStatus::Started { .. } | CallStatus::Progress { .. } | CallStatus::NeedsApproval { .. },
            ..
        }) => serde_json::to_value(event).ok()?,
        _ => return None,
    };
    Some(Update::Event(event))
}

/// The last update of a run.
pub(crate) fn end<E: std::error::Error>(
    session: &Session,
    ended: Result<RunEnd, RunError<E>>,
    stored: Result<(), RequestError>,
) -> Update {
    let end = ended.map_err(RequestError::from).and_then(|end| stored.map(|()| end));
    Update::End(end.map(|end| {
        json!({
            "type": "end", "end": end, "reason": end.to_string(), "text": session.final_text(),
            "waiting": session.awaiting_approval(), "usage": session.usage(),
        })
    }))
}
