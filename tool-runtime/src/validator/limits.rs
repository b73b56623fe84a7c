//! Limits of schemas, so that no schema takes long to compile or to validate against.

use super::pattern::PatternMemory;
use serde_json::Value;
use std::fmt;

/// A limit that a schema exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExceededLimit {
    Bytes,
    Values,
    Depth,
    References,
    Patterns,
}

impl ExceededLimit {
    const MAX_BYTES: usize = 1 << 20;
    const MAX_VALUES: usize = 50_000;
    /// `serde_json` reads no deeper JSON.
    const MAX_DEPTH: usize = 127;
    pub(super) const MAX_REFERENCES: usize = 32;

    /// The size of a schema, measured before anything else reads it. Without recursion, since its depth is not known.
    pub(crate) fn of_size(schema: &Value) -> Option<Self> {
        let (mut bytes, mut values) = (0_usize, 0_usize);
        let mut rest = vec![(schema, 1)];
        while let Some((value, depth)) = rest.pop() {
            values += 1;
            bytes += 8;
            match value {
                Value::String(text) => bytes += text.len(),
                Value::Array(items) => rest.extend(items.iter().map(|item| (item, depth + 1))),
                Value::Object(entries) => {
                    bytes += entries.keys().map(String::len).sum::<usize>();
                    rest.extend(entries.values().map(|value| (value, depth + 1)));
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
            if bytes > Self::MAX_BYTES {
                return Some(ExceededLimit::Bytes);
            }
            if values > Self::MAX_VALUES {
                return Some(ExceededLimit::Values);
            }
            if depth > Self::MAX_DEPTH {
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
        match self {
            ExceededLimit::Bytes => write!(f, "it has more than {} bytes", Self::MAX_BYTES),
            ExceededLimit::Values => write!(f, "it has more than {} values", Self::MAX_VALUES),
            ExceededLimit::Depth => write!(f, "it is nested in more than {} levels", Self::MAX_DEPTH),
            ExceededLimit::References => {
                write!(f, "more than {} references follow one another for one value", Self::MAX_REFERENCES)
            }
            ExceededLimit::Patterns => {
                write!(f, "its patterns take more than {} MB when they are compiled", PatternMemory::MAX)
            }
        }
    }
}
