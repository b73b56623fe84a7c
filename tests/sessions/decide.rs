//! The decisions of a person about pending calls.

use crate::history::calls;
use crate::ledger::Ledger;
use crate::oracle::{Decisions, other_ticket};
use crate::plan::{Arguments, Declared, declared, number_in};
use fastrand::Rng;
use serde_json::json;
use tool_runtime::conversation::NotPendingError;
use tool_runtime::dispatch::ToolResult;
use tool_runtime::{Session, ToolOutput};

/// A pending call, as a person finds it.
#[allow(clippy::struct_excessive_bools, reason = "each is a state of the call")]
struct Found {
    id: String,
    n: Option<u64>,
    arguments: String,
    waits: bool,
    has_result: bool,
    waits_for_result: bool,
    /// It has begun in an interrupted run.
    is_interrupted: bool,
}

/// Decides about one of the calls, and checks whether the session accepts the decision.
pub(crate) fn decide(
    session: &mut Session,
    ledger: &Ledger,
    decisions: &mut Decisions,
    random: &mut Rng,
) -> Result<(), String> {
    let Some(found) = find(session, ledger, random) else { return reject_unknown(session, random) };
    let (id, n) = (&*found.id, found.n.unwrap_or_default());
    let kind = random.u8(..10);
    let Decisions { texts, edited, claimed, .. } = decisions;
    let mut decide_text =
        |text: String| texts.extend(ledger.with_edits(n).into_iter().map(|n| (n, text.clone())));
    let decided = match kind {
        0..4 => session.approve(id),
        4 | 5 => {
            let new = ledger.plan_edit(n, random);
            let arguments = Arguments::random(new, random);
            let is_valid = random.u8(..3) > 0;
            let value = if is_valid { arguments.to_value() } else { json!({ "n": new, "ms": "later" }) };
            let decided = if random.bool() {
                session.approve_with(id, &value)
            } else {
                session.approve_with(id, value.to_string())
            };
            if decided.is_ok() {
                edited.insert(new);
                if claimed.contains(&n) {
                    claimed.insert(new);
                }
                ledger.records().approved.insert(arguments);
            }
            decided
        }
        6 => session.deny(id, format!("no {n}")).inspect(|()| decide_text(format!("Error: no {n}"))),
        7 => {
            let ticket = ToolOutput::pending(other_ticket(n));
            // Otherwise the oracle would have to distinguish such calls from those that wait for their tools.
            if !found.waits_for_result {
                return Ok(());
            }
            session.provide_result(id, ticket)
        }
        8 => {
            session.provide_result(id, format!("result {n}")).inspect(|()| decide_text(format!("result {n}")))
        }
        _ => {
            let failed = ToolResult::error(format!("failed {n}"));
            session.provide_result(id, failed).inspect(|()| decide_text(format!("Error: failed {n}")))
        }
    };
    if kind < 4 && decided.is_ok() {
        // Approving a call that a person edited badly approves its invalid arguments.
        if let Some(arguments) = Arguments::read(&found.arguments) {
            ledger.records().approved.insert(arguments);
        }
    }
    let needs_new_call = kind < 7;
    let is_approval = kind < 6;
    match decided {
        Ok(()) if found.has_result => Err(format!("{id} has a result already")),
        Ok(()) if found.is_interrupted && needs_new_call => Err(format!("{id} has begun already")),
        Ok(()) if found.waits_for_result && is_approval => Err(format!("{id} runs elsewhere already")),
        Ok(()) => Ok(()),
        Err(NotPendingError::HasResult { .. }) if found.has_result => Ok(()),
        Err(NotPendingError::NeedsResult { .. }) if found.waits_for_result && is_approval => Ok(()),
        Err(NotPendingError::HasBegun { .. }) if !found.has_result && !found.waits && needs_new_call => {
            Ok(())
        }
        decided => Err(format!("the decision about {id} is {decided:?} (kind {kind})")),
    }
}

fn find(session: &Session, ledger: &Ledger, random: &mut Rng) -> Option<Found> {
    let waiting: Vec<String> = session
        .awaiting_approval()
        .into_iter()
        .chain(session.awaiting_result())
        .map(|call| call.id)
        .collect();
    let calls: Vec<_> =
        calls(session).into_iter().filter(|call| call.is_pending && call.n.is_some()).collect();
    let wants_waiting = random.u8(..4) > 0;
    let fits = |id: &str| !wants_waiting || waiting.iter().any(|waiting| waiting == id);
    let candidates: Vec<_> = calls.iter().filter(|call| fits(&call.call.id)).collect();
    let call = *candidates.get(random.usize(..candidates.len().max(1)))?;
    let records = ledger.records();
    let effects = call.n.and_then(|n| records.calls.get(&n));
    let waits = waiting.contains(&call.call.id);
    let may_repeat = declared(&call.call.name).is_some_and(Declared::may_repeat);
    Some(Found {
        id: call.call.id.clone(),
        n: number_in(&call.call.arguments),
        arguments: call.call.arguments.clone(),
        waits,
        has_result: call.result.is_some(),
        waits_for_result: session.awaiting_result().iter().any(|waiting| waiting.id == call.call.id),
        is_interrupted: !waits && !may_repeat && effects.is_some_and(|effects| effects.begins > 0),
    })
}

/// A decision about a call that does not exist changes nothing.
fn reject_unknown(session: &mut Session, random: &mut Rng) -> Result<(), String> {
    let before = session.revision();
    let decided = match random.u8(..3) {
        0 => session.approve("nobody"),
        1 => session.deny("nobody", "no"),
        _ => session.provide_result("nobody", "nothing"),
    };
    match decided {
        Err(NotPendingError::UnknownId { .. }) if session.revision() == before => Ok(()),
        decided => Err(format!("a decision about an unknown call: {decided:?}")),
    }
}

/// Records that all pending calls without results are skipped.
pub(crate) fn record_skipped(session: &Session, ledger: &Ledger, decisions: &mut Decisions, reason: &str) {
    for call in calls(session).iter().filter(|call| call.is_pending && call.result.is_none()) {
        if let Some(n) = call.n {
            decisions.skipped.extend(ledger.with_edits(n).into_iter().map(|n| (n, reason.to_owned())));
        }
    }
}
