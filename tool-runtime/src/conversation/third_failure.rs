//! A model that repeats a call which fails is told so, before it does it for ever.

use crate::messages::{Message, ToolCall, ToolMessage};
use std::collections::HashMap;

const NOTE: &str = " This call has now failed in the same way three times in a row: do not repeat it as it is. Change its \
                    arguments, do something else, or say what cannot be done.";

/// The answer, with a note if the same call failed in the same way the last two times that it was made since the user spoke.
pub(super) fn told(before: &[Message], call: &ToolCall, mut answer: ToolMessage) -> ToolMessage {
    if is_failure(&answer) && has_failed_twice(before, call, &answer.content) {
        answer.content = format!("{}{NOTE}", answer.content).into();
    }
    answer
}

fn is_failure(answer: &ToolMessage) -> bool {
    match answer.outcome() {
        Some(outcome) => !outcome.succeeded(),
        None => answer.content.starts_with("Error: "),
    }
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
