//! The types of JSON.

use serde_json::Value;
use std::collections::BTreeSet;

/// A type of JSON values. A number is an integer or a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum JsonType {
    String,
    Integer,
    Fraction,
    Boolean,
    Array,
    Object,
    Null,
}

impl JsonType {
    pub(super) const ALL: &[Self] =
        &[Self::String, Self::Integer, Self::Fraction, Self::Boolean, Self::Array, Self::Object, Self::Null];

    /// The types that a value of the keyword `type` names.
    pub(super) fn from_name(name: &str) -> Option<&'static [Self]> {
        Some(match name {
            "string" => &[Self::String],
            "number" => &[Self::Integer, Self::Fraction],
            "integer" => &[Self::Integer],
            "boolean" => &[Self::Boolean],
            "array" => &[Self::Array],
            "object" => &[Self::Object],
            "null" => &[Self::Null],
            _ => return None,
        })
    }

    /// The type of a value. `1.0` may have both types of numbers.
    pub(super) fn from_value(value: &Value) -> &'static [Self] {
        match value {
            Value::String(_) => &[Self::String],
            Value::Number(number) if number.is_f64() => &[Self::Integer, Self::Fraction],
            Value::Number(_) => &[Self::Integer],
            Value::Bool(_) => &[Self::Boolean],
            Value::Array(_) => &[Self::Array],
            Value::Object(_) => &[Self::Object],
            Value::Null => &[Self::Null],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Fraction => "number",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
            Self::Null => "null",
        }
    }
}

/// `string or null`
pub(super) fn type_names(types: &BTreeSet<JsonType>) -> String {
    if types.len() == JsonType::ALL.len() {
        return "any type".to_owned();
    }
    // A number may be an integer.
    let is_shown = |kind: &&JsonType| **kind != JsonType::Integer || !types.contains(&JsonType::Fraction);
    let names: Vec<&str> = types.iter().filter(is_shown).map(|kind| kind.name()).collect();
    if names.is_empty() { "no type".to_owned() } else { names.join(" or ") }
}
