//! The rules of a session that has come to its end. They use the ledger, the sessions and the plan, but not the journal.

use crate::calls::{CallInSession, calls};
use crate::effects::Effects;
use crate::ledger::Entry;
use crate::model::digest_of;
use crate::plan::{Decision, Kind, Place, Plan, Tool, edited, unedited};
use crate::tally::Tally;
use crate::tools::MAX_NOTIFICATIONS;
use std::collections::{BTreeMap, BTreeSet};
use tool_runtime::Session;
use tool_runtime::history::validate;
use tool_runtime::message::Message;

/// Checks a session that has come to its end, and those that were stored before.
pub(crate) fn check(
    plan: &Plan,
    entries: &[Entry],
    session: &Session,
    stored: &[Session],
    tally: &mut Tally,
) -> Result<(), String> {
    if session.pending().is_some() || session.replies() != plan.replies() {
        return Err("the session has not come to its end".to_owned());
    }
    check_history(session)?;
    check_requests(plan, entries, session.messages())?;
    for stored in stored {
        check_stored(stored, session)?;
    }
    let effects = Effects::new(plan, entries)?;
    let calls = calls(session)?;
    let asks: Vec<u64> = (0..plan.replies()).map(|reply| effects.last_ask(reply)).collect();
    let planned = asks.iter().zip(0..).flat_map(|(&ask, reply)| plan.calls(reply, ask));
    let planned: Vec<_> = planned.collect();
    if planned.len() != calls.len() {
        return Err(format!(
            "the model has sent {} calls, and the session has {}",
            planned.len(),
            calls.len()
        ));
    }
    for (call, planned) in calls.iter().zip(&planned) {
        let decision = planned.tool.requires_approval().then(|| decision_about(call));
        if plan.may_begin_with_old
            && decision.is_some_and(|decision| decision != plan.decision(&planned.order, 0))
        {
            return Err(format!("a person has decided otherwise about {call:?}"));
        }
        let is_edited = planned.tool.requires_approval() && call.order == edited(&planned.order);
        if call.call.name != planned.tool.name() || call.order != planned.order && !is_edited {
            return Err(format!("the model has sent {planned:?}, and the session has {call:?}"));
        }
        let result = check_call(plan, planned.tool, decision, call, &effects);
        tally.add_result(result.map_err(|error| format!("{error}: {call:?}"))?);
    }
    let orders: BTreeSet<&str> = calls.iter().map(|call| &*call.order).collect();
    let is_lost_read = |order: &str| {
        let is_lost = Place::of(order).is_some_and(|place| place.ask < effects.last_ask(place.reply));
        is_lost && plan.tool(order) == Some(Tool::FindOrder)
    };
    if let Some(order) = effects.orders().find(|order| !orders.contains(order) && !is_lost_read(order)) {
        return Err(format!("the session does not have the call with the effect {order}"));
    }
    check_notifications(&calls)?;
    tally.lost_replies += effects.lost_replies(plan);
    tally.sessions += stored.len() + 1;
    Ok(())
}

/// The history is valid, even if a request to the model came next.
fn check_history(session: &Session) -> Result<(), String> {
    let mut sent = session.clone();
    sent.push_user("Continue.");
    validate(sent.messages()).map_err(|error| format!("the history is invalid: {error}"))
}

/// The decision about a call, as its arguments and its result show it.
fn decision_about(call: &CallInSession<'_>) -> Decision {
    if call.result.error_kind() == Some("denied") {
        Decision::Deny
    } else if unedited(&call.order) == call.order {
        Decision::Approve
    } else {
        Decision::Edit
    }
}

/// Each request, even of a process that was killed, had the messages that the last session has. If other persons decide in
/// other processes, this is true for the request of each recorded reply, the last one.
fn check_requests(plan: &Plan, entries: &[Entry], messages: &[Message]) -> Result<(), String> {
    let replies = (0..).zip(messages).filter(|(_, message)| matches!(message, Message::Assistant(_)));
    let digests: Vec<u64> = replies.map(|(index, _)| digest_of(&messages[..index])).collect();
    let mut replies = BTreeSet::new();
    for entry in entries.iter().rev() {
        if let Entry::Asked { reply, messages, .. } = entry
            && (replies.insert(*reply) || plan.may_begin_with_old)
            && usize::try_from(*reply).ok().and_then(|reply| digests.get(reply)) != Some(messages)
        {
            return Err(format!("the last session has other messages than this request: {entry:?}"));
        }
    }
    Ok(())
}

/// A stored session is valid, and the last session continues it.
fn check_stored(stored: &Session, last: &Session) -> Result<(), String> {
    check_history(stored)?;
    let messages = last.messages().get(..stored.messages().len()).unwrap_or_default();
    if let Some(difference) = difference(stored.messages(), messages) {
        return Err(format!("the last session does not continue a stored one: {difference}"));
    }
    let Some(pending) = stored.pending() else { return Ok(()) };
    for call in pending.calls() {
        let Some(result) = pending.result_of(&call.id) else { continue };
        let is_same = |message: &&Message| matches!(message, Message::Tool(last) if last == result);
        if !last.messages().iter().any(|message| is_same(&message)) {
            return Err(format!("the last session does not have the stored result {result:?}"));
        }
    }
    Ok(())
}

/// The first difference between two lists of messages.
pub(crate) fn difference(left: &[Message], right: &[Message]) -> Option<String> {
    let index = (0..left.len().max(right.len())).find(|&index| left.get(index) != right.get(index))?;
    Some(format!("message {index} is {:?} and {:?}", left.get(index), right.get(index)))
}

/// Checks the result and the effects of a call. Returns the kind of its result.
fn check_call(
    plan: &Plan,
    tool: Tool,
    decision: Option<Decision>,
    call: &CallInSession<'_>,
    effects: &Effects<'_>,
) -> Result<&'static str, String> {
    let effect = effects.of(&call.order);
    if !tool.may_repeat() && effect.begun.len() > 1 {
        return Err(format!("it has taken effect {} times", effect.begun.len()));
    }
    let first = effect.begun.first().copied().unwrap_or(usize::MAX);
    // Two runs at once may both read.
    let may_begin_twice = tool == Tool::FindOrder && plan.has(Kind::Same);
    if effect.begun.len() > 1 + effects.interruptions_between(first, usize::MAX) && !may_begin_twice {
        return Err("it has begun again without an interruption".to_owned());
    }
    if decision.is_some() && first < effect.approved {
        return Err("it has begun before its approval".to_owned());
    }
    let end = effects.end_of_call(call.reply, decision.is_some());
    let (text, kind) = (call.result.text(), call.result.error_kind());
    let may_begin_late = match tool {
        // The result of a read that began early is recorded with the next reply, which may be lost.
        Tool::FindOrder => true,
        // A blocking function may begin after the interruption of its call.
        Tool::PrintLabel => kind == Some("interrupted"),
        _ => false,
    };
    if end < effect.begun.last().copied().unwrap_or_default() && !may_begin_late {
        return Err("it has begun after the model had its result".to_owned());
    }
    let (has_begun, is_done) = (!effect.begun.is_empty(), effect.done > 0);
    match (tool, kind) {
        (_, Some("denied")) if decision == Some(Decision::Deny) && !has_begun => {
            expect(text, &format!("Error: denied {}", call.order)).map(|()| "denied")
        }
        _ if decision == Some(Decision::Deny) => Err("it is not denied".to_owned()),
        (_, Some("interrupted")) => {
            let expected = format!(
                "Error: `{}` was interrupted. It may have taken effect: check whether it did.",
                tool.name()
            );
            expect(text, &expected)?;
            if tool.may_repeat() {
                return Err("it could have run again".to_owned());
            }
            let begun = effect.begun.first().filter(|_| tool != Tool::PrintLabel);
            let since = begun.copied().unwrap_or_else(|| effects.replied(call.reply));
            // The other run may continue before the ledger has the end of a cancelled one.
            let end = if plan.has(Kind::Same) { usize::MAX } else { end };
            if effects.interruptions_between(since, end) == 0 {
                return Err("nothing has interrupted it".to_owned());
            }
            Ok(match (has_begun, is_done) {
                (false, _) => "interrupted between the record and the tool",
                (true, false) => "interrupted inside of the tool",
                (true, true) => "interrupted between the end of the tool and its record",
            })
        }
        (Tool::Notify, Some("call_limit")) if !has_begun => Ok("rejected, since its tool has a limit"),
        (Tool::Hang, Some("timeout")) => Ok("timed out"),
        (Tool::Fail, Some("panic")) if is_done => Ok("panicked"),
        (Tool::Decline, Some("returned")) if is_done => {
            expect(text, &format!("Error: declined {}", call.order)).map(|()| "failed")
        }
        (_, None) if is_done => {
            // The person who provided the result is in the text.
            let text = text.split_once(" to person ").map_or(text, |(text, _)| text);
            expect(text, &success(tool, &call.order))?;
            Ok(match decision {
                _ if tool == Tool::AskBrowser => "succeeded elsewhere",
                _ if tool == Tool::HandleReturn => "succeeded with an inner session",
                None if tool.may_repeat() => "succeeded, and may repeat",
                None => "succeeded once",
                Some(Decision::Edit) => "succeeded after an approval with other arguments",
                Some(_) => "succeeded after an approval",
            })
        }
        (_, None) => Err("its effect is missing".to_owned()),
        (_, Some(kind)) => Err(format!("it has the error {kind}")),
    }
}

/// Compares texts. Objects are equal in any order of their keys, which a feature of `serde_json` decides.
fn expect(text: &str, expected: &str) -> Result<(), String> {
    let json = |text| serde_json::from_str::<serde_json::Value>(text).ok();
    let is_equal = text == expected || json(text).is_some_and(|value| json(expected) == Some(value));
    if is_equal { Ok(()) } else { Err(format!("its result is not {expected}")) }
}

/// The text of a successful result.
fn success(tool: Tool, order: &str) -> String {
    match tool {
        Tool::FindOrder => format!(r#"{{"is_open":true,"order":"{order}"}}"#),
        Tool::SetAddress => "ok".to_owned(),
        Tool::Export => format!("exported {order}"),
        Tool::RaiseLimit => format!("raised {order}"),
        Tool::Refund => format!("refunded {order}"),
        Tool::PayOut => format!("paid {order}"),
        Tool::PrintLabel => format!("printed {order}"),
        Tool::Notify => format!("notified {order}"),
        Tool::AskBrowser => format!("shown {order}"),
        Tool::HandleReturn => format!("handled {order}"),
        Tool::Decline | Tool::Hang | Tool::Fail => "an error".to_owned(),
    }
}

/// Exactly the first calls of a tool with a limit run after a user message.
fn check_notifications(calls: &[CallInSession<'_>]) -> Result<(), String> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for call in calls.iter().filter(|call| call.call.name == Tool::Notify.name()) {
        let count = counts.entry(call.user_messages).or_default();
        *count += 1;
        let is_rejected = call.result.error_kind() == Some("call_limit");
        if is_rejected != (*count > MAX_NOTIFICATIONS) {
            return Err(format!("the limit of the tool applies wrongly to its call {count}: {call:?}"));
        }
    }
    Ok(())
}
