//! Builders of schemas and arguments.

use crate::cases::{Call, Case, Input};
use serde_json::{Map, Value, json};

pub(crate) fn case(name: &'static str, call: impl Fn() -> Call + Send + 'static) -> Case {
    Case { name, prepare: Box::new(move || Input::Call(call())) }
}

/// A schema whose argument `a` refers to the first of these definitions.
pub(crate) fn defined(definitions: impl Iterator<Item = (String, Value)>) -> Value {
    let definitions: Map<String, Value> = definitions.collect();
    json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions})
}

/// A definition for each level, built from a reference to the next one; the last is `end`.
pub(crate) fn chain(levels: usize, level: impl Fn(Value) -> Value, end: Value) -> Value {
    let definition = |index: usize| {
        let next = json!({"$ref": format!("#/$defs/d{}", index + 1)});
        (format!("d{index}"), if index + 1 == levels { end.clone() } else { level(next) })
    };
    defined((0..levels).map(definition))
}

pub(crate) fn argument(schema: Value) -> Value {
    json!({"type": "object", "properties": {"a": schema}})
}

/// A schema of nested objects.
pub(crate) fn deep(levels: usize) -> Value {
    // `json!` would copy each level, with recursion.
    let object = |inner: Value| {
        let properties = Map::from_iter([("a".to_owned(), inner)]);
        let keywords = [("type", Value::from("object")), ("properties", Value::Object(properties))];
        keywords.into_iter().map(|(keyword, value)| (keyword.to_owned(), value)).collect()
    };
    (0..levels).fold(json!({}), |inner, _| object(inner))
}

pub(crate) fn names(count: usize) -> Vec<String> {
    (0..count).map(|index| format!("name_{index:05}")).collect()
}

pub(crate) fn repeated(item: &str, count: usize) -> String {
    let items = vec![item; count];
    format!("[{}]", items.join(","))
}

pub(crate) fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

/// `{"a": ..}`
pub(crate) fn object(value: &str) -> String {
    format!("{{\"a\":{value}}}")
}

/// The bytes of a schema, counted without recursion.
pub(crate) fn size(schema: &Value) -> usize {
    let (mut bytes, mut rest) = (0, vec![schema]);
    while let Some(value) = rest.pop() {
        bytes += match value {
            Value::Object(entries) => {
                rest.extend(entries.values());
                2 + entries.keys().map(|key| key.len() + 4).sum::<usize>()
            }
            Value::Array(items) => {
                rest.extend(items);
                2 + items.len()
            }
            other => other.to_string().len(),
        };
    }
    bytes
}
