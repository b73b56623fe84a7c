//! A journal in memory, which survives the runs of a test and can fail.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tool_runtime::dispatch::{CallKey, ToolResult};
use tool_runtime_durable::{Journal, JournalCall, JournalError, JournalFuture, JournalReply, RecordedCall};

#[derive(Clone, Default)]
pub(crate) struct MemoryJournal(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    calls: HashMap<CallKey, JournalCall>,
    /// As JSON, like a journal in a file.
    results: HashMap<CallKey, String>,
    replies: HashMap<(String, u64), String>,
    running: HashSet<CallKey>,
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journal for MemoryJournal {
    fn find_call<'a>(&'a self, key: &'a CallKey) -> JournalFuture<'a, Option<RecordedCall>> {
        Box::pin(async move { Ok(self.lock().record(key)) })
    }

    fn begin_call<'a>(&'a self, call: &'a JournalCall) -> JournalFuture<'a, Option<RecordedCall>> {
        Box::pin(async move {
            let mut state = self.lock();
            if state.running.contains(&call.key) {
                return Err(JournalError::running(call.key.clone()));
            }
            let recorded = state.record(&call.key);
            if recorded.is_none() {
                state.operation(format!("begin {}", call.key))?;
                state.calls.insert(call.key.clone(), call.clone());
            }
            state.running.insert(call.key.clone());
            Ok(recorded)
        })
    }

    fn finish_call<'a>(&'a self, key: &'a CallKey, result: &'a ToolResult) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            let finish = || {
                let mut state = self.lock();
                state.operation(format!("finish {key}"))?;
                state.results.insert(key.clone(), serde_json::to_string(result).expect("a result"));
                Ok(())
            };
            let finished = finish();
            // Acknowledged later than it is recorded, as in a file.
            tokio::time::sleep(Duration::from_millis(1)).await;
            finished
        })
    }

    fn release_call(&self, key: &CallKey) {
        self.lock().running.remove(key);
    }

    fn find_reply<'a>(&'a self, run_id: &'a str, number: u64) -> JournalFuture<'a, Option<JournalReply>> {
        Box::pin(async move {
            let read = |json: &String| serde_json::from_str(json).expect("a reply");
            Ok(self.lock().replies.get(&(run_id.to_owned(), number)).map(read))
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
            Ok(is_new)
        })
    }
}
