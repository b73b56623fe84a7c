//! An object as pairs of keys and JSON text.

use super::Scanner;
use serde::de::IgnoredAny;
use std::borrow::Cow;

/// Every pair of an object, in order, repeated keys included; `None` if the text is not one JSON object.
#[must_use]
pub fn pairs(json: &str) -> Option<Vec<(Cow<'_, str>, &str)>> {
    serde_json::from_str::<IgnoredAny>(json).ok()?;
    let pairs = json.trim_start().starts_with('{').then(|| Scanner::entries(json))?;
    pairs.map(|(key, value)| Some((key?, value))).collect()
}
