//! The ends of runs, and the limits.

use crate::history::{calls, replies_since_user};
use crate::ledger::Call;
use crate::model::Model;
use crate::oracle::Decisions;
use crate::plan::{Arguments, Declared, declared, number_in};
use crate::registry::{Options, Policy};
use crate::run::{Done, Ended, Limits};
use tool_runtime::Session;
use tool_runtime::message::{Completeness, Message};
use tool_runtime::session::RunEnd;

/// Whether another run ends in the same way.
pub(crate) fn is_stable(end: RunEnd) -> bool {
    end != RunEnd::Cancelled
}

/// Checks the end of a run.
pub(crate) fn check(
    done: &Done,
    session: &Session,
    model: &Model,
    limits: Limits,
    policy: &Policy,
    decisions: &Decisions,
) -> Result<(), String> {
    let Ended::Ok(end) = done.ended else { return Ok(()) };
    let (approvals, results) = (session.awaiting_approval(), session.awaiting_result());
    if end == RunEnd::Cancelled {
        return if done.is_cancelled { Ok(()) } else { Err("nothing is cancelled".to_owned()) };
    }
    let expected = if !approvals.is_empty() {
        Some(RunEnd::NeedsApproval)
    } else if !results.is_empty() {
        Some(RunEnd::NeedsResult)
    } else if session.pending().is_some() {
        Some(RunEnd::CallLimit)
    } else {
        end_of_reply(session)
    };
    let tokens = model.state().tokens;
    let is_right = match expected {
        Some(expected) => end == expected,
        None if end == RunEnd::ReplyLimit => replies_since_user(session) >= limits.replies,
        None => end == RunEnd::TokenLimit && limits.tokens.is_some_and(|limit| tokens >= limit),
    };
    if !is_right {
        return Err(format!("the end is {end:?}, where {expected:?} is expected"));
    }
    let of_reply = calls(session).into_iter().filter(|call| call.is_since_user).count();
    if end == RunEnd::CallLimit && limits.calls.is_none_or(|limit| of_reply <= limit) {
        return Err(format!("the limit of {:?} calls is not reached with {of_reply}", limits.calls));
    }
    check_waiting(session, policy, decisions)
}

/// The end by the newest reply, if it calls nothing.
fn end_of_reply(session: &Session) -> Option<RunEnd> {
    const FILTERED: [&str; 5] =
        ["content_filter", "SAFETY", "refusal", "content_filtered", "guardrail_intervened"];
    let Some(Message::Assistant(reply)) = session.messages().last() else { return None };
    let is_filtered = reply.finish_reason().is_some_and(|reason| FILTERED.contains(&reason));
    Some(match reply.completeness() {
        Completeness::Paused => return None,
        _ if reply.refusal().is_some() || is_filtered => RunEnd::Refused,
        Completeness::Truncated => RunEnd::Truncated,
        _ => RunEnd::Answered,
    })
}

/// A call waits for a person only if its tool requires an approval and policy does not decide, or if a person has changed
/// its arguments and they are invalid. A call without a result waits.
fn check_waiting(session: &Session, policy: &Policy, decisions: &Decisions) -> Result<(), String> {
    let (approvals, results) = (session.awaiting_approval(), session.awaiting_result());
    for call in &approvals {
        let n = number_in(&call.arguments).ok_or("a call without arguments waits")?;
        let is_valid = Arguments::read(&call.arguments).is_some();
        let requires_approval = declared(&call.tool).is_some_and(|tool| tool.requires_approval);
        let is_right = match &call.error {
            Some(_) => !is_valid && decisions.edited.contains(&n),
            None => is_valid && requires_approval && policy.is_undecided(n),
        };
        if !is_right {
            return Err(format!("a person is asked about {call:?}"));
        }
    }
    for call in &results {
        if Arguments::read(&call.arguments).is_none() && call.ticket.is_none() {
            return Err(format!("a call with invalid arguments waits for its result: {call:?}"));
        }
    }
    Ok(())
}

/// After an interrupted reply, only the calls that had started run: the model sends the others again.
pub(crate) fn check_broken(done: &Done, model: &Model, options: &Options) -> Result<(), String> {
    if done.ended != Ended::StreamBroke || options.starts_all_while_streaming {
        return Ok(());
    }
    let newest = model.state().before_newest + 1;
    let records = model.ledger.records();
    let may_start = |call: &&Call| declared(&call.tool).is_some_and(Declared::may_repeat);
    match records.calls.range(newest..).map(|(_, call)| call).find(|call| call.begins > 0 && !may_start(call))
    {
        Some(call) => Err(format!("a call of an interrupted reply has begun: {call:?}")),
        None => Ok(()),
    }
}

/// Checks that no more calls count than the limit allows.
pub(crate) fn check_calls(
    session: &Session,
    model: &Model,
    limits: Limits,
    decisions: &Decisions,
) -> Result<(), String> {
    let Some(limit) = limits.calls else { return Ok(()) };
    let (approvals, results) = (session.awaiting_approval(), session.awaiting_result());
    let records = model.ledger.records();
    let mut counted = Vec::new();
    let calls = calls(session);
    for call in calls.iter().filter(|call| call.is_since_user) {
        let id = &call.call.id;
        let waits = approvals.iter().chain(&results).any(|waiting| waiting.id == *id);
        let has_begun = call.n.and_then(|n| records.calls.get(&n)).is_some_and(|call| call.begins > 0);
        // The arguments of a truncated call may have no `n`.
        let is_decided =
            call.n.is_none_or(|n| decisions.texts.contains_key(&n) || decisions.skipped.contains_key(&n));
        let kind = call.result.map(|result| result.error_kind().unwrap_or_default());
        // The calls of an interrupted reply fail, whatever the limit is.
        let is_rejected = |kind| matches!(kind, "stream_interrupted" | "unknown_tool");
        let has_run = kind.is_some_and(|kind| !is_rejected(kind)) && !is_decided;
        if waits && !is_decided || has_begun || has_run {
            counted.push(call);
        }
    }
    if counted.len() > limit { Err(format!("more than {limit} calls run: {counted:#?}")) } else { Ok(()) }
}
