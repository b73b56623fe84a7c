//! A note for the model after several identical failures of a call.

use crate::json::sorted_text;
use crate::message::{Message, ToolCall, ToolMessage};
use crate::outcome::{CallError, Outcome};
use crate::wire::{written_arguments, written_name};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

const NOTE_START: &str = "\nThis call has now failed";
const NOTE_END: &str = ": do not repeat it unchanged. Change its arguments, do something else, or report what \
                        cannot be done.";

/// The calls since the last user message, before those of a reply.
pub(super) struct Failures<'a> {
    before: &'a [Message],
    /// The number of failures after which the model gets a note; `None` for no note.
    limit: Option<usize>,
    /// Computed when a call fails for the first time, since most calls do not fail.
    earlier: OnceLock<Earlier<'a>>,
}

/// For each call: its last results, newest first, one less than the limit.
type Earlier<'a> = HashMap<Call<'a>, Vec<&'a str>>;

/// The tool and the arguments as they are written, since a history that was read from a request has no others.
type Call<'a> = (Cow<'a, str>, Cow<'a, str>);

impl<'a> Failures<'a> {
    pub(super) fn before(messages: &'a [Message], limit: Option<usize>) -> Self {
        Failures { before: messages, limit, earlier: OnceLock::new() }
    }

    /// Returns the message, with a note if the last identical calls failed in the same way.
    pub(super) fn with_note(&self, call: &ToolCall, mut result: ToolMessage) -> ToolMessage {
        let Some(limit) = self.limit.filter(|&limit| limit > 0 && is_failure(&result)) else { return result };
        if self.has_failed(limit - 1, call, result.text()) {
            let times = match limit {
                1 => String::new(),
                2 => " in the same way twice in a row".to_owned(),
                3 => " in the same way three times in a row".to_owned(),
                more => format!(" in the same way {more} times in a row"),
            };
            result.content = format!("{}{NOTE_START}{times}{NOTE_END}", result.content).into();
        }
        result
    }

    /// Whether the last calls like this one, as many as `times`, failed with this text.
    fn has_failed(&self, times: usize, call: &ToolCall, text: &str) -> bool {
        let earlier = self.earlier.get_or_init(|| earlier(self.before, times));
        let last = earlier.get(&key(call)).map_or(&[][..], Vec::as_slice);
        last.len() == times && last.iter().all(|before| without_note(before) == text)
    }
}

fn without_note(text: &str) -> &str {
    match text.rsplit_once(NOTE_START) {
        Some((text, note)) if note.ends_with(NOTE_END) => text,
        _ => text,
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
        Ok(value) => Cow::Owned(sorted_text(value)),
        Err(_) => arguments,
    };
    (written_name(call), arguments)
}

fn earlier(messages: &[Message], limit: usize) -> Earlier<'_> {
    let mut earlier = Earlier::new();
    let mut results: HashMap<&str, &str> = HashMap::new();
    for message in messages.iter().rev() {
        match message {
            // An id may occur in several replies: each reply replaces the results of later ones.
            Message::Tool(result) => drop(results.insert(&result.tool_call_id, result.text())),
            Message::User(_) => break,
            Message::Assistant(reply) => {
                for call in reply.tool_calls.iter().rev() {
                    let last = earlier.entry(key(call)).or_default();
                    if last.len() < limit {
                        last.extend(results.get(&*call.id));
                    }
                }
            }
            Message::System(_) | Message::Developer(_) => {}
        }
    }
    earlier
}
