//! The type of a schema that names none.

use serde_json::{Map, Value, json};

/// Adds the `type` that the other keywords imply, since the server requires it.
pub(super) fn infer_type(keywords: &mut Map<String, Value>) {
    if keywords.contains_key("type") || keywords.contains_key("anyOf") {
        return;
    }
    let enum_values = keywords.get("enum").and_then(Value::as_array).map(Vec::as_slice);
    let values = enum_values.or_else(|| keywords.get("const").map(std::slice::from_ref)).unwrap_or_default();
    let mut kinds: Vec<&str> = Vec::new();
    for value in values {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.is_empty() && keywords.contains_key("properties") {
        kinds.push("object");
    }
    let kinds = match kinds[..] {
        [] => return,
        [only] => json!(only),
        _ => json!(kinds),
    };
    keywords.insert("type".to_owned(), kinds);
}
