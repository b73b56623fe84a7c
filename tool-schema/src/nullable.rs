//! Schemas that also accept null.

use crate::json::remove_entry;
use serde_json::{Map, Value, json};

/// The schema that accepts only null.
pub(crate) fn null_schema() -> Value {
    json!({ "type": "null" })
}

/// Adds null to the values that a schema accepts.
pub(crate) fn nullable(keywords: &mut Map<String, Value>) {
    match keywords.get_mut("type") {
        Some(Value::String(kind)) if kind != "null" => {
            let kinds = json!([kind, "null"]);
            keywords.insert("type".to_owned(), kinds);
        }
        Some(Value::Array(kinds)) if kinds.iter().all(|kind| kind != "null") => kinds.push("null".into()),
        _ => {}
    }
    if let Some(Value::Array(values)) = keywords.get_mut("enum") {
        if !values.contains(&Value::Null) {
            values.push(Value::Null);
        }
    }
    if let Some(constant) = remove_entry(keywords, "const") {
        keywords.insert("enum".to_owned(), json!([constant, null]));
    }
    let null_schema = null_schema();
    for alternatives in ["anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = keywords.get_mut(alternatives) {
            if !branches.contains(&null_schema) {
                branches.push(null_schema.clone());
            }
            if keywords.contains_key("type") {
                // The keywords next to the alternatives describe an object: the whole schema becomes one alternative.
                let description = remove_entry(keywords, "description");
                let mut whole = std::mem::take(keywords);
                whole.insert("type".to_owned(), "object".into());
                if let Some(Value::Array(branches)) = whole.get_mut(alternatives) {
                    branches.retain(|branch| *branch != null_schema);
                }
                keywords.insert("anyOf".to_owned(), json!([whole, null_schema]));
                keywords.extend(description.map(|description| ("description".to_owned(), description)));
            }
            return;
        }
    }
    if let Some(reference) = remove_entry(keywords, "$ref") {
        keywords.insert("anyOf".to_owned(), json!([{ "$ref": reference }, null_schema]));
    }
}
