//! A store in memory, which keeps the rules of journals, notes its operations, and can fail.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tool_runtime::RunContext;
use tool_runtime::dispatch::{CallKey, ToolResult};
use tool_runtime_durable::{Journal, JournalCall, JournalError, JournalFuture, JournalReply, RecordedCall};

/// A clone is another handle of the same store.
#[derive(Clone, Default)]
pub(crate) struct MemoryJournal(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Wakes those that wait for the end of a step.
    ended: Notify,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) calls: BTreeMap<CallKey, RecordedCall>,
    pub(crate) replies: BTreeMap<(String, u64), JournalReply>,
    pub(crate) in_progress: HashSet<Step>,
    /// The operations that succeeded, in order.
    operations: Vec<String>,
    /// The beginning of the operations that fail.
    fails: Option<&'static str>,
    /// The time after which a recorded reply is acknowledged.
    reply_delay: Duration,
}

/// A call that runs, or a reply that is requested.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    Call(CallKey),
    Reply(String, u64),
}

/// Why a call or a request does not begin.
pub(crate) enum NotBegun {
    /// Another run holds it.
    InProgress,
    Failed(JournalError),
}

impl Step {
    pub(crate) fn run_id(&self) -> &str {
        match self {
            Step::Call(key) => &key.run_id,
            Step::Reply(run_id, _) => run_id,
        }
    }
}

/// The value as a file returns it: its JSON may not have all of it.
fn stored<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let json = serde_json::to_string(value).expect("it has a JSON form");
    serde_json::from_str(&json).expect("it is read again")
}

impl State {
    fn operation(&mut self, operation: String) -> Result<(), JournalError> {
        if self.fails.is_some_and(|fails| operation.starts_with(fails)) {
            return Err(JournalError::storage("no space left on device"));
        }
        self.operations.push(operation);
        Ok(())
    }

    fn finish(&mut self, key: &CallKey, result: &ToolResult) -> Result<(), JournalError> {
        self.operation(format!("finish {key}"))?;
        let recorded = self.calls.get_mut(key).ok_or(JournalError::storage("the call has not begun"))?;
        recorded.result.get_or_insert_with(|| stored(result));
        Ok(())
    }

    /// Whether the reply is new.
    fn record(&mut self, reply: &JournalReply) -> Result<bool, JournalError> {
        let key = (reply.run_id.clone(), reply.number);
        if self.replies.contains_key(&key) {
            return Ok(false);
        }
        self.operation(format!("reply {}/{}", reply.run_id, reply.number))?;
        self.replies.insert(key, stored(reply));
        Ok(true)
    }
}

impl MemoryJournal {
    /// Lets the operations that start with this text fail.
    pub(crate) fn fail(&self, operations: impl Into<Option<&'static str>>) {
        self.lock().fails = operations.into();
    }

    /// Acknowledges replies later than it records them.
    pub(crate) fn delay_replies(&self, delay: Duration) {
        self.lock().reply_delay = delay;
    }

    /// The operations so far.
    pub(crate) fn operations(&self) -> Vec<String> {
        self.lock().operations.clone()
    }

    /// The arguments of the calls that have begun.
    pub(crate) fn arguments(&self) -> Vec<String> {
        self.lock().calls.values().map(|recorded| recorded.call.arguments.clone()).collect()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Is ready at the next end of a step.
    pub(crate) fn ended(&self) -> Notified<'_> {
        self.0.ended.notified()
    }

    pub(crate) fn end(&self, step: &Step) {
        self.lock().in_progress.remove(step);
        self.0.ended.notify_waiters();
    }

    pub(crate) fn try_begin(&self, call: &JournalCall) -> Result<Option<RecordedCall>, NotBegun> {
        let mut state = self.lock();
        let step = Step::Call(call.key.clone());
        let recorded = state.calls.get(&call.key).cloned();
        let has_result = recorded.as_ref().is_some_and(|recorded| recorded.result.is_some());
        if !has_result && state.in_progress.contains(&step) {
            return Err(NotBegun::InProgress);
        }
        if recorded.is_none() {
            state.operation(format!("begin {}", call.key)).map_err(NotBegun::Failed)?;
            state.calls.insert(call.key.clone(), RecordedCall::new(call.clone(), None));
        }
        if !has_result {
            state.in_progress.insert(step);
        }
        Ok(recorded)
    }

    fn try_begin_reply(&self, run_id: &str, number: u64) -> Result<Option<JournalReply>, NotBegun> {
        let mut state = self.lock();
        let recorded = state.replies.get(&(run_id.to_owned(), number)).cloned();
        if recorded.is_none() && !state.in_progress.insert(Step::Reply(run_id.to_owned(), number)) {
            return Err(NotBegun::InProgress);
        }
        Ok(recorded)
    }

    async fn until_begun<T>(&self, try_begin: impl Fn() -> Result<T, NotBegun>) -> Result<T, JournalError> {
        loop {
            let ended = self.ended();
            match try_begin() {
                Ok(recorded) => return Ok(recorded),
                Err(NotBegun::InProgress) => ended.await,
                Err(NotBegun::Failed(error)) => return Err(error),
            }
        }
    }
}

/// Whether a run is that of an inner session of the other one, or of an inner session in it.
pub(crate) fn is_inner(run_id: &str, outer: &str) -> bool {
    let is_number = |text: &str| text.parse::<u64>().is_ok_and(|number| number.to_string() == text);
    let Some(rest) = run_id.strip_prefix(outer).and_then(|rest| rest.strip_prefix('/')) else { return false };
    rest.split('/').all(is_number) && rest.split('/').count() % 2 == 0
}

impl Journal for MemoryJournal {
    fn find_calls<'a>(&'a self, run_id: &'a str, reply: u64) -> JournalFuture<'a, Vec<RecordedCall>> {
        Box::pin(async move {
            let state = self.lock();
            let Some(first) = RunContext::new().run_id(run_id).key(reply, 0) else { return Ok(Vec::new()) };
            let calls = state.calls.range(first..).map(|(_, recorded)| recorded);
            let calls = calls.take_while(|recorded| {
                let key = &recorded.call.key;
                key.run_id == run_id && key.reply == reply
            });
            Ok(calls.cloned().collect())
        })
    }

    fn begin_call<'a>(&'a self, call: &'a JournalCall) -> JournalFuture<'a, Option<RecordedCall>> {
        Box::pin(self.until_begun(|| self.try_begin(call)))
    }

    fn finish_call<'a>(&'a self, key: &'a CallKey, result: &'a ToolResult) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            let finished = self.lock().finish(key, result);
            // Acknowledged later than it is recorded, as in a file.
            tokio::time::sleep(Duration::from_millis(1)).await;
            if finished.is_ok() {
                self.end(&Step::Call(key.clone()));
            }
            finished
        })
    }

    fn release_call<'a>(&'a self, key: &'a CallKey) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            self.end(&Step::Call(key.clone()));
            Ok(())
        })
    }

    fn find_reply<'a>(&'a self, run_id: &'a str, number: u64) -> JournalFuture<'a, Option<JournalReply>> {
        Box::pin(async move { Ok(self.lock().replies.get(&(run_id.to_owned(), number)).cloned()) })
    }

    fn begin_reply<'a>(&'a self, run_id: &'a str, number: u64) -> JournalFuture<'a, Option<JournalReply>> {
        Box::pin(self.until_begun(move || self.try_begin_reply(run_id, number)))
    }

    fn record_reply<'a>(&'a self, reply: &'a JournalReply) -> JournalFuture<'a, bool> {
        Box::pin(async move {
            let (is_new, delay) = {
                let mut state = self.lock();
                (state.record(reply)?, state.reply_delay)
            };
            tokio::time::sleep(if is_new { delay } else { Duration::ZERO }).await;
            self.end(&Step::Reply(reply.run_id.clone(), reply.number));
            Ok(is_new)
        })
    }

    fn release_reply<'a>(&'a self, run_id: &'a str, number: u64) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            self.end(&Step::Reply(run_id.to_owned(), number));
            Ok(())
        })
    }

    fn remove_run<'a>(&'a self, run_id: &'a str) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            let mut state = self.lock();
            let is_removed = |other: &str| other == run_id || is_inner(other, run_id);
            if state.in_progress.iter().any(|step| is_removed(step.run_id())) {
                return Err(JournalError::in_progress(run_id));
            }
            state.calls.retain(|key, _| !is_removed(&key.run_id));
            state.replies.retain(|(other, _), _| !is_removed(other));
            Ok(())
        })
    }
}
