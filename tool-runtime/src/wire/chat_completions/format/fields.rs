//! Assembly of the fields of deltas other than text and calls, such as reasoning, which some servers require unchanged
//! in later requests.

use serde_json::{Map, Value};

/// Fields that arrive as pieces of text. Any other field is a complete value, which may be repeated.
const TEXTS: [&str; 7] =
    ["reasoning_content", "reasoning", "refusal", "text", "summary", "thinking", "signature"];

/// Types of parts that arrive in pieces. Any other part arrives complete.
const IN_PIECES: [&str; 4] = ["text", "thinking", "reasoning.text", "reasoning.summary"];

/// Adds the fields of a delta. Nulls are ignored.
pub(crate) fn add_fields(partial: &mut Map<String, Value>, delta: Map<String, Value>) {
    for (field, value) in delta.into_iter().filter(|(_, value)| !value.is_null()) {
        match (partial.get_mut(&field), value) {
            (Some(Value::String(text)), Value::String(piece)) if TEXTS.contains(&&*field) => {
                text.push_str(&piece);
            }
            (Some(Value::Array(list)), Value::Array(more)) => add_parts(list, more),
            (Some(Value::Object(fields)), Value::Object(delta)) => add_fields(fields, delta),
            (_, value) => drop(partial.insert(field, value)),
        }
    }
}

/// Adds parts to an array. A part that continues the last one is merged with it.
pub(crate) fn add_parts(parts: &mut Vec<Value>, more: Vec<Value>) {
    for part in more {
        match (parts.last_mut(), part) {
            (Some(Value::Object(last)), Value::Object(part)) if goes_on(last, &part) => {
                add_fields(last, part);
            }
            (_, part) => parts.push(part),
        }
    }
}

fn goes_on(last: &Map<String, Value>, part: &Map<String, Value>) -> bool {
    let is_in_pieces = last.get("type").and_then(Value::as_str).is_some_and(|kind| IN_PIECES.contains(&kind));
    is_in_pieces && ["type", "index"].iter().all(|&field| last.get(field) == part.get(field))
}
