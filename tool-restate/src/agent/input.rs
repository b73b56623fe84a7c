//! The inputs of a session: messages, decisions, ends of calls and cancellations, which wait for its next step.

use crate::protocol::{Decision, UserMessage, json_bytes};
use serde::{Deserialize, Serialize};
use tool_runtime::dispatch::CallEnd;

/// A step takes inputs until they have more bytes, so that the engine does not hold too many large values of one invocation.
pub(super) const MAX_BYTES_AT_ONCE: usize = 1024 * 1024;

/// A change that the next step makes to the session. Each is a value of its own in the engine.
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

/// The inputs that wait for a step, in their order.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Inputs {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<WaitingInput>,
    /// The number of the next input.
    next: u64,
}

/// An input without its content.
#[derive(Debug, Serialize, Deserialize)]
struct WaitingInput {
    number: u64,
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
    Cancel,
    Other,
}

impl WaitingInput {
    fn new(number: u64, input: &Input) -> Self {
        let (kind, call) = match input {
            Input::Message(_) => (InputKind::Message, None),
            Input::Cancel { .. } => (InputKind::Cancel, None),
            Input::Decision(decision) => (InputKind::Other, Some(decision.call_id().to_owned())),
            Input::End { id, .. } => (InputKind::Other, Some(id.clone())),
            Input::Resume => (InputKind::Other, None),
        };
        WaitingInput { number, kind, bytes: json_bytes(input), call }
    }
}

/// The inputs of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Selected {
    pub(super) numbers: Vec<u64>,
    /// Whether inputs remain that belong to the same step: this one changes the session, and does not run it.
    pub(super) is_partial: bool,
    /// The bytes of all messages that wait, which results may not take.
    pub(super) message_bytes: usize,
}

impl Inputs {
    /// Adds an input, and returns its number.
    pub(super) fn add(&mut self, input: &Input) -> u64 {
        let number = self.next;
        self.next += 1;
        self.waiting.push(WaitingInput::new(number, input));
        number
    }

    /// Removes the inputs that a step has taken.
    pub(super) fn remove(&mut self, numbers: &[u64]) {
        self.waiting.retain(|input| !numbers.contains(&input.number));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        self.waiting.iter().map(|input| input.bytes).sum()
    }

    /// Whether a decision about this call, or its end, waits for a step.
    pub(super) fn concern(&self, call_id: &str) -> bool {
        self.waiting.iter().any(|input| input.call.as_deref() == Some(call_id))
    }

    /// The inputs of the next step. Ends of calls and decisions come before messages, which wait while calls run. With a cancellation,
    /// the order stays: it ends what came before.
    pub(super) fn select(&self, has_calls: bool) -> Selected {
        let is_message = |input: &&WaitingInput| input.kind == InputKind::Message;
        let has_cancel = self.waiting.iter().any(|input| input.kind == InputKind::Cancel);
        let wanted: Vec<_> = if has_cancel {
            self.waiting.iter().collect()
        } else {
            let messages = self.waiting.iter().filter(|input| is_message(input) && !has_calls);
            self.waiting.iter().filter(|input| !is_message(input)).chain(messages).collect()
        };
        let message_bytes = self.waiting.iter().filter(is_message).map(|input| input.bytes).sum();
        let (mut selected, mut bytes) = (Selected { message_bytes, ..Selected::default() }, 0);
        for input in wanted {
            bytes += input.bytes;
            if !selected.numbers.is_empty() && bytes > MAX_BYTES_AT_ONCE {
                selected.is_partial = true;
                break;
            }
            selected.numbers.push(input.number);
        }
        selected
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

    /// The numbers of the inputs of the next step, and whether it is partial.
    fn selected(inputs: &[Input], has_calls: bool) -> (Vec<u64>, bool) {
        let mut waiting = Inputs::default();
        for input in inputs {
            waiting.add(input);
        }
        let Selected { numbers, is_partial, .. } = waiting.select(has_calls);
        (numbers, is_partial)
    }

    #[test]
    fn messages_wait_for_calls_and_follow_decisions() {
        let inputs = [message("a"), approve("c"), message("b"), end("d", 1)];
        assert_eq!(selected(&inputs, true), (vec![1, 3], false));
        assert_eq!(selected(&inputs, false), (vec![1, 3, 0, 2], false));
    }

    #[test]
    fn a_cancellation_keeps_the_order() {
        let inputs = [message("a"), Input::Cancel { unsent: Vec::new() }, approve("c"), message("b")];
        assert_eq!(selected(&inputs, false), (vec![0, 1, 2, 3], false));
    }

    #[test]
    fn large_inputs_are_taken_one_after_the_other() {
        let inputs =
            [end("a", 2 * MAX_BYTES_AT_ONCE), end("b", MAX_BYTES_AT_ONCE / 2), end("c", MAX_BYTES_AT_ONCE)];
        assert_eq!(selected(&inputs, false), (vec![0], true));
        assert_eq!(selected(&inputs[1..], false), (vec![0], true));
        assert_eq!(selected(&inputs[2..], false), (vec![0], false));
    }
}
