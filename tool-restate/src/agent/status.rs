//! The stored state of a session in addition to the session: its inputs, its calls, and who waits for it.

use crate::protocol::{Decision, Report, SessionEnd, UserMessage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tool_runtime::Session;
use tool_runtime::dispatch::{CallEnd, HandedOutCall};

/// Inputs of more bytes do not wait for the calls that run, so that no value of the state exceeds the limit of the engine.
pub(super) const MAX_WAITING_BYTES: usize = 4 * 1024 * 1024;

/// A change that the next step makes to the session.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Input {
    Message(UserMessage),
    Decision(Decision),
    /// The end of a call that has run on a worker.
    End {
        id: String,
        end: CallEnd,
    },
    /// A person has cancelled the session. The calls with these ids have not been sent to workers.
    Cancel {
        unsent: Vec<String>,
    },
}

/// The state of a session that each of its handlers reads.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Status {
    /// Whether a step is queued, or the step that runs is followed by another one.
    pub(super) is_step_queued: bool,
    /// The calls that the last step has handed out, and that no worker has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) unsent: Vec<HandedOutCall>,
    /// The calls that run, by their ids, with their invocations.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) running: BTreeMap<String, String>,
    /// The bytes of the session after the last step.
    pub(super) session_bytes: usize,
    /// The report of the last step. A decision removes its call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) report: Option<Report>,
    /// The awakeables of those who wait.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) waiters: Vec<String>,
}

impl Status {
    /// Whether calls run or are about to run.
    pub(super) fn has_calls(&self) -> bool {
        !self.running.is_empty() || !self.unsent.is_empty()
    }

    /// Whether nothing happens until a person or another system acts, or a person can act now.
    pub(super) fn settled(&self) -> Option<&Report> {
        let report = self.report.as_ref()?;
        let is_settled = !self.is_step_queued && (!self.has_calls() || !report.awaiting_approval.is_empty());
        is_settled.then_some(report)
    }

    /// Takes a call out of those that wait. `Err` is the reason why the decision is a conflict.
    pub(super) fn decide(&mut self, decision: &Decision) -> Result<(), String> {
        let (id, takes_result) = match decision {
            Decision::Approve { id } | Decision::ApproveWith { id, .. } | Decision::Deny { id, .. } => {
                (id, false)
            }
            Decision::ProvideResult { id, .. } => (id, true),
        };
        let report = self.report.as_mut().ok_or_else(|| format!("the session has no call `{id}`"))?;
        let take = |calls: &mut Vec<_>| {
            let before = calls.len();
            calls.retain(|call: &tool_runtime::session::WaitingCall| call.id != *id);
            calls.len() < before
        };
        if take(&mut report.awaiting_approval) || (takes_result && take(&mut report.awaiting_result)) {
            return Ok(());
        }
        let wanted = if takes_result { "a result" } else { "an approval" };
        Err(format!(
            "the call `{id}` does not wait for {wanted}: it has run, or another request has decided about it"
        ))
    }

    /// Takes the note that a call has ended. `false` if the session does not wait for it: it was cancelled, for example.
    pub(super) fn end(&mut self, id: &str) -> bool {
        self.running.remove(id).is_some()
    }

    /// Cancels the calls. Returns the input for the next step, and the invocations to cancel.
    pub(super) fn cancel(&mut self) -> (Input, Vec<String>) {
        let unsent = std::mem::take(&mut self.unsent).into_iter().map(|call| call.id).collect();
        let running = std::mem::take(&mut self.running).into_values().collect();
        (Input::Cancel { unsent }, running)
    }

    /// Takes the result of a step.
    pub(super) fn stepped(&mut self, report: Report, handed_out: Vec<HandedOutCall>, continues: bool) {
        self.is_step_queued = continues;
        self.unsent = handed_out.into_iter().filter(|call| !self.running.contains_key(&call.id)).collect();
        self.report = Some(report);
    }

    /// Takes the error of a step.
    pub(super) fn failed(&mut self, error: String) {
        self.is_step_queued = false;
        let end = SessionEnd::Failed(error);
        self.report = Some(match self.report.take() {
            Some(report) => Report { end, ..report },
            None => Report::new(&Session::new(), end),
        });
    }
}
