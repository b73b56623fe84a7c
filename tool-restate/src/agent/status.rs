//! The stored state of a session in addition to the session: its inputs, its calls, and who waits for it.

use super::step::{Outcome, StepError, Stepped, session_too_large};
use crate::protocol::{Decision, Report, SessionEnd, UserMessage, json_bytes};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;
use tool_runtime::Session;
use tool_runtime::dispatch::{CallEnd, HandedOutCall};
use tool_runtime::session::WaitingCall;

/// A step takes inputs until they have more bytes, so that the engine does not hold too many large values of one invocation.
pub(super) const MAX_BYTES_AT_ONCE: usize = 1024 * 1024;

/// The bytes of a session that messages and results leave free, for the texts of errors and the names of fields.
pub(super) const RESERVED_BYTES: usize = 64 * 1024;

/// The attempts of a step whose workers end, such as one that takes too much memory.
const MAX_ATTEMPTS: u32 = 1000;

/// The first and the longest pause before a step is repeated: after an error of its request, and after the end of its worker.
const REQUEST_PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(30));
const WORKER_PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(10));

/// Those who wait beyond this number are those whose connections have ended.
const MAX_WAITERS: usize = 1000;

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
    /// The session runs without a change.
    Resume,
}

/// An input that waits for a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct WaitingInput {
    pub(super) number: u64,
    kind: InputKind,
    bytes: usize,
    /// The call of a decision or of an end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum InputKind {
    Message,
    Change,
    Cancel,
}

impl WaitingInput {
    fn new(number: u64, input: &Input, bytes: usize) -> Self {
        let (kind, call) = match input {
            Input::Message(_) => (InputKind::Message, None),
            Input::Decision(decision) => (InputKind::Change, Some(decision.call_id().to_owned())),
            Input::End { id, .. } => (InputKind::Change, Some(id.clone())),
            Input::Cancel { .. } => (InputKind::Cancel, None),
            Input::Resume => (InputKind::Change, None),
        };
        WaitingInput { number, kind, bytes, call }
    }
}

/// The inputs of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Selected {
    pub(super) numbers: Vec<u64>,
    /// Whether inputs remain that belong to the same step: this one changes the session, and does not run it.
    pub(super) is_part: bool,
    /// The bytes of the messages and decisions that wait, which results may not take.
    pub(super) reserved_bytes: usize,
}

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
    /// The inputs that wait for a step, in their order. Each is a value of its own in the engine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) inputs: Vec<WaitingInput>,
    /// The number of the next input.
    pub(super) next_input: u64,
    /// The bytes of the session after the last step, and their limit.
    pub(super) session_bytes: usize,
    pub(super) max_bytes: Option<usize>,
    /// The attempts of the next step that have ended without it, and the time of the first error among them.
    pub(super) attempts: u32,
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

    /// Adds an input, and returns its number.
    pub(super) fn add(&mut self, input: &Input) -> u64 {
        let number = self.next_input;
        self.next_input += 1;
        self.inputs.push(WaitingInput::new(number, input, json_bytes(input)));
        number
    }

    /// The bytes of the inputs.
    pub(super) fn input_bytes(&self) -> usize {
        self.inputs.iter().map(|input| input.bytes).sum()
    }

    /// The bytes of the session with an input; an error if they are too many.
    pub(super) fn check_size(&self, input: &impl Serialize) -> Result<(), String> {
        let bytes = self.session_bytes + self.input_bytes() + json_bytes(input) + RESERVED_BYTES;
        match self.max_bytes {
            Some(max_bytes) if bytes > max_bytes => Err(session_too_large(bytes, max_bytes)),
            _ => Ok(()),
        }
    }

    /// The inputs of the next step. A cancellation ends the inputs before it. Otherwise the ends of calls and the decisions come first,
    /// and the messages wait for the calls that run.
    pub(super) fn select(&self) -> Selected {
        let is_message = |input: &&WaitingInput| input.kind == InputKind::Message;
        let has_cancel = self.inputs.iter().any(|input| input.kind == InputKind::Cancel);
        let wanted: Vec<_> = if has_cancel {
            self.inputs.iter().collect()
        } else {
            let messages = self.inputs.iter().filter(|input| is_message(input) && !self.has_calls());
            self.inputs.iter().filter(|input| !is_message(input)).chain(messages).collect()
        };
        let (mut selected, mut bytes) = (Selected::default(), 0);
        for input in wanted {
            bytes += input.bytes;
            if !selected.numbers.is_empty() && bytes > MAX_BYTES_AT_ONCE {
                selected.is_part = true;
                break;
            }
            selected.numbers.push(input.number);
        }
        selected.reserved_bytes = self.inputs.iter().filter(is_message).map(|input| input.bytes).sum();
        selected
    }

    /// Whether an input about this call waits for a step.
    fn is_changed(&self, id: &str) -> bool {
        self.inputs.iter().any(|input| input.call.as_deref() == Some(id))
    }

    /// The report, if nothing happens until a person or another system acts, or if a person can act now.
    pub(super) fn settled(&self) -> Option<&Report> {
        let report = self.report.as_ref()?;
        let is_settled = !self.is_step_queued && (!self.has_calls() || !report.awaiting_approval.is_empty());
        is_settled.then_some(report)
    }

    pub(super) fn add_waiter(&mut self, awakeable: String) {
        if self.waiters.len() >= MAX_WAITERS {
            self.waiters.remove(0);
        }
        self.waiters.push(awakeable);
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

    /// Takes the note that a call has ended. `false` if the session does not wait for it: it was cancelled, for example.
    pub(super) fn end(&mut self, id: &str) -> bool {
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

    /// Takes the result of a step, and returns the session.
    pub(super) fn take_step(&mut self, stepped: Stepped) -> Session {
        let Stepped { session, bytes, max_bytes, taken, mut report, handed_out, continues } = stepped;
        (self.session_bytes, self.max_bytes) = (bytes, Some(max_bytes));
        (self.attempts, self.failing_since) = (0, None);
        self.inputs.retain(|input| !taken.contains(&input.number));
        report.awaiting_approval.retain(|call| !self.is_changed(&call.id));
        report.awaiting_result.retain(|call| !self.is_changed(&call.id));
        let is_new = |id: &str| !self.running.contains_key(id) && !self.is_changed(id);
        self.unsent = handed_out.into_iter().filter(|unsent| is_new(&unsent.call.id)).collect();
        self.report = Some(report);
        // Messages that have waited for calls.
        self.is_step_queued = continues || (!self.inputs.is_empty() && !self.has_calls());
        session
    }

    /// Takes the outcome of a step that has not run. Returns the pause before the next attempt, or ends the session.
    pub(super) fn retry(&mut self, outcome: Outcome) -> Option<Duration> {
        self.attempts += 1;
        let (message, is_last, pauses) = match outcome {
            Outcome::Failed(StepError { message, is_permanent, at, retry_for }) => {
                let since = *self.failing_since.get_or_insert(at);
                let is_last = is_permanent || at.saturating_sub(since) >= retry_for;
                (message, is_last, REQUEST_PAUSES)
            }
            Outcome::GivenUp | Outcome::Stepped(_) => {
                let message = format!("the workers ended in each of {} attempts", self.attempts);
                (message, self.attempts >= MAX_ATTEMPTS, WORKER_PAUSES)
            }
        };
        if is_last {
            self.fail(message);
            return None;
        }
        self.is_step_queued = true;
        let (first, longest) = pauses;
        Some((first * 2_u32.pow(self.attempts.min(16) - 1)).min(longest))
    }

    /// Takes the error of a step, whose inputs wait.
    pub(super) fn fail(&mut self, error: String) {
        (self.is_step_queued, self.attempts, self.failing_since) = (false, 0, None);
        let end = SessionEnd::Failed(error);
        self.report = Some(match self.report.take() {
            Some(report) => Report { end, ..report },
            None => Report::new(&Session::new(), end),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Input {
        Input::Message(UserMessage::Text(text.to_owned()))
    }

    fn approve(id: &str) -> Input {
        Input::Decision(Decision::Approve { id: id.to_owned() })
    }

    fn end(id: &str, bytes: usize) -> Input {
        Input::End { id: id.to_owned(), end: "x".repeat(bytes).into() }
    }

    /// The numbers of the inputs of the next step, and whether it is a part.
    fn selected(inputs: &[Input], running: &[&str]) -> (Vec<u64>, bool) {
        let running = running.iter().map(|id| ((*id).to_owned(), String::new())).collect();
        let mut status = Status { running, ..Status::default() };
        for input in inputs {
            status.add(input);
        }
        let Selected { numbers, is_part, .. } = status.select();
        (numbers, is_part)
    }

    #[test]
    fn messages_wait_for_calls_and_follow_decisions() {
        let inputs = [message("a"), approve("c"), message("b"), end("d", 1)];
        assert_eq!(selected(&inputs, &["e"]), (vec![1, 3], false));
        assert_eq!(selected(&inputs, &[]), (vec![1, 3, 0, 2], false));
    }

    #[test]
    fn a_cancellation_keeps_the_order() {
        let inputs = [message("a"), Input::Cancel { unsent: Vec::new() }, approve("c"), message("b")];
        assert_eq!(selected(&inputs, &[]), (vec![0, 1, 2, 3], false));
    }

    #[test]
    fn large_inputs_are_taken_one_after_the_other() {
        let inputs =
            [end("a", 2 * MAX_BYTES_AT_ONCE), end("b", MAX_BYTES_AT_ONCE / 2), end("c", MAX_BYTES_AT_ONCE)];
        assert_eq!(selected(&inputs, &[]), (vec![0], true));
        assert_eq!(selected(&inputs[1..], &[]), (vec![0], true));
        assert_eq!(selected(&inputs[2..], &[]), (vec![0], false));
    }
}
