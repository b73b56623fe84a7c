//! The type of a schema without the keyword `type`.

use crate::keywords::unique;
use serde_json::{Map, Value, json};

/// Adds the `type` that the other keywords imply, since the server requires it.
pub fn infer_type(keywords: &mut Map<String, Value>) {
    if keywords.contains_key("type") || keywords.contains_key("anyOf") {
        return;
    }
    let enum_values = keywords.get("enum").and_then(Value::as_array).map(Vec::as_slice);
    let values = enum_values.or_else(|| keywords.get("const").map(std::slice::from_ref)).unwrap_or_default();
    let mut types: Vec<&str> = unique(values.iter().map(type_of));
    if types.is_empty() && keywords.contains_key("properties") {
        types.push("object");
    }
    let types = match types[..] {
        [] => return,
        [only] => json!(only),
        _ => json!(types),
    };
    keywords.insert("type".to_owned(), types);
}

/// The type of a value; `1.0` is not an integer here.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
