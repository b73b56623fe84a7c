//! Limits of schemas, which bound the time of compilation and validation.

use super::pattern::PatternMemory;
use crate::json::descendants;
use serde_json::Value;
use std::fmt;

/// A limit that a schema exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExceededLimit {
    Bytes,
    Places,
    Values,
    Depth,
    References,
    Patterns,
}

impl ExceededLimit {
    const MAX_BYTES: usize = 1 << 20;
    /// Of the places of all values as JSON pointers, which reports have.
    const MAX_PLACES: usize = 64 << 20;
    const MAX_VALUES: usize = 30_000;
    /// `serde_json` does not parse deeper JSON.
    const MAX_DEPTH: usize = 127;
    pub(super) const MAX_REFERENCES: usize = 32;

    /// Measures a schema before anything else reads it.
    pub(crate) fn from_size(schema: &Value) -> Option<Self> {
        let (mut bytes, mut values, mut places) = (0_usize, 0_usize, 0_usize);
        // The longest place of a value at each level inside the current one.
        let mut longest = vec![0_usize];
        for (value, level) in descendants([schema]) {
            values += 1;
            bytes += match value {
                Value::String(text) => text.len(),
                Value::Object(entries) => entries.keys().map(String::len).sum(),
                _ => 8,
            };
            let key = value.as_object().and_then(|entries| entries.keys().map(String::len).max());
            longest.truncate(level);
            let place = longest.last().copied().unwrap_or_default();
            longest.push(place + key.unwrap_or_default() + 1);
            places += place;
            if places > Self::MAX_PLACES {
                return Some(ExceededLimit::Places);
            }
            if bytes > Self::MAX_BYTES {
                return Some(ExceededLimit::Bytes);
            }
            if values > Self::MAX_VALUES {
                return Some(ExceededLimit::Values);
            }
            if level > Self::MAX_DEPTH {
                return Some(ExceededLimit::Depth);
            }
        }
        None
    }
}

/// Drops a value of any depth, which `Drop` of [`Value`] cannot.
pub(crate) fn drop_without_recursion(value: Value) {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::Array(items) => rest.extend(items),
            Value::Object(entries) => rest.extend(entries.into_iter().map(|(_, value)| value)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

impl fmt::Display for ExceededLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (max, unit) = match self {
            ExceededLimit::Bytes => (Self::MAX_BYTES, "bytes"),
            ExceededLimit::Places => (Self::MAX_PLACES, "bytes of places, since its keys are long"),
            ExceededLimit::Values => (Self::MAX_VALUES, "values"),
            ExceededLimit::Depth => (Self::MAX_DEPTH, "levels of nesting"),
            ExceededLimit::References => {
                (Self::MAX_REFERENCES, "schemas in a row for one value, such as `$ref` and `allOf`")
            }
            ExceededLimit::Patterns => (PatternMemory::MAX, "MB of compiled patterns"),
        };
        write!(f, "it has more than {max} {unit}")
    }
}
