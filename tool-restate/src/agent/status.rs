//! The stored state of a session in addition to the session: which inputs wait, which calls run, and who waits for the session.

use super::input::{Input, Inputs};
use super::step::Stepped;
use super::step_error::StepError;
use crate::protocol::{Decision, Report, SessionEnd, json_bytes};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;
use tool_runtime::Session;
use tool_runtime::dispatch::HandedOutCall;
use tool_runtime::session::WaitingCall;

/// The bytes of a session that messages and results leave free, for the texts of errors and the names of fields.
pub(super) const RESERVED_BYTES: usize = 64 * 1024;

/// The attempts of a step whose workers end, such as one that takes too much memory.
const MAX_ENDS_OF_WORKERS: u32 = 1000;

/// The first and the longest pause before a step is repeated: after an error of its request, and after the end of its worker.
const REQUEST_PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(30));
const WORKER_PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(10));

/// The requests that may wait for a session at once. A further one replaces the oldest, whose connection has probably ended.
const MAX_WAITERS: usize = 1000;

/// A call for a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct UnsentCall {
    pub(super) call: HandedOutCall,
    /// The service that runs it.
    pub(super) service: String,
}

/// The state of a session that each of its handlers reads.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Status {
    /// Whether a step is queued, or the step that runs is followed by another one.
    pub(super) is_step_queued: bool,
    pub(super) inputs: Inputs,
    /// The bytes of the session after the last step, and their limit.
    pub(super) session_bytes: usize,
    pub(super) max_bytes: Option<usize>,
    /// The attempts of the next step that have ended without a result.
    pub(super) attempts: u32,
    /// How many of these attempts have ended with their worker.
    pub(super) ends_of_workers: u32,
    /// The time of the first error of these attempts, in milliseconds since 1970.
    pub(super) failing_since: Option<u64>,
    /// The calls that the last step has handed out, and that no worker has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) unsent: Vec<UnsentCall>,
    /// The calls that run, by their ids, with their invocations.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) running: BTreeMap<String, String>,
    /// The report of the last step. A decision removes its call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) report: Option<Report>,
    /// The awakeables of those who wait.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) waiters: Vec<String>,
}

impl Status {
    /// Whether the session has had a message.
    pub(super) fn exists(&self) -> bool {
        self.report.is_some() || self.is_step_queued
    }

    /// Whether calls run or are about to run.
    pub(super) fn has_calls(&self) -> bool {
        !self.running.is_empty() || !self.unsent.is_empty()
    }

    /// Whether calls or a step run, or a person or another system can act.
    pub(super) fn is_active(&self) -> bool {
        let waits =
            |report: &Report| !report.awaiting_approval.is_empty() || !report.awaiting_result.is_empty();
        let has_work = self.is_step_queued || self.has_calls() || !self.inputs.is_empty();
        has_work || self.report.as_ref().is_some_and(waits)
    }

    /// The bytes of the session with an input; an error if they are too many.
    pub(super) fn check_size(&self, input: &impl Serialize) -> Result<(), String> {
        let bytes = self.session_bytes + self.inputs.bytes() + json_bytes(input) + RESERVED_BYTES;
        match self.max_bytes {
            Some(max_bytes) if bytes > max_bytes => Err(session_too_large(bytes, max_bytes)),
            _ => Ok(()),
        }
    }

    /// The report, if nothing happens until a person or another system acts, or if a person can act now.
    pub(super) fn settled(&self) -> Option<&Report> {
        let report = self.report.as_ref()?;
        let is_settled = !self.is_step_queued && (!self.has_calls() || !report.awaiting_approval.is_empty());
        is_settled.then_some(report)
    }

    /// Adds a request that waits. Returns the awakeable of the one that it replaces.
    #[must_use]
    pub(super) fn add_waiter(&mut self, awakeable: String) -> Option<String> {
        let oldest = (self.waiters.len() >= MAX_WAITERS).then(|| self.waiters.remove(0));
        self.waiters.push(awakeable);
        oldest
    }

    /// Takes a call out of those that wait. `Err` is the reason why the decision is a conflict.
    pub(super) fn decide(&mut self, decision: &Decision) -> Result<(), String> {
        let (id, takes_result) = (decision.call_id(), matches!(decision, Decision::ProvideResult { .. }));
        let take = |calls: &mut Vec<WaitingCall>| {
            let before = calls.len();
            calls.retain(|call| call.id != id);
            calls.len() < before
        };
        let taken = self.report.as_mut().is_some_and(|report| {
            take(&mut report.awaiting_approval) || (takes_result && take(&mut report.awaiting_result))
        });
        if taken {
            return Ok(());
        }
        let wanted = if takes_result { "a result" } else { "an approval" };
        Err(format!(
            "the call `{id}` does not wait for {wanted}: it has ended, another request has decided about it, or the session has no \
             such call"
        ))
    }

    /// Removes a call that has ended. `false` if the session does not wait for it: it was cancelled, for example.
    pub(super) fn remove_running(&mut self, id: &str) -> bool {
        self.running.remove(id).is_some()
    }

    /// The calls that wait for a person or a result end with the next step: no decision about them is accepted.
    pub(super) fn end_waiting(&mut self) {
        if let Some(report) = &mut self.report {
            report.awaiting_approval.clear();
            report.awaiting_result.clear();
        }
    }

    /// Cancels the calls. Returns the input for the next step, and the invocations to cancel.
    pub(super) fn cancel(&mut self) -> (Input, Vec<String>) {
        self.end_waiting();
        let unsent = std::mem::take(&mut self.unsent).into_iter().map(|unsent| unsent.call.id).collect();
        let running = std::mem::take(&mut self.running).into_values().filter(|id| !id.is_empty()).collect();
        (Input::Cancel { unsent }, running)
    }

    /// Takes the result of a step without the session, which it returns.
    pub(super) fn take_result(&mut self, stepped: Stepped) -> Session {
        let Stepped { session, bytes, max_bytes, taken, mut report, handed_out, continues } = stepped;
        (self.session_bytes, self.max_bytes) = (bytes, Some(max_bytes));
        self.forget_attempts();
        self.inputs.remove(&taken);
        report.awaiting_approval.retain(|call| !self.inputs.concern(&call.id));
        report.awaiting_result.retain(|call| !self.inputs.concern(&call.id));
        let is_new = |id: &str| !self.running.contains_key(id) && !self.inputs.concern(id);
        self.unsent = handed_out.into_iter().filter(|unsent| is_new(&unsent.call.id)).collect();
        self.report = Some(report);
        // Messages that have waited for calls.
        self.is_step_queued = continues || (!self.inputs.is_empty() && !self.has_calls());
        session
    }

    /// Takes the error of an attempt. Returns the pause before the next one; without it, the session has failed.
    pub(super) fn retry_after_error(&mut self, error: StepError) -> Option<Duration> {
        let since = *self.failing_since.get_or_insert(error.at);
        let is_last = error.at.saturating_sub(since) >= error.retry_for;
        self.retry(REQUEST_PAUSES, is_last.then_some(error.message))
    }

    /// Takes the end of the worker that ran an attempt. Returns the pause before the next one; without it, the session has failed.
    pub(super) fn retry_after_end_of_worker(&mut self) -> Option<Duration> {
        self.ends_of_workers += 1;
        let is_last = self.ends_of_workers >= MAX_ENDS_OF_WORKERS;
        let message = || {
            format!(
                "{MAX_ENDS_OF_WORKERS} attempts of the step ended without a result: check whether its worker ends, or whether its \
                 request takes longer than `Agent::longest_request`"
            )
        };
        self.retry(WORKER_PAUSES, is_last.then(message))
    }

    fn retry(
        &mut self,
        (first, longest): (Duration, Duration),
        last_error: Option<String>,
    ) -> Option<Duration> {
        if let Some(error) = last_error {
            self.fail(error);
            return None;
        }
        let pause = (first * 2_u32.pow(self.attempts.min(15))).min(longest);
        self.attempts += 1;
        self.is_step_queued = true;
        Some(pause)
    }

    fn forget_attempts(&mut self) {
        (self.attempts, self.ends_of_workers, self.failing_since) = (0, 0, None);
    }

    /// Takes the error of a step, whose inputs wait.
    pub(super) fn fail(&mut self, error: String) {
        self.is_step_queued = false;
        self.forget_attempts();
        let end = SessionEnd::Failed(error);
        self.report = Some(match self.report.take() {
            Some(report) => Report { end, ..report },
            None => Report::new(&Session::new(), end),
        });
    }
}

/// The error of a session that is too large for the engine.
pub(super) fn session_too_large(bytes: usize, max_bytes: usize) -> String {
    format!(
        "the session would have {bytes} bytes, and may have at most {max_bytes}: compact it, or store long contents elsewhere"
    )
}

#[cfg(test)]
mod tests {
    use super::{MAX_WAITERS, Status};

    #[test]
    fn the_oldest_request_that_waits_is_replaced() {
        let mut status = Status::default();
        for number in 0..MAX_WAITERS {
            assert_eq!(status.add_waiter(number.to_string()), None);
        }
        assert_eq!(status.add_waiter("last".to_owned()).as_deref(), Some("0"));
        assert_eq!((status.waiters.len(), &*status.waiters[0]), (MAX_WAITERS, "1"));
    }
}
