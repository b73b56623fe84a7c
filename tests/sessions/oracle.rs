//! The results that the calls of a session must have, by the record of the effects.

use crate::history::{CallInSession, calls};
use crate::ledger::{Call, End, Ledger};
use crate::plan::{Arguments, declared};
use crate::registry::answer_of_hook;
use std::collections::{BTreeMap, BTreeSet};
use tool_runtime::session::WaitingCall;
use tool_runtime::{Session, ToolMessage};

/// The decisions of the person, and the other reasons of results that no tool returned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decisions {
    /// The texts of results that the person decided, by `n`.
    pub(crate) texts: BTreeMap<u64, String>,
    /// The pending calls that were skipped, and the reason.
    pub(crate) skipped: BTreeMap<u64, String>,
    /// The calls of a claimed copy, which may have begun elsewhere.
    pub(crate) claimed: BTreeSet<u64>,
    /// The calls whose arguments a person changed.
    pub(crate) edited: BTreeSet<u64>,
}

/// Checks all calls of the session.
pub(crate) fn check(session: &Session, ledger: &Ledger, decisions: &Decisions) -> Result<(), String> {
    let calls = calls(session);
    let ids: BTreeSet<&str> = calls.iter().map(|call| &*call.call.id).collect();
    if ids.len() < calls.len() || ids.contains("") {
        return Err("the ids of calls are not unique".to_owned());
    }
    let records = ledger.records();
    if let Some(violation) = records.violations.first() {
        return Err(violation.clone());
    }
    let waits_for_result: BTreeMap<String, _> =
        session.awaiting_result().into_iter().map(|call| (call.id.clone(), call)).collect();
    let mut known = BTreeSet::new();
    for call in &calls {
        let Some(n) = call.n else {
            check_partial(call)?;
            continue;
        };
        known.insert(n);
        let effects = records.calls.get(&n).ok_or("a call that the model did not send")?;
        let of_call = Checked { call, n, effects, decisions, waiting: waits_for_result.get(&call.call.id) };
        of_call.check().map_err(|error| format!("{error}: {call:?}, {effects:?}"))?;
    }
    let lost = records.calls.iter().find(|(n, effects)| effects.end.is_some() && !known.contains(n));
    match lost {
        Some((n, effects)) => Err(format!("the result of call {n} is lost: {effects:?}")),
        None => Ok(()),
    }
}

/// A call whose arguments did not arrive fails.
fn check_partial(call: &CallInSession<'_>) -> Result<(), String> {
    match call.result {
        Some(result) if !result.is_error() => Err(format!("a truncated call has a result: {call:?}")),
        _ => Ok(()),
    }
}

struct Checked<'a> {
    call: &'a CallInSession<'a>,
    n: u64,
    effects: &'a Call,
    decisions: &'a Decisions,
    /// The call as it waits for its result, if it does.
    waiting: Option<&'a WaitingCall>,
}

impl Checked<'_> {
    fn check(&self) -> Result<(), String> {
        let n = self.n;
        let text = self.call.result.map(ToolMessage::text);
        if self.call.call.name != self.effects.tool {
            return Err("the call has another tool".to_owned());
        }
        let begins = self.effects.begins + self.effects.begins_of_lost_runs;
        if let Some(decided) = self.decisions.texts.get(&n) {
            return match (self.kind(), &self.effects.end) {
                ("denied", None) if begins > 0 => {
                    self.check_interrupted().and_then(|()| expect(text, decided))
                }
                ("interrupted", None) if begins > 0 || self.decisions.claimed.contains(&n) => {
                    let reason = decided.trim_start_matches("Error: ");
                    let tool = &self.effects.tool;
                    let effect = "It may have taken effect: check whether it did.";
                    expect(
                        text,
                        &format!("Error: `{tool}` was interrupted. {effect} It did not run again: {reason}"),
                    )
                }
                _ => expect(text, decided),
            };
        }
        match &self.effects.end {
            Some(End::Returned(returned)) => expect(text, returned),
            Some(End::Failed(error)) => expect(text, &format!("Error: {error}")),
            Some(End::Panicked) => self.expect_kind("panic"),
            Some(End::Waits(ticket)) => match (text, self.decisions.skipped.get(&n)) {
                (None, _) if self.ticket() == Some(ticket) => Ok(()),
                // A person may have replaced the ticket.
                (None, _) if self.ticket() == Some(&other_ticket(n)) => Ok(()),
                (Some(text), Some(reason)) => expect(Some(text), &format!("Error: {reason}")),
                _ => Err("the result of the call comes later".to_owned()),
            },
            None if text.is_none() => Ok(()),
            None if begins > 0 => self.check_interrupted(),
            None => self.check_not_begun(text.unwrap_or_default()),
        }
    }

    fn ticket(&self) -> Option<&String> {
        self.waiting.and_then(|call| call.ticket.as_ref())
    }

    fn kind(&self) -> &str {
        self.call.result.and_then(|result| result.error_kind()).unwrap_or_default()
    }

    fn expect_kind(&self, kind: &str) -> Result<(), String> {
        if self.kind() == kind { Ok(()) } else { Err(format!("expected an error of the kind {kind}")) }
    }

    /// A call that began and did not end.
    fn check_interrupted(&self) -> Result<(), String> {
        let tool = declared(&self.effects.tool).ok_or("an unknown tool has begun")?;
        let Decisions { skipped, texts, .. } = self.decisions;
        let is_skipped = skipped.contains_key(&self.n) || texts.contains_key(&self.n);
        match self.kind() {
            "denied" if is_skipped && !self.effects.is_denied_by_hook && !tool.is_read_only => {
                Err("it is denied, and the model does not read that it may have taken effect".to_owned())
            }
            "denied" if texts.contains_key(&self.n) => Ok(()),
            // The repetition can fail before it begins, or wait for a person.
            _ if tool.may_repeat() && self.expects_error() => Ok(()),
            "interrupted" if is_skipped || !tool.may_repeat() => Ok(()),
            _ if tool.may_repeat() && self.is_answered_by_hook() => Ok(()),
            _ => Err("an interrupted call has another result".to_owned()),
        }
    }

    fn is_answered_by_hook(&self) -> bool {
        let text = self.call.result.map(ToolMessage::text);
        self.effects.is_answered_by_hook && text == Some(&answer_of_hook(self.n))
    }

    /// Whether the call can fail with this error before it begins.
    fn expects_error(&self) -> bool {
        let Checked { call, n, effects, decisions, .. } = self;
        let tool = declared(&effects.tool);
        let is_valid = Arguments::read(&call.call.arguments).is_some();
        let is_allowed = effects.allowed.as_ref().is_none_or(|names| names.contains(&effects.tool));
        match self.kind() {
            "unknown_tool" => tool.is_none(),
            "not_json" | "invalid_arguments" => !is_valid && tool.is_some() && !decisions.edited.contains(n),
            "not_allowed" => !is_allowed,
            "truncated" => call.call.is_truncated(),
            "denied" | "hook_panic" if effects.is_denied_by_hook => true,
            "denied" => decisions.skipped.contains_key(n),
            "interrupted" => decisions.claimed.contains(n),
            "call_limit" => effects.tool == crate::plan::COUNTED,
            "stream_interrupted" => true,
            _ => false,
        }
    }

    /// A call that never began.
    fn check_not_begun(&self, text: &str) -> Result<(), String> {
        if let (Some(reason), "denied") = (self.decisions.skipped.get(&self.n), self.kind()) {
            if !self.effects.is_denied_by_hook {
                return expect(Some(text), &format!("Error: {reason}"));
            }
        }
        let is_failure = self.call.result.is_some_and(ToolMessage::is_error);
        match is_failure {
            true if self.expects_error() => Ok(()),
            false if self.is_answered_by_hook() => Ok(()),
            _ => Err("a call that did not begin has this result".to_owned()),
        }
    }
}

/// The ticket by which a person replaces that of the tool.
pub(crate) fn other_ticket(n: u64) -> String {
    format!("other ticket {n}")
}

fn expect(text: Option<&str>, expected: &str) -> Result<(), String> {
    if text == Some(expected) { Ok(()) } else { Err(format!("expected the result `{expected}`")) }
}
