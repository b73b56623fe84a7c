//! Schemas with written names.

use super::MAX_LENGTH;
use crate::json::{escaped_token, object};
use crate::keywords::visit_schemas;
use crate::move_keywords;
use serde_json::{Map, Value};

/// The written names of the rejected keys of a tool.
pub trait WrittenNames {
    /// The written name of a key; `None` if the key is accepted.
    fn written(&self, own: &str) -> Option<&str>;

    /// An object or array in a schema with written names; `None` if it has no rejected key. The references of the schema are those
    /// of the document.
    fn write_value(&self, document: &Value, schema: &Value, value: &Value) -> Option<Value>;
}

/// Gives a form of the tool's parameters the written names: of properties, in the keywords that list them, and in values
/// that are objects of the schema. Its references must refer to definitions.
///
/// Returns the place of each changed key as a JSON pointer, such as `/properties/filter[city]`, and the change.
pub fn write_schema(root: &mut Map<String, Value>, names: &impl WrittenNames) -> Vec<(String, String)> {
    let document = Value::Object(root.clone());
    let mut changes = Vec::new();
    visit_schemas(root, "", &mut |keywords, place| {
        // The keys in a text stay.
        if keywords.contains_key("contentSchema") {
            move_keywords(keywords, &["contentSchema"]);
            let change = "`contentSchema` moves into the description, since the keys in a text stay";
            changes.push((place.to_owned(), change.to_owned()));
        }
        let properties = keywords.get("properties").and_then(Value::as_object);
        for name in properties.into_iter().flat_map(Map::keys) {
            let change = names.written(name).map(|written| change(name, written));
            let place = || format!("{place}/properties/{}", escaped_token(name));
            changes.extend(change.map(|change| (place(), change)));
        }
    });
    visit_schemas(root, "", &mut |keywords, _| write_keywords(keywords, &document, names));
    changes
}

fn write_keywords(keywords: &mut Map<String, Value>, document: &Value, names: &impl WrittenNames) {
    let own = Value::Object(keywords.clone());
    let write_in_place = |value: &mut Value| {
        if value.is_object() || value.is_array() {
            *value = names.write_value(document, &own, value).unwrap_or_else(|| value.take());
        }
    };
    for (keyword, value) in keywords {
        match (&**keyword, value) {
            ("default" | "const", value) => write_in_place(value),
            ("enum" | "examples", Value::Array(values)) => values.iter_mut().for_each(write_in_place),
            ("required", listed) => write_names(listed, names),
            ("properties" | "dependentRequired" | "dependentSchemas", Value::Object(entries)) => {
                let renamed = std::mem::take(entries).into_iter().map(|(name, mut value)| {
                    write_names(&mut value, names);
                    (names.written(&name).map_or(name, str::to_owned), value)
                });
                *entries = object(renamed);
            }
            ("propertyNames", Value::Object(keywords)) => {
                for keyword in ["enum", "const"] {
                    keywords.get_mut(keyword).into_iter().for_each(|listed| write_names(listed, names));
                }
            }
            _ => {}
        }
    }
}

/// Writes a name or a list of names; other values stay.
fn write_names(listed: &mut Value, names: &impl WrittenNames) {
    let mut open = vec![listed];
    while let Some(value) = open.pop() {
        match value {
            Value::String(name) => {
                if let Some(written) = names.written(name) {
                    *name = written.to_owned();
                }
            }
            Value::Array(values) => open.extend(values),
            _ => {}
        }
    }
}

fn change(key: &str, written: &str) -> String {
    let reason = if key.len() > MAX_LENGTH && key.is_ascii() {
        "the provider accepts only keys of at most 64 characters"
    } else {
        "the provider accepts only letters, digits, `_`, `.` and `-` in keys"
    };
    format!("sent as `{written}`, since {reason}")
}
