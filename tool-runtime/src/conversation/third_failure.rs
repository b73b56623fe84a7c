//! A model that repeats a call which fails is told so, before it does it for ever.

use crate::message::{Message, ToolCall, ToolMessage};
use crate::outcome::{CallError, Outcome};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

const NOTE: &str = "\nThis call has now failed in the same way three times in a row: do not repeat it as it is. Change its \
                    arguments, do something else, or say what cannot be done.";

/// The calls before those of a reply, since the user spoke.
pub(super) struct Failures<'a> {
    before: &'a [Message],
    /// Looked through when a call fails for the first time, since most never do.
    earlier: OnceLock<Earlier<'a>>,
}

/// By call: what it came to the last two times, the last one first.
type Earlier<'a> = HashMap<Call<'a>, Vec<&'a str>>;

/// A tool and its arguments, as they are written: a history that was kept elsewhere has no others.
type Call<'a> = (Cow<'a, str>, Cow<'a, str>);

impl<'a> Failures<'a> {
    pub(super) fn before(messages: &'a [Message]) -> Self {
        Failures { before: messages, earlier: OnceLock::new() }
    }

    /// The answer, with a note if the same call failed in the same way the last two times that it was made.
    pub(super) fn told(&self, call: &ToolCall, mut answer: ToolMessage) -> ToolMessage {
        if is_failure(&answer) && self.has_failed_twice(call, answer.text()) {
            answer.content = format!("{}{NOTE}", answer.content).into();
        }
        answer
    }

    fn has_failed_twice(&self, call: &ToolCall, text: &str) -> bool {
        let earlier = self.earlier.get_or_init(|| earlier(self.before));
        let told = earlier.get(&key(call)).map_or(&[][..], Vec::as_slice);
        told.len() == 2 && told.iter().all(|told| told.strip_suffix(NOTE).unwrap_or(told) == text)
    }
}

/// One that is the program's doing is none: the model can do nothing about it.
fn is_failure(answer: &ToolMessage) -> bool {
    let error = answer.outcome().and_then(Outcome::error);
    error.is_some_and(|error| !matches!(error, CallError::Cancelled { .. } | CallError::Unavailable { .. }))
}

fn key(call: &ToolCall) -> Call<'_> {
    let arguments = call.written_arguments();
    // Blanks and the order of keys are not other arguments.
    let arguments = match serde_json::from_str::<Value>(&arguments) {
        Ok(value) => Cow::Owned(value.to_string()),
        Err(_) => arguments,
    };
    (call.written_name(), arguments)
}

fn earlier(messages: &[Message]) -> Earlier<'_> {
    let mut earlier = Earlier::new();
    let mut answers: HashMap<&str, &str> = HashMap::new();
    for message in messages.iter().rev() {
        match message {
            // Each reply has answers of its own, which take the places of those behind it.
            Message::Tool(answer) => drop(answers.insert(&answer.tool_call_id, answer.text())),
            Message::User(_) => break,
            Message::Assistant(reply) => {
                for call in reply.tool_calls.iter().rev() {
                    let told = earlier.entry(key(call)).or_default();
                    if told.len() < 2 {
                        told.extend(answers.get(&*call.id));
                    }
                }
            }
            Message::System(_) | Message::Developer(_) => {}
        }
    }
    earlier
}
