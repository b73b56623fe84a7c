//! JSON values in the stored form, for serde's `with`.
//!
//! `serde_json` reads at most 127 levels, and the stored form adds levels to a value that a wire has read. So a deep value is
//! stored as the text of its JSON, and so is one with a key that `serde_json` reads in its own way.

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

/// The levels of a value that is stored unchanged.
const MAX_DEPTH: usize = 64;

/// The only key of an object with the text of a value.
const TEXT: &str = "$json";

pub(super) fn serialize<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    if is_unreadable(value) || text_in(value).is_some() {
        as_text(value.clone()).map_err(S::Error::custom)?.serialize(serializer)
    } else {
        value.serialize(serializer)
    }
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    restored(Value::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// The object with the text of a value. Deep values within the text are stored as text in turn.
fn as_text(value: Value) -> serde_json::Result<Value> {
    Ok(json!({ TEXT: serde_json::to_string(&shortened(value, MAX_DEPTH)?)? }))
}

fn shortened(value: Value, levels: usize) -> serde_json::Result<Value> {
    Ok(match value {
        Value::Array(_) | Value::Object(_) if levels == 0 => as_text(value)?,
        Value::Array(items) => {
            items.into_iter().map(|item| shortened(item, levels - 1)).collect::<Result<_, _>>()?
        }
        Value::Object(fields) => {
            let field = |(key, value)| Ok((escaped(key), shortened(value, levels - 1)?));
            Value::Object(fields.into_iter().map(field).collect::<serde_json::Result<_>>()?)
        }
        value => value,
    })
}

/// The value whose stored form this is.
fn restored(stored: Value) -> serde_json::Result<Value> {
    match text_in(&stored) {
        Some(text) => restored_within(serde_json::from_str(text)?),
        None => Ok(stored),
    }
}

fn restored_within(value: Value) -> serde_json::Result<Value> {
    if let Some(text) = text_in(&value) {
        return restored_within(serde_json::from_str(text)?);
    }
    Ok(match value {
        Value::Array(items) => items.into_iter().map(restored_within).collect::<Result<_, _>>()?,
        Value::Object(fields) => {
            let field = |(key, value)| Ok((unescaped(key), restored_within(value)?));
            Value::Object(fields.into_iter().map(field).collect::<serde_json::Result<_>>()?)
        }
        value => value,
    })
}

/// The text in an object that `as_text` has made.
fn text_in(stored: &Value) -> Option<&str> {
    stored.as_object().filter(|object| object.len() == 1)?.get(TEXT)?.as_str()
}

/// A key of another object gets a further `$` if it looks like `TEXT`, or like a key that `serde_json` reads in its own way.
fn escaped(key: String) -> String {
    if is_special(&key) { format!("${key}") } else { key }
}

fn unescaped(key: String) -> String {
    match key.strip_prefix('$') {
        Some(rest) if is_special(rest) => rest.to_owned(),
        _ => key,
    }
}

fn is_special(key: &str) -> bool {
    key.starts_with('$') && (key.ends_with(TEXT) || is_private(key.trim_start_matches('$')))
}

/// Whether `serde_json` reads an object with this key as the text of a value, or as a number.
fn is_private(name: &str) -> bool {
    name.starts_with("serde_json::private::")
}

/// The values of an object.
pub(super) mod fields {
    use super::{Deserialize, Deserializer, Map, Serialize, Serializer, Value, escaped, restored, unescaped};
    use serde::de::Error as _;

    #[derive(Serialize)]
    struct Field<'a>(#[serde(serialize_with = "super::serialize")] &'a Value);

    pub(in crate::message) fn serialize<S: Serializer>(
        fields: &Map<String, Value>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(fields.iter().map(|(key, value)| (escaped(key.clone()), Field(value))))
    }

    pub(in crate::message) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Map<String, Value>, D::Error> {
        let fields = Map::deserialize(deserializer)?.into_iter();
        let fields = fields.map(|(key, stored)| Ok((unescaped(key), restored(stored)?)));
        fields.collect::<serde_json::Result<_>>().map_err(D::Error::custom)
    }
}

/// Whether a value has more levels than a stored value may have, or a key that `serde_json` reads in its own way.
pub(super) fn is_unreadable(value: &Value) -> bool {
    let mut rest = vec![(value, 0)];
    while let Some((value, depth)) = rest.pop() {
        if depth > MAX_DEPTH {
            return true;
        }
        match value {
            Value::Array(items) => rest.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => {
                if fields.keys().any(|key| is_private(key.trim_start_matches('$'))) {
                    return true;
                }
                rest.extend(fields.values().map(|value| (value, depth + 1)));
            }
            _ => {}
        }
    }
    false
}
