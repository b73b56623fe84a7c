//! JSON values in the stored form, for serde's `with`.
//!
//! `serde_json` reads at most 128 levels, and the stored form adds levels to a value that a wire has read. So a deep value is
//! stored as the text of its JSON.

use serde::de::Error as _;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// The levels of a value that is stored as it is.
const MAX_DEPTH: usize = 64;

/// The only key of an object with the text of a value.
const TEXT: &str = "$json";

pub(super) fn serialize<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    let is_like_text = value.as_object().is_some_and(|object| object.contains_key(TEXT));
    if !is_like_text && !is_deep(value) {
        return value.serialize(serializer);
    }
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(TEXT, &value.to_string())?;
    map.end()
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    restored(Value::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// The value whose stored form this is.
fn restored(stored: Value) -> serde_json::Result<Value> {
    match stored.as_object().filter(|object| object.len() == 1).and_then(|object| object.get(TEXT)) {
        Some(Value::String(json)) => serde_json::from_str(json),
        _ => Ok(stored),
    }
}

/// The values of an object.
pub(super) mod fields {
    use super::{Deserialize, Deserializer, Map, Serialize, Serializer, Value, restored};
    use serde::de::Error as _;

    #[derive(Serialize)]
    struct Field<'a>(#[serde(serialize_with = "super::serialize")] &'a Value);

    pub(in crate::message) fn serialize<S: Serializer>(
        fields: &Map<String, Value>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(fields.iter().map(|(key, value)| (key, Field(value))))
    }

    pub(in crate::message) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Map<String, Value>, D::Error> {
        let fields = Map::deserialize(deserializer)?.into_iter();
        let fields = fields.map(|(key, stored)| Ok((key, restored(stored)?)));
        fields.collect::<serde_json::Result<_>>().map_err(D::Error::custom)
    }
}

/// Whether a value has more levels than a stored value may have.
pub(super) fn is_deep(value: &Value) -> bool {
    let mut rest = vec![(value, 0)];
    while let Some((value, depth)) = rest.pop() {
        if depth > MAX_DEPTH {
            return true;
        }
        match value {
            Value::Array(items) => rest.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => rest.extend(fields.values().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    false
}
