//! The type of a schema without the keyword `type`.

use crate::json::TypeSet;
use crate::schema::keywords::unique;
use serde_json::{Map, Value, json};

/// Adds the `type` that the other keywords imply, since the server requires it.
pub(crate) fn infer_type(keywords: &mut Map<String, Value>) {
    if keywords.contains_key("type") || keywords.contains_key("anyOf") {
        return;
    }
    let enum_values = keywords.get("enum").and_then(Value::as_array).map(Vec::as_slice);
    let values = enum_values.or_else(|| keywords.get("const").map(std::slice::from_ref)).unwrap_or_default();
    let mut types: Vec<&str> = unique(values.iter().map(|value| TypeSet::from_value(value).name()));
    if types.is_empty() && keywords.contains_key("properties") {
        types.push(TypeSet::OBJECT.name());
    }
    let types = match types[..] {
        [] => return,
        [only] => json!(only),
        _ => json!(types),
    };
    keywords.insert("type".to_owned(), types);
}
