//! A note for the model after several identical results of a call.

use crate::json::sorted_text;
use crate::message::{Message, ToolCall, ToolMessage};
use crate::outcome::{CallError, Outcome};
use crate::wire::{written_arguments, written_name};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The start and the end of a note, around the number of results.
type Note = (&'static str, &'static str);

const FAILED: Note = (
    "\nThis call has now failed",
    ": do not repeat it unchanged. Change its arguments, do something else, or report what cannot be done.",
);
const RETURNED: Note = (
    "\nThis call has now returned the same result",
    ": do not repeat it unless its result can change. Use the result, or do something else.",
);

/// The calls since the last user message, before those of a reply.
pub(super) struct RepeatedCalls<'a> {
    before: &'a [Message],
    /// The number of results after which the model gets a note; `None` for no note.
    limit: Option<usize>,
    /// Computed when a call ends for the first time.
    earlier: OnceLock<Earlier<'a>>,
}

/// For each call: its last results, newest first, one less than the limit.
type Earlier<'a> = HashMap<Call<'a>, Vec<&'a str>>;

/// The tool and the arguments as they are written, since a history that was read from a request has no others.
type Call<'a> = (Cow<'a, str>, Cow<'a, str>);

impl<'a> RepeatedCalls<'a> {
    pub(super) fn before(messages: &'a [Message], limit: Option<usize>) -> Self {
        RepeatedCalls { before: messages, limit, earlier: OnceLock::new() }
    }

    /// Returns the message, with a note if the last identical calls had the same result.
    pub(super) fn with_note(&self, call: &ToolCall, mut result: ToolMessage) -> ToolMessage {
        let note = note(&result);
        let (Some(limit), Some((start, end))) = (self.limit.filter(|&limit| limit > 0), note) else {
            return result;
        };
        let limit = if note == Some(RETURNED) { limit.max(2) } else { limit };
        if self.has_ended(limit - 1, call, result.text()) {
            let way = if note == Some(FAILED) { " in the same way" } else { "" };
            let times = match limit {
                1 => String::new(),
                2 => format!("{way} twice in a row"),
                3 => format!("{way} three times in a row"),
                more => format!("{way} {more} times in a row"),
            };
            result.content = format!("{}{start}{times}{end}", result.content).into();
        }
        result
    }

    /// Whether the last calls like this one, as many as `times`, ended with this text.
    fn has_ended(&self, times: usize, call: &ToolCall, text: &str) -> bool {
        let earlier = self.earlier.get_or_init(|| earlier(self.before, times));
        let last = earlier.get(&key(call)).map_or(&[][..], Vec::as_slice);
        last.len() >= times && last.iter().take(times).all(|before| without_note(before) == text)
    }
}

fn without_note(text: &str) -> &str {
    let without = |(start, end): Note| Some(text.strip_suffix(end)?.rsplit_once(start)?.0);
    without(FAILED).or_else(|| without(RETURNED)).unwrap_or(text)
}

/// The note for a result that is repeated; `None` for a failure that the program caused, since the model cannot do anything
/// about it, and for a result that is not one text.
fn note(result: &ToolMessage) -> Option<Note> {
    match result.outcome().and_then(Outcome::error) {
        Some(CallError::Cancelled { .. } | CallError::Unavailable { .. }) => None,
        Some(_) => Some(FAILED),
        None => result.content.parts().is_none().then_some(RETURNED),
    }
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

fn earlier(messages: &[Message], times: usize) -> Earlier<'_> {
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
                    if last.len() < times.max(1) {
                        last.extend(results.get(&*call.id));
                    }
                }
            }
            Message::System(_) | Message::Developer(_) => {}
        }
    }
    earlier
}
