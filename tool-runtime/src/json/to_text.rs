//! The text of JSON values.

use serde::Serialize;
use serde_json::Value;

/// The compact JSON text of a value. `Display` of [`Value`] also contains the indented form, and with it a second
/// serializer.
#[inline(never)]
pub(crate) fn to_text(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The text of the arguments of a call: a string is this text itself, and any other value is written as JSON.
pub(crate) fn arguments_text(arguments: impl Serialize) -> Result<String, serde_json::Error> {
    let json = serde_json::to_string(&arguments)?;
    if json.starts_with('"') { serde_json::from_str(&json) } else { Ok(json) }
}
