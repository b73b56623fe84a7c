//! The text of JSON values.

use serde_json::Value;

/// The compact JSON text of a value. `Display` of [`Value`] also contains the indented form, and with it a second
/// serializer.
#[inline(never)]
#[must_use]
pub fn to_text(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
