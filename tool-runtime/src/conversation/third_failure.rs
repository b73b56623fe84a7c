//! A model that repeats a call which fails is told so, before it does it for ever.

use crate::messages::{Message, ToolCall, ToolMessage};
use crate::outcome::{CallError, Outcome};
use std::collections::HashMap;

const NOTE: &str = "\nThis call has now failed in the same way three times in a row: do not repeat it as it is. Change its \
                    arguments, do something else, or say what cannot be done.";

/// The answer, with a note if the same call failed in the same way the last two times that it was made since the user spoke.
pub(super) fn told(before: &[Message], call: &ToolCall, mut answer: ToolMessage) -> ToolMessage {
    if is_failure(&answer) && has_failed_twice(before, call, &answer.content) {
        answer.content = format!("{}{NOTE}", answer.content).into();
    }
    answer
}

/// One that is the program's doing is none: the model can do nothing about it.
fn is_failure(answer: &ToolMessage) -> bool {
    let error = answer.outcome().and_then(Outcome::error);
    error.is_some_and(|error| !matches!(error, CallError::Cancelled { .. } | CallError::Unavailable { .. }))
}

fn has_failed_twice(before: &[Message], call: &ToolCall, text: &str) -> bool {
    let mut failures = 0;
    let mut answers: HashMap<&str, &ToolMessage> = HashMap::new();
    for message in before.iter().rev() {
        match message {
            Message::Tool(answer) => drop(answers.insert(&answer.tool_call_id, answer)),
            Message::User(_) => return false,
            Message::Assistant(reply) => {
                for earlier in reply.tool_calls.iter().rev().filter(|earlier| is_same(earlier, call)) {
                    let Some(answer) = answers.get(&*earlier.id) else { continue };
                    if answer.content.strip_suffix(NOTE).unwrap_or(&answer.content) != text {
                        return false;
                    }
                    failures += 1;
                    if failures == 2 {
                        return true;
                    }
                }
                answers.clear();
            }
            _ => {}
        }
    }
    false
}

fn is_same(one: &ToolCall, other: &ToolCall) -> bool {
    one.name == other.name && one.arguments == other.arguments
}
