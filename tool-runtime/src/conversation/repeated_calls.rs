//! A note for the model after several identical results of a call.

use crate::fingerprint::Fingerprint;
use crate::json::sorted_text;
use crate::message::{Message, ToolCall, ToolMessage};
use crate::outcome::{CallError, Outcome};
use crate::registry::{Registry, RepeatedCallLimit};
use crate::wire::{written_arguments, written_name};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

/// A note, around the number of results.
#[derive(Debug)]
struct Note {
    start: &'static str,
    /// Empty if the start of the note contains it.
    way: &'static str,
    end: &'static str,
    /// The smallest number of results after which the model gets it.
    min_limit: usize,
}

const FAILED: Note = Note {
    start: "\nThis call has now failed",
    way: " in the same way",
    end: ": do not repeat it unchanged. Change its arguments, do something else, or report what cannot be done.",
    min_limit: 1,
};
const RETURNED: Note = Note {
    start: "\nThis call has now returned the same result",
    way: "",
    end: ": repeat it only if there is a reason to. Otherwise use the result, or do something else.",
    min_limit: 2,
};

/// The calls since the last user message, before those of a reply.
pub(super) struct RepeatedCalls<'a> {
    before: &'a [Message],
    /// `None` if it is not known.
    registry: Option<&'a Registry>,
    /// Computed when a call ends for the first time.
    earlier: OnceLock<Earlier<'a>>,
}

/// For each call: its last results, newest first, as many as are compared with the next one.
type Earlier<'a> = HashMap<Call<'a>, Vec<&'a str>>;

/// The tool and the arguments as they are written, since a history that was read from a request has no others.
type Call<'a> = (Cow<'a, str>, Cow<'a, str>);

impl<'a> RepeatedCalls<'a> {
    pub(super) fn before(messages: &'a [Message], registry: Option<&'a Registry>) -> Self {
        RepeatedCalls { before: messages, registry, earlier: OnceLock::new() }
    }

    /// Returns the message, with a note if the last identical calls had the same result.
    pub(super) fn with_note(&self, call: &ToolCall, mut result: ToolMessage) -> ToolMessage {
        let RepeatedCallLimit(limit) = self.registry.map(Registry::repeated_call_limit).unwrap_or_default();
        let limit = limit.filter(|&limit| limit > 0);
        let (Some(limit), Some(note)) = (limit, note(&result)) else { return result };
        let Note { start, way, end, min_limit } = note;
        let limit = limit.max(min_limit);
        if self.has_ended(limit - 1, call, result.text()) {
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
        let earlier = self.earlier.get_or_init(|| earlier(self.before, self.registry, times.max(1)));
        let last = earlier.get(&key(call)).map_or(&[][..], Vec::as_slice);
        last.len() >= times && last.iter().take(times).all(|before| without_note(before) == text)
    }
}

fn without_note(text: &str) -> &str {
    let without = |note: Note| Some(text.strip_suffix(note.end)?.rsplit_once(note.start)?.0);
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

/// A fingerprint of the tool and the arguments, which identical calls share.
pub(crate) fn call_fingerprint(call: &ToolCall) -> Fingerprint {
    let (tool, arguments) = key(call);
    Fingerprint::new(&[&tool, &arguments])
}

fn key(call: &ToolCall) -> Call<'_> {
    /// In bytes: longer arguments are compared as they are, since each reply compares many calls.
    const MAX_BYTES: usize = 4 << 10;
    let arguments = written_arguments(call);
    // White space and the order of keys do not matter.
    let value = Some(&arguments).filter(|arguments| arguments.len() <= MAX_BYTES);
    let arguments = match value.and_then(|arguments| serde_json::from_str::<Value>(arguments).ok()) {
        Some(value) => Cow::Owned(sorted_text(value)),
        None => arguments,
    };
    (written_name(call), arguments)
}

fn earlier<'a>(messages: &'a [Message], registry: Option<&Registry>, times: usize) -> Earlier<'a> {
    /// Earlier ones would take longer in each reply.
    const MAX_CALLS: usize = 50;
    let mut calls = 0;
    let mut is_before_effect = false;
    let mut earlier = Earlier::new();
    let mut results: HashMap<&str, &str> = HashMap::new();
    for message in messages.iter().rev() {
        match message {
            // An id may occur in several replies: each reply replaces the results of later ones.
            Message::Tool(result) => drop(results.insert(&result.tool_call_id, result.text())),
            Message::User(_) => break,
            Message::Assistant(_) if calls >= MAX_CALLS => break,
            Message::Assistant(reply) => {
                calls += reply.tool_calls.len();
                for call in reply.tool_calls.iter().rev() {
                    let is_read_only = registry.is_some_and(|registry| registry.is_read_only(call));
                    is_before_effect |= !is_read_only;
                    let last = earlier.entry(key(call)).or_default();
                    // There is a reason to read again after an effect.
                    if last.len() < times && !(is_read_only && is_before_effect) {
                        last.extend(results.get(&*call.id));
                    }
                }
            }
            Message::System(_) | Message::Developer(_) => {}
        }
    }
    earlier
}
