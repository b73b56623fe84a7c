//! A journal in memory, which survives the runs of a test and can fail.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tool_runtime::dispatch::{CallKey, ToolResult};
use tool_runtime_durable::{Journal, JournalCall, JournalError, JournalFuture, JournalReply, RecordedCall};

#[derive(Clone, Default)]
pub(crate) struct MemoryJournal(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Wakes the runs that wait for another one.
    ended: Notify,
}

#[derive(Default)]
struct State {
    calls: HashMap<CallKey, JournalCall>,
    /// As JSON, like a journal in a file.
    results: HashMap<CallKey, String>,
    replies: HashMap<(String, u64), String>,
    /// The calls that run, and the replies that are requested.
    in_progress: HashSet<String>,
    /// The operations that succeeded, in order.
    operations: Vec<String>,
    /// The beginning of the operations that fail.
    fails: Option<&'static str>,
    /// The time after which a recorded reply is acknowledged.
    reply_delay: Duration,
}

impl State {
    fn operation(&mut self, operation: String) -> Result<(), JournalError> {
        if self.fails.is_some_and(|fails| operation.starts_with(fails)) {
            return Err(JournalError::storage("no space left on device"));
        }
        self.operations.push(operation);
        Ok(())
    }

    fn record(&self, key: &CallKey) -> Option<RecordedCall> {
        let read = |json: &String| serde_json::from_str(json).expect("a result");
        let call = self.calls.get(key)?.clone();
        Some(RecordedCall::new(call, self.results.get(key).map(read)))
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
        self.lock().calls.values().map(|call| call.arguments.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a step, once no other run has it in progress.
    async fn begin(&self, step: &str) {
        loop {
            let ended = self.0.ended.notified();
            if self.lock().in_progress.insert(step.to_owned()) {
                return;
            }
            ended.await;
        }
    }

    fn end(&self, step: &str) {
        self.lock().in_progress.remove(step);
        self.0.ended.notify_waiters();
    }
}

fn reply_step(run_id: &str, number: u64) -> String {
    format!("{run_id}/{number}")
}

impl Journal for MemoryJournal {
    fn find_calls<'a>(&'a self, run_id: &'a str, reply: u64) -> JournalFuture<'a, Vec<RecordedCall>> {
        Box::pin(async move {
            let state = self.lock();
            let keys = state.calls.keys().filter(|key| key.run_id == run_id && key.reply == reply);
            Ok(keys.filter_map(|key| state.record(key)).collect())
        })
    }

    fn begin_call<'a>(&'a self, call: &'a JournalCall) -> JournalFuture<'a, Option<RecordedCall>> {
        Box::pin(async move {
            let step = call.key.to_string();
            self.begin(&step).await;
            let record = || {
                let mut state = self.lock();
                let recorded = state.record(&call.key);
                if recorded.is_none() {
                    state.operation(format!("begin {step}"))?;
                    state.calls.insert(call.key.clone(), call.clone());
                }
                Ok(recorded)
            };
            let begun = record();
            if !matches!(&begun, Ok(recorded) if recorded.as_ref().is_none_or(|call| call.result.is_none())) {
                self.end(&step);
            }
            begun
        })
    }

    fn finish_call<'a>(&'a self, key: &'a CallKey, result: &'a ToolResult) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            let finish = || {
                let mut state = self.lock();
                state.operation(format!("finish {key}"))?;
                let result = serde_json::to_string(result).expect("a result");
                state.results.entry(key.clone()).or_insert(result);
                Ok(())
            };
            let finished = finish();
            // Acknowledged later than it is recorded, as in a file.
            tokio::time::sleep(Duration::from_millis(1)).await;
            if finished.is_ok() {
                self.end(&key.to_string());
            }
            finished
        })
    }

    fn release_call<'a>(&'a self, key: &'a CallKey) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            self.end(&key.to_string());
            Ok(())
        })
    }

    fn find_reply<'a>(&'a self, run_id: &'a str, number: u64) -> JournalFuture<'a, Option<JournalReply>> {
        Box::pin(async move {
            let read = |json: &String| serde_json::from_str(json).expect("a reply");
            Ok(self.lock().replies.get(&(run_id.to_owned(), number)).map(read))
        })
    }

    fn begin_reply<'a>(&'a self, run_id: &'a str, number: u64) -> JournalFuture<'a, Option<JournalReply>> {
        Box::pin(async move {
            let step = reply_step(run_id, number);
            self.begin(&step).await;
            let recorded = self.find_reply(run_id, number).await?;
            if recorded.is_some() {
                self.end(&step);
            }
            Ok(recorded)
        })
    }

    fn record_reply<'a>(&'a self, reply: &'a JournalReply) -> JournalFuture<'a, bool> {
        let record = || -> Result<(bool, Duration), JournalError> {
            let mut state = self.lock();
            let key = (reply.run_id.clone(), reply.number);
            if state.replies.contains_key(&key) {
                return Ok((false, Duration::ZERO));
            }
            state.operation(format!("reply {}/{}", reply.run_id, reply.number))?;
            state.replies.insert(key, serde_json::to_string(reply).expect("a reply"));
            Ok((true, state.reply_delay))
        };
        Box::pin(async move {
            let (is_new, delay) = record()?;
            tokio::time::sleep(delay).await;
            self.end(&reply_step(&reply.run_id, reply.number));
            Ok(is_new)
        })
    }

    fn release_reply<'a>(&'a self, run_id: &'a str, number: u64) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            self.end(&reply_step(run_id, number));
            Ok(())
        })
    }

    fn remove_run<'a>(&'a self, _: &'a str) -> JournalFuture<'a, ()> {
        unreachable!("no test removes a run")
    }
}
