//! The inputs of a step, applied to the session.

use super::calls::too_large;
use super::input::Input;
use super::status::RESERVED_BYTES;
use crate::protocol::{Decision, json_bytes};
use tool_runtime::dispatch::ToolResult;
use tool_runtime::{Registry, Session};

/// The effect of inputs.
pub(super) struct Applied {
    /// The numbers of the inputs that the session has.
    pub(super) taken: Vec<u64>,
    /// Whether the session runs: it does, unless the last input cancels it.
    pub(super) runs: bool,
}

/// Applies inputs. Messages come last, since they wait for calls: if a call of the session runs or can run now, they are not taken.
pub(super) fn apply(session: &mut Session, registry: &Registry, inputs: Vec<(u64, Input)>) -> Applied {
    let (mut taken, mut messages, mut runs, mut has_changed) = (Vec::new(), Vec::new(), true, false);
    for (number, input) in inputs {
        match input {
            Input::Message(message) => {
                messages.push((number, message));
                runs = true;
                continue;
            }
            // An error means that the session has the result of the call: a message or a cancellation came first.
            Input::End { id, end } => drop(session.finish_handed_out(registry, &id, end)),
            Input::Decision(decision) => {
                decide(session, decision);
                runs = true;
            }
            Input::Resume => runs = true,
            Input::Cancel { unsent } => {
                cancel(session, registry, unsent);
                // They are part of the conversation, and are not answered.
                for (number, message) in messages.drain(..) {
                    message.push(session);
                    taken.push(number);
                }
                runs = false;
            }
        }
        taken.push(number);
        has_changed = true;
    }
    if session.handed_out().is_empty() && !(has_changed && can_run_calls(session)) {
        for (number, message) in messages {
            message.push(session);
            taken.push(number);
        }
    }
    Applied { taken, runs }
}

/// Replaces results that would make the session larger than this limit.
pub(super) fn limit_results(session: &Session, inputs: &mut [(u64, Input)], max_bytes: usize) {
    let mut free = max_bytes.saturating_sub(json_bytes(session) + RESERVED_BYTES);
    for (_, input) in inputs {
        let Input::End { end, .. } = input else { continue };
        let bytes = json_bytes(end);
        if bytes > free {
            *end = too_large(bytes, free);
        } else {
            free -= bytes;
        }
    }
}

/// Whether a run would start calls: some have no result, and wait neither for a person nor for a result.
fn can_run_calls(session: &Session) -> bool {
    let Some(pending) = session.pending() else { return false };
    let waiting: Vec<_> = session.awaiting_approval().into_iter().chain(session.awaiting_result()).collect();
    let waits = |id: &str| waiting.iter().any(|call| call.id == id || call.outer_call.as_deref() == Some(id));
    pending.calls().iter().any(|call| pending.result_of(&call.id).is_none() && !waits(&call.id))
}

fn cancel(session: &mut Session, registry: &Registry, unsent: Vec<String>) {
    for id in unsent {
        let result = ToolResult::error("cancelled by the user before it began");
        let _ = session.finish_handed_out(registry, &id, result);
    }
    session.skip_calls("cancelled by the user");
}

fn decide(session: &mut Session, decision: Decision) {
    // An error means that the call has its result already: a message or a cancellation came first.
    let _ = match decision {
        Decision::Approve { id } => session.approve(&id),
        Decision::ApproveWith { id, arguments } => session.approve_with(&id, arguments),
        Decision::Deny { id, reason } => session.deny(&id, reason),
        Decision::ProvideResult { id, result } => session.provide_result(&id, result),
    };
}
