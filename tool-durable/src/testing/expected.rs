//! The values that operations of a store should return.

use crate::journal::{JournalCall, JournalReply, RecordedCall};
use serde::Serialize;
use serde_json::{Map, Value};
use tool_runtime::dispatch::ToolResult;

/// A value of an operation that can be compared and shown.
pub(super) trait Expected {
    fn to_json(&self) -> Value;
}

impl Expected for RecordedCall {
    fn to_json(&self) -> Value {
        let fields = [("call".to_owned(), to_json(&self.call)), ("result".to_owned(), to_json(&self.result))];
        Value::Object(Map::from_iter(fields))
    }
}

impl Expected for JournalReply {
    fn to_json(&self) -> Value {
        to_json(self)
    }
}

impl<T: Expected> Expected for Option<T> {
    fn to_json(&self) -> Value {
        self.as_ref().map_or(Value::Null, Expected::to_json)
    }
}

impl<T: Expected> Expected for Vec<T> {
    fn to_json(&self) -> Value {
        self.iter().map(Expected::to_json).collect()
    }
}

impl Expected for bool {
    fn to_json(&self) -> Value {
        Value::Bool(*self)
    }
}

fn to_json(value: &impl Serialize) -> Value {
    // A result with a value that is not JSON cannot be serialized.
    serde_json::to_value(value).unwrap_or_else(|error| Value::String(error.to_string()))
}

/// The record of a call without a result.
pub(super) fn interrupted(call: &JournalCall) -> RecordedCall {
    RecordedCall::new(call.clone(), None)
}

/// The record of a call with its result.
pub(super) fn finished(call: &JournalCall, result: &ToolResult) -> RecordedCall {
    RecordedCall::new(call.clone(), Some(result.clone()))
}

/// Describes the first part of a value that differs from the expected one; `None` if the values are equal.
pub(super) fn difference(found: &Value, expected: &Value) -> Option<String> {
    if found == expected {
        return None;
    }
    let (mut found, mut expected, mut path) = (found, expected, String::new());
    while let Some((name, inner, expected_inner)) = inner_difference(found, expected) {
        path.push('/');
        path.push_str(&name);
        (found, expected) = (inner, expected_inner);
    }
    let place = if path.is_empty() { String::new() } else { format!(" at `{}`", path.escape_debug()) };
    Some(format!("{}{place}, and not {}", shown(found), shown(expected)))
}

/// The first entry that differs. A missing field counts as null.
fn inner_difference<'a>(found: &'a Value, expected: &'a Value) -> Option<(String, &'a Value, &'a Value)> {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            let entry = |object: &'a Map<String, Value>, name: &str| object.get(name).unwrap_or(&Value::Null);
            let names = expected.keys().chain(found.keys());
            let mut entries = names.map(|name| (name.clone(), entry(found, name), entry(expected, name)));
            entries.find(|(_, found, expected)| found != expected)
        }
        (Value::Array(found), Value::Array(expected)) if found.len() == expected.len() => {
            let mut entries = found.iter().zip(expected).enumerate();
            let (index, (found, expected)) = entries.find(|(_, (found, expected))| found != expected)?;
            Some((index.to_string(), found, expected))
        }
        _ => None,
    }
}

/// The beginning of a value, for messages.
pub(super) fn shown(value: &Value) -> String {
    const LENGTH: usize = 200;
    let text = value.to_string();
    let shown = match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("`{}…` ({} bytes)", &text[..end], text.len()),
        None => format!("`{text}`"),
    };
    match value {
        Value::Array(values) => format!("a list of {}: {shown}", values.len()),
        _ => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_difference_is_the_innermost_value_that_differs() {
        let expected = json!({ "calls": [{ "id": "a" }, { "id": "b" }], "result": null });
        assert_eq!(difference(&expected, &expected), None);
        let cases = [
            (Value::Null, r#"`null`, and not `{"calls":[{"id":"a"},{"id":"b"}],"result":null}`"#),
            (
                json!({ "calls": [{ "id": "a" }, { "id": 1 }], "result": null }),
                r#"`1` at `/calls/1/id`, and not `"b"`"#,
            ),
            (json!({ "calls": expected["calls"], "error": 1 }), "`1` at `/error`, and not `null`"),
            (
                json!({ "calls": [], "result": null }),
                r#"a list of 0: `[]` at `/calls`, and not a list of 2: `[{"id":"a"},{"id":"b"}]`"#,
            ),
            (
                json!({ "calls": expected["calls"], "error": null }),
                r#"`{"calls":[{"id":"a"},{"id":"b"}],"error":null}`, and not"#,
            ),
        ];
        for (found, text) in cases {
            let difference = difference(&found, &expected).unwrap();
            assert!(difference.starts_with(text), "{difference}");
        }
    }

    #[test]
    fn a_long_value_is_truncated() {
        let shown = shown(&Value::String("ü".repeat(1000)));
        assert!(shown.ends_with("üü…` (2002 bytes)") && shown.len() < 500, "{shown}");
    }
}
