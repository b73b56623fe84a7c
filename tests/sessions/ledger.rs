//! An independent record of the effects of all tools, and of the approvals that they had.

use crate::plan::{Arguments, COUNTED, COUNTED_CALLS, declared};
use crate::silence::PLANNED;
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::sleep;
use tool_runtime::{CallContext, ToolOutput};

/// The record of a round.
#[derive(Default)]
pub(crate) struct Ledger(Mutex<Records>);

#[derive(Default)]
pub(crate) struct Records {
    /// By the `n` of their arguments.
    pub(crate) calls: BTreeMap<u64, Call>,
    /// The calls that a person has approved and that have not begun since.
    pub(crate) approved: BTreeSet<Arguments>,
    /// The calls that the hook has approved in this run and that have not begun since.
    pub(crate) approved_by_hook: BTreeSet<Arguments>,
    /// The call of each key.
    keys: BTreeMap<String, u64>,
    /// The calls of the counted tool since the last user message.
    pub(crate) counted: usize,
    /// The tools that run now.
    pub(crate) running: usize,
    pub(crate) violations: Vec<String>,
    pub(crate) starts_all_while_streaming: bool,
    /// The largest `n`.
    pub(crate) last: u64,
}

/// The effects of one call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call {
    pub(crate) tool: String,
    /// The tools that its request allowed; `None` for all.
    pub(crate) allowed: Option<Vec<String>>,
    /// The call whose arguments a person replaced by these.
    pub(crate) root: u64,
    /// The begins whose effects are lost, since the session continues from a claimed copy, and those with other arguments.
    pub(crate) begins_of_lost_runs: usize,
    pub(crate) begins: usize,
    pub(crate) end: Option<End>,
    /// Its reply was interrupted, or was dropped before its end.
    pub(crate) is_of_broken_reply: bool,
    /// The hook has denied it, or has panicked.
    pub(crate) is_denied_by_hook: bool,
    pub(crate) is_answered_by_hook: bool,
}

/// How a tool ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Returned(String),
    Failed(String),
    Panicked,
    /// The result comes later.
    Waits(String),
}

impl Ledger {
    pub(crate) fn records(&self) -> MutexGuard<'_, Records> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn violation(&self, violation: impl Into<String>) {
        self.records().violations.push(violation.into());
    }

    /// The `n` of a new call.
    pub(crate) fn plan(&self, tool: &str, allowed: Option<&Vec<String>>, random: &mut Rng) -> u64 {
        let mut records = self.records();
        records.last += random.u64(1..5);
        let n = records.last;
        let call = Call { tool: tool.to_owned(), allowed: allowed.cloned(), root: n, ..Call::default() };
        records.calls.insert(n, call);
        n
    }

    /// The `n` of a planned call with other arguments.
    pub(crate) fn plan_edit(&self, of: u64, random: &mut Rng) -> u64 {
        let mut records = self.records();
        records.last += random.u64(1..5);
        let n = records.last;
        if let Some(call) = records.calls.get(&of) {
            let edited = Call {
                tool: call.tool.clone(),
                allowed: call.allowed.clone(),
                root: call.root,
                begins_of_lost_runs: call.begins + call.begins_of_lost_runs,
                ..Call::default()
            };
            records.calls.insert(n, edited);
        }
        n
    }

    /// The call with these arguments, as the model sent it and as a person edited it: a call that does not run has the arguments
    /// of the model again.
    pub(crate) fn with_edits(&self, of: u64) -> Vec<u64> {
        let records = self.records();
        let root = |n: &u64| records.calls.get(n).map_or(*n, |call| call.root);
        let mut edits: Vec<u64> = records.calls.keys().copied().filter(|n| root(n) == root(&of)).collect();
        edits.push(of);
        edits
    }

    /// The body of every tool.
    pub(crate) async fn run(
        self: Arc<Self>,
        tool: &str,
        arguments: Arguments,
        call: CallContext,
    ) -> Result<ToolOutput, String> {
        let running = Running::begin(&self, tool, &arguments, &call);
        if arguments.ms % 3 == 1 {
            call.progress(1, 2, "waiting");
            tokio::task::yield_now().await;
        }
        if arguments.ms > 0 {
            sleep(Duration::from_millis(arguments.ms)).await;
        }
        running.end(&arguments)
    }
}

/// A tool that runs. It is interrupted if it is dropped before its end.
struct Running<'a> {
    ledger: &'a Ledger,
}

impl<'a> Running<'a> {
    fn begin(ledger: &'a Ledger, tool: &str, arguments: &Arguments, context: &CallContext) -> Self {
        let mut records = ledger.records();
        records.running += 1;
        if let Err(violation) = records.begin(tool, arguments, context) {
            records.violations.push(format!("{violation}: `{tool}` with {arguments:?}"));
        }
        drop(records);
        Running { ledger }
    }

    fn end(self, arguments: &Arguments) -> Result<ToolOutput, String> {
        let n = arguments.n;
        let end = match arguments.end.as_str() {
            "fails" => End::Failed(format!("{n} failed")),
            "panics" => End::Panicked,
            "waits" => End::Waits(format!("ticket {n}")),
            _ => End::Returned(format!("{n} returned")),
        };
        if let Some(call) = self.ledger.records().calls.get_mut(&n) {
            call.end = Some(end.clone());
        }
        match end {
            End::Returned(text) => Ok(text.into()),
            End::Failed(text) => Err(text),
            End::Panicked => std::panic::panic_any(PLANNED),
            End::Waits(ticket) => Ok(ToolOutput::pending(ticket)),
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.ledger.records().running -= 1;
    }
}

impl Records {
    fn begin(
        &mut self,
        tool: &str,
        arguments: &Arguments,
        context: &CallContext,
    ) -> Result<(), &'static str> {
        let declared = declared(tool).ok_or("an undeclared tool begins")?;
        let call = self.calls.get_mut(&arguments.n).ok_or("a call begins that nobody planned")?;
        call.begins += 1;
        let (end, root) = (call.end.take(), call.root);
        if call.tool != tool {
            return Err("a call begins with another tool");
        }
        if call.allowed.as_ref().is_some_and(|allowed| !allowed.iter().any(|name| name == tool)) {
            return Err("a tool begins that the request does not allow");
        }
        if call.is_of_broken_reply && !declared.may_repeat() && !self.starts_all_while_streaming {
            return Err("a call of an interrupted reply begins");
        }
        if end.is_some() {
            return Err("a call begins again after it has ended");
        }
        if call.begins + call.begins_of_lost_runs > 1 && !declared.may_repeat() {
            return Err("a call with effects begins again");
        }
        let by_person = self.approved.remove(arguments);
        let by_hook = self.approved_by_hook.remove(arguments);
        if declared.requires_approval && !by_person && !by_hook {
            return Err("a call begins without an approval");
        }
        if tool == COUNTED {
            self.counted += 1;
            if self.counted > COUNTED_CALLS {
                return Err("more calls begin than the `max_calls` of the tool");
            }
        }
        let key = context.key().ok_or("a call has no key")?;
        match *self.keys.entry(key.to_string()).or_insert(root) {
            known if known == root => Ok(()),
            _ => Err("two calls have the same key"),
        }
    }

    /// Continues from a copy that was stored before the last run. The results of that run are lost, its effects are not.
    /// The copy does not claim calls that wait for a person: policy that changes in between may start them twice.
    pub(crate) fn lose_run(
        &mut self,
        is_stored: impl Fn(u64) -> bool,
        waits_for_person: impl Fn(u64) -> bool,
    ) {
        for (&n, call) in self.calls.iter_mut().filter(|(n, _)| !is_stored(**n)) {
            call.end = None;
            let lost = std::mem::take(&mut call.begins);
            call.begins_of_lost_runs += if waits_for_person(n) { 0 } else { lost };
        }
        self.approved.clear();
        self.keys.clear();
    }

    pub(crate) fn call_mut(&mut self, n: u64) -> Option<&mut Call> {
        self.calls.get_mut(&n)
    }
}
