//! A note for the model after the third identical failure of a call.

use crate::message::{Message, ToolCall, ToolMessage};
use crate::outcome::{CallError, Outcome};
use crate::wire::{written_arguments, written_name};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

const NOTE: &str = "\nThis call has now failed in the same way three times in a row: do not repeat it unchanged. Change its \
                    arguments, do something else, or report what cannot be done.";

/// The calls since the last user message, before those of a reply.
pub(super) struct Failures<'a> {
    before: &'a [Message],
    /// Computed when a call fails for the first time, since most calls do not fail.
    earlier: OnceLock<Earlier<'a>>,
}

/// For each call: its last two results, newest first.
type Earlier<'a> = HashMap<Call<'a>, Vec<&'a str>>;

/// The tool and the arguments as they are written, since a history that was read from a request has no others.
type Call<'a> = (Cow<'a, str>, Cow<'a, str>);

impl<'a> Failures<'a> {
    pub(super) fn before(messages: &'a [Message]) -> Self {
        Failures { before: messages, earlier: OnceLock::new() }
    }

    /// Returns the message, with a note if the last two identical calls failed in the same way.
    pub(super) fn with_note(&self, call: &ToolCall, mut result: ToolMessage) -> ToolMessage {
        if is_failure(&result) && self.has_failed_twice(call, result.text()) {
            result.content = format!("{}{NOTE}", result.content).into();
        }
        result
    }

    fn has_failed_twice(&self, call: &ToolCall, text: &str) -> bool {
        let earlier = self.earlier.get_or_init(|| earlier(self.before));
        let last_two = earlier.get(&key(call)).map_or(&[][..], Vec::as_slice);
        last_two.len() == 2
            && last_two
                .iter()
                .all(|text_before| text_before.strip_suffix(NOTE).unwrap_or(text_before) == text)
    }
}

/// Excludes failures that the program caused, since the model cannot do anything about them.
fn is_failure(result: &ToolMessage) -> bool {
    let error = result.outcome().and_then(Outcome::error);
    error.is_some_and(|error| !matches!(error, CallError::Cancelled { .. } | CallError::Unavailable { .. }))
}

fn key(call: &ToolCall) -> Call<'_> {
    let arguments = written_arguments(call);
    // White space and the order of keys do not matter.
    let arguments = match serde_json::from_str::<Value>(&arguments) {
        Ok(value) => Cow::Owned(value.to_string()),
        Err(_) => arguments,
    };
    (written_name(call), arguments)
}

fn earlier(messages: &[Message]) -> Earlier<'_> {
    let mut earlier = Earlier::new();
    let mut results: HashMap<&str, &str> = HashMap::new();
    for message in messages.iter().rev() {
        match message {
            // An id may occur in several replies: each reply replaces the results of later ones.
            Message::Tool(result) => drop(results.insert(&result.tool_call_id, result.text())),
            Message::User(_) => break,
            Message::Assistant(reply) => {
                for call in reply.tool_calls.iter().rev() {
                    let last_two = earlier.entry(key(call)).or_default();
                    if last_two.len() < 2 {
                        last_two.extend(results.get(&*call.id));
                    }
                }
            }
            Message::System(_) | Message::Developer(_) => {}
        }
    }
    earlier
}
