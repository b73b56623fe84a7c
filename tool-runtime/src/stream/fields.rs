//! The fields of a delta that stand beside its text and its calls, put together: reasoning above all, which some
//! servers want back as it was.

use serde_json::{Map, Value};

/// The fields that come as pieces of a text. Any other is one value, which may be said again.
const TEXTS: [&str; 7] =
    ["reasoning_content", "reasoning", "refusal", "text", "summary", "thinking", "signature"];

/// The types of parts that come in pieces. Any other part comes whole.
const IN_PIECES: [&str; 4] = ["text", "thinking", "reasoning.text", "reasoning.summary"];

/// Adds what a delta brought. A null brings nothing.
pub(super) fn add(so_far: &mut Map<String, Value>, delta: Map<String, Value>) {
    for (field, value) in delta.into_iter().filter(|(_, value)| !value.is_null()) {
        match (so_far.get_mut(&field), value) {
            (Some(Value::String(text)), Value::String(piece)) if TEXTS.contains(&&*field) => {
                text.push_str(&piece);
            }
            (Some(Value::Array(list)), Value::Array(more)) => add_parts(list, more),
            (Some(Value::Object(fields)), Value::Object(delta)) => add(fields, delta),
            (_, value) => drop(so_far.insert(field, value)),
        }
    }
}

/// Adds parts to a list: one that goes on with the last is put together with it.
pub(super) fn add_parts(parts: &mut Vec<Value>, more: Vec<Value>) {
    for part in more {
        match (parts.last_mut(), part) {
            (Some(Value::Object(last)), Value::Object(part)) if goes_on(last, &part) => add(last, part),
            (_, part) => parts.push(part),
        }
    }
}

fn goes_on(last: &Map<String, Value>, part: &Map<String, Value>) -> bool {
    let is_in_pieces = last.get("type").and_then(Value::as_str).is_some_and(|kind| IN_PIECES.contains(&kind));
    is_in_pieces && ["type", "index"].iter().all(|&field| last.get(field) == part.get(field))
}
