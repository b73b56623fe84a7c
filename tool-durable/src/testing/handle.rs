//! A handle of the store, whose operations have a time limit.

use super::Checked;
use super::concurrent::BoxedCheck;
use super::expected::{Expected, difference, shown};
use crate::error::JournalError;
use crate::journal::{Journal, JournalCall, JournalFuture, JournalReply, RecordedCall};
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tool_runtime::dispatch::{CallKey, ToolResult};

/// An operation that is not ready after this time counts as one that never ends.
pub(super) const LIMIT: Duration = Duration::from_secs(30);
/// An operation that is not ready after this time counts as one that waits. A store that waits passes however slow it is.
const WAIT: Duration = Duration::from_millis(200);

/// A handle of the store that is checked.
#[derive(Debug)]
pub(super) struct Handle<'a, J> {
    journal: &'a J,
    name: &'static str,
}

/// An operation of the store. `await` returns its value within the time limit.
pub(super) struct Operation<'a, T> {
    /// Its description, for messages.
    text: String,
    future: JournalFuture<'a, T>,
}

impl<'a, J: Journal> Handle<'a, J> {
    pub(super) fn new(journal: &'a J, name: &'static str) -> Self {
        Handle { journal, name }
    }

    pub(super) fn find<'b>(&'b self, key: &'b CallKey) -> Operation<'b, Option<RecordedCall>> {
        let find = async move {
            let calls = self.journal.find_calls(&key.run_id, key.reply).await?;
            Ok(calls.into_iter().find(|recorded| recorded.call.key == *key))
        };
        self.operation("find_calls", key, Box::pin(find))
    }

    /// The calls of a reply, by position.
    pub(super) fn find_calls<'b>(&'b self, run_id: &'b str, reply: u64) -> Operation<'b, Vec<RecordedCall>> {
        let find = async move {
            let mut calls = self.journal.find_calls(run_id, reply).await?;
            calls.sort_by(|left, right| left.call.key.cmp(&right.call.key));
            Ok(calls)
        };
        self.operation("find_calls", format_args!("{run_id}/{reply}"), Box::pin(find))
    }

    pub(super) fn begin<'b>(&'b self, call: &'b JournalCall) -> Operation<'b, Option<RecordedCall>> {
        self.operation("begin_call", &call.key, self.journal.begin_call(call))
    }

    pub(super) fn finish<'b>(&'b self, key: &'b CallKey, result: &'b ToolResult) -> Operation<'b, ()> {
        self.operation("finish_call", key, self.journal.finish_call(key, result))
    }

    pub(super) fn release<'b>(&'b self, key: &'b CallKey) -> Operation<'b, ()> {
        self.operation("release_call", key, self.journal.release_call(key))
    }

    pub(super) fn find_reply<'b>(
        &'b self,
        run_id: &'b str,
        number: u64,
    ) -> Operation<'b, Option<JournalReply>> {
        let find = self.journal.find_reply(run_id, number);
        self.operation("find_reply", format_args!("{run_id}/{number}"), find)
    }

    pub(super) fn begin_reply<'b>(
        &'b self,
        run_id: &'b str,
        number: u64,
    ) -> Operation<'b, Option<JournalReply>> {
        let begin = self.journal.begin_reply(run_id, number);
        self.operation("begin_reply", format_args!("{run_id}/{number}"), begin)
    }

    pub(super) fn record_reply<'b>(&'b self, reply: &'b JournalReply) -> Operation<'b, bool> {
        let of = format_args!("{}/{}", reply.run_id, reply.number);
        self.operation("record_reply", of, self.journal.record_reply(reply))
    }

    pub(super) fn release_reply<'b>(&'b self, run_id: &'b str, number: u64) -> Operation<'b, ()> {
        let release = self.journal.release_reply(run_id, number);
        self.operation("release_reply", format_args!("{run_id}/{number}"), release)
    }

    pub(super) fn remove<'b>(&'b self, run_id: &'b str) -> Operation<'b, ()> {
        self.operation("remove_run", run_id, self.journal.remove_run(run_id))
    }

    /// Removes a run after operations of it are dropped. A store may need some time to end them.
    pub(super) async fn remove_after_drops(&self, run_id: &str) -> Checked {
        let removal = async {
            while let Err(JournalError::InProgress { .. }) = self.journal.remove_run(run_id).await {
                sleep(Duration::from_millis(20)).await;
            }
        };
        // The next removal has the error if it still fails.
        let _ = timeout(LIMIT, removal).await;
        self.remove(run_id).await
    }

    fn operation<'b, T>(
        &self,
        method: &str,
        of: impl std::fmt::Display,
        future: JournalFuture<'b, T>,
    ) -> Operation<'b, T> {
        let of = of.to_string();
        let text = format!("`{method}` of `{}` in the {} handle", of.escape_debug(), self.name);
        Operation { text, future }
    }
}

impl<T: Expected> Operation<'_, T> {
    /// Checks the value of the operation.
    pub(super) async fn returns(mut self, expected: &T) -> Checked {
        let outcome = self.outcome().await?;
        let found = self.value(outcome)?;
        match difference(&found.to_json(), &expected.to_json()) {
            None => Ok(()),
            Some(difference) => Err(format!("{} returns {difference}", self.text)),
        }
    }

    /// Checks that the operation waits now.
    pub(super) fn waits(&mut self) -> BoxedCheck<'_> {
        Box::pin(async {
            match timeout(WAIT, self.future.as_mut()).await {
                Err(_) => Ok(()),
                Ok(outcome) => {
                    let found = self.value(outcome)?.to_json();
                    Err(format!("{} returns {}, and does not wait", self.text, shown(&found)))
                }
            }
        })
    }

    /// Polls the operation for a time, and drops it. Returns its value if it was ready.
    pub(super) async fn dropped_after(mut self, time: Duration) -> Checked<Option<T>> {
        match timeout(time, self.future.as_mut()).await {
            Err(_) => Ok(None),
            Ok(outcome) => self.value(outcome).map(Some),
        }
    }
}

impl Operation<'_, ()> {
    /// Checks that a removal fails since the run is in progress.
    pub(super) async fn fails_in_progress(mut self) -> Checked {
        match self.outcome().await? {
            Err(JournalError::InProgress { .. }) => Ok(()),
            Ok(()) => Err(format!("{} removes the run, which is in progress", self.text)),
            Err(error) => Err(format!("{} returns another error than `InProgress`: {error}", self.text)),
        }
    }
}

impl<T> Operation<'_, T> {
    async fn outcome(&mut self) -> Checked<Result<T, JournalError>> {
        let outcome = timeout(LIMIT, self.future.as_mut()).await;
        outcome.map_err(|_| format!("{} is not ready after {} seconds", self.text, LIMIT.as_secs()))
    }

    fn value(&self, outcome: Result<T, JournalError>) -> Checked<T> {
        outcome.map_err(|error| format!("{} returns the error: {error}", self.text))
    }
}

impl<'a, T: Send + 'a> IntoFuture for Operation<'a, T> {
    type Output = Checked<T>;
    type IntoFuture = BoxedCheck<'a, T>;

    fn into_future(mut self) -> Self::IntoFuture {
        Box::pin(async move {
            let outcome = self.outcome().await?;
            self.value(outcome)
        })
    }
}
