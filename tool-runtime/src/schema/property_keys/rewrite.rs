//! Schemas with written names.

use super::PropertyKeys;
use crate::json::{escaped_token, object};
use serde_json::{Map, Value};
use tool_runtime_schema::keywords::visit_schemas;
use tool_runtime_schema::{move_keywords, property_names};

impl PropertyKeys {
    /// Gives a form of the tool's parameters the written names: of properties, in the keywords that list them, and in values
    /// that are objects of the schema. Its references must refer to definitions.
    ///
    /// Returns the place of each changed key as a JSON pointer, such as `/properties/filter[city]`, and the change.
    pub(crate) fn write_schema(&self, root: &mut Map<String, Value>) -> Vec<(String, String)> {
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
                let change = self.written(name).map(|written| change(name, written));
                let place = || format!("{place}/properties/{}", escaped_token(name));
                changes.extend(change.map(|change| (place(), change)));
            }
        });
        visit_schemas(root, "", &mut |keywords, _| self.write_keywords(keywords, &document));
        changes
    }

    fn write_keywords(&self, keywords: &mut Map<String, Value>, document: &Value) {
        let own = Value::Object(keywords.clone());
        for (keyword, value) in keywords {
            match (&**keyword, value) {
                ("default" | "const", value) => self.write_in_place(document, &own, value),
                ("enum" | "examples", Value::Array(values)) => {
                    for value in values {
                        self.write_in_place(document, &own, value);
                    }
                }
                ("required", names) => self.write_names(names),
                ("properties" | "dependentRequired" | "dependentSchemas", Value::Object(entries)) => {
                    let renamed = std::mem::take(entries).into_iter().map(|(name, mut value)| {
                        self.write_names(&mut value);
                        (self.written_or_same(&name).to_owned(), value)
                    });
                    *entries = object(renamed);
                }
                ("propertyNames", Value::Object(keywords)) => {
                    for keyword in ["enum", "const"] {
                        keywords.get_mut(keyword).into_iter().for_each(|names| self.write_names(names));
                    }
                }
                _ => {}
            }
        }
    }

    /// Writes a name or a list of names; other values stay.
    fn write_names(&self, names: &mut Value) {
        match names {
            Value::String(name) => *name = self.written_or_same(name).to_owned(),
            Value::Array(names) => names.iter_mut().for_each(|name| self.write_names(name)),
            _ => {}
        }
    }

    fn write_in_place(&self, document: &Value, schema: &Value, value: &mut Value) {
        if value.is_object() || value.is_array() {
            if let Some(written) = self.write_value(document, schema, value) {
                *value = written;
            }
        }
    }
}

fn change(key: &str, written: &str) -> String {
    let reason = if key.len() > property_names::MAX_LENGTH && key.is_ascii() {
        "the provider accepts only keys of at most 64 characters"
    } else {
        "the provider accepts only letters, digits, `_`, `.` and `-` in keys"
    };
    format!("sent as `{written}`, since {reason}")
}
