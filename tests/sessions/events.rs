//! The order and the ids of the events of a run.

use crate::history::{all_replies, calls};
use crate::run::{Done, Ended};
use std::collections::{BTreeMap, BTreeSet};
use tool_runtime::Session;
use tool_runtime::dispatch::{CallEvent, CallStatus};
use tool_runtime::session::Event;

/// The events of one call so far.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is an event")]
struct OfCall {
    is_announced: bool,
    /// The pieces of the arguments.
    arguments: String,
    has_pieces: bool,
    is_complete: bool,
    has_started: bool,
    has_ended: bool,
}

/// Checks the events of a run. `replies_before` is the number of replies before it.
pub(crate) fn check(done: &Done, session: &Session, replies_before: usize) -> Result<(), String> {
    let Some(events) = &done.events else { return Ok(()) };
    let results: BTreeMap<String, bool> =
        calls(session).iter().map(|call| (call.call.id.clone(), call.result.is_some())).collect();
    let mut of_calls: BTreeMap<&str, OfCall> = BTreeMap::new();
    // The calls that are announced since the last complete reply.
    let mut newest: BTreeSet<&str> = BTreeSet::new();
    let mut replies = replies_before;
    let last = events.len().wrapping_sub(1);
    for (index, event) in events.iter().enumerate() {
        match event {
            Event::CallAnnounced { id, .. } => {
                newest.insert(id);
                let of_call = of_calls.entry(id).or_default();
                if std::mem::replace(&mut of_call.is_announced, true) || of_call.has_started {
                    return Err(format!("{id} is announced twice"));
                }
            }
            Event::CallArguments { id, text, is_restart, .. } => {
                let of_call = of_calls.entry(id).or_default();
                if !of_call.is_announced || of_call.is_complete {
                    return Err(format!("arguments of {id} at the wrong time"));
                }
                if *is_restart {
                    of_call.arguments.clear();
                }
                of_call.arguments.push_str(text);
                of_call.has_pieces = true;
            }
            Event::CallComplete { id, arguments, .. } => {
                let of_call = of_calls.entry(id).or_default();
                if !of_call.is_announced || std::mem::replace(&mut of_call.is_complete, true) {
                    return Err(format!("{id} is complete at the wrong time"));
                }
                // An empty object need not be a piece.
                let is_empty = !of_call.has_pieces && arguments.chars().all(|letter| "{} ".contains(letter));
                if !is_empty && of_call.arguments != *arguments {
                    return Err(format!("the pieces of {id} are {}, not {arguments}", of_call.arguments));
                }
            }
            Event::Call(event) => check_call(event, of_calls.entry(&event.id).or_default())?,
            Event::ReplyFinished { number: reply, .. } => {
                newest.clear();
                if *reply != replies as u64 {
                    return Err(format!("reply {reply} has finished, where {replies} is expected"));
                }
                replies += 1;
            }
            Event::RunEnded { end, .. } if index == last && done.ended == Ended::Ok(*end) => {}
            // The listener has panicked at this event.
            Event::RunEnded { .. } if index == last && done.ended == Ended::Panicked => {}
            Event::RunEnded { .. } => return Err("the end of the run is at the wrong place".to_owned()),
            _ => {}
        }
    }
    if matches!(done.ended, Ended::Ok(_)) && !matches!(events.last(), Some(Event::RunEnded { .. })) {
        return Err("the run has ended without an event".to_owned());
    }
    let is_whole = matches!(done.ended, Ended::Ok(_)) && !done.is_cancelled;
    for (id, of_call) in &of_calls {
        let result = results.get(*id);
        if result.is_none() && (is_whole || !newest.contains(id)) {
            return Err(format!("no call of the session has the id {id}"));
        }
        let has_finished = of_call.has_ended && result.is_some_and(|has_result| !has_result);
        let waiting = session.awaiting_approval().into_iter().chain(session.awaiting_result());
        if has_finished && waiting.into_iter().all(|call| call.id != *id) && !done.is_cancelled {
            return Err(format!("{id} has finished, and has no result"));
        }
    }
    let is_dropped = matches!(done.ended, Ended::Dropped | Ended::Panicked);
    let expected = all_replies(session);
    if replies == expected || is_dropped && replies < expected {
        return Ok(());
    }
    Err(format!("{replies} replies have finished, and the session has {expected}"))
}

fn check_call(event: &CallEvent, of_call: &mut OfCall) -> Result<(), String> {
    let is_legal = match &event.status {
        CallStatus::Started { .. } => {
            !std::mem::replace(&mut of_call.has_started, true) && !of_call.has_ended
        }
        CallStatus::Progress { .. } | CallStatus::Emitted { .. } => of_call.has_started && !of_call.has_ended,
        CallStatus::NeedsResult { .. } | CallStatus::NeedsApproval { .. } | CallStatus::Finished { .. } => {
            !std::mem::replace(&mut of_call.has_ended, true)
        }
        _ => true,
    };
    if is_legal { Ok(()) } else { Err(format!("an event at the wrong time: {event:?}")) }
}
