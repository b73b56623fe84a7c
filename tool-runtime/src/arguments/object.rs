//! Arguments as one JSON object.

use super::ArgumentsError;
use crate::coerce::{CoercionOptions, coerce};
use crate::json::{self, TypeSet};
use crate::message::means_none;
use crate::outcome::ENCODED_OBJECT;
use crate::validator::{Budget, Validator, Validity};
use serde::de::{Error as _, IgnoredAny};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The arguments of a dynamic tool: one object, valid under its schema.
pub(crate) fn object(arguments: &str, validator: &Validator) -> Result<Map<String, Value>, ArgumentsError> {
    let arguments = if means_none(arguments) { "{}" } else { arguments };
    let object = match serde_json::from_str(arguments) {
        Ok(object) => object,
        Err(error) => {
            pairs(arguments)?;
            return Err(not_json(arguments, error));
        }
    };
    let mut errors = Vec::new();
    match validator.validity(validator.root, arguments, &mut Budget::new(arguments)) {
        Validity::Valid => {}
        // The handler gets an integer where the schema has one.
        Validity::WithIntegralFloats => {
            let coerced = coerce(arguments, validator, CoercionOptions::default());
            return Ok(coerced
                .and_then(|coerced| serde_json::from_str(&coerced.arguments).ok())
                .unwrap_or(object));
        }
        Validity::Invalid => {
            errors = validator.errors(validator.root, "", arguments, &mut Budget::new(arguments));
        }
    }
    if errors.is_empty() { Ok(object) } else { Err(ArgumentsError::Invalid(errors)) }
}

/// The arguments as pairs, or why they are not an object.
pub(super) fn pairs(arguments: &str) -> Result<Vec<(Cow<'_, str>, &str)>, ArgumentsError> {
    let arguments = if means_none(arguments) { "{}" } else { arguments };
    if let Some(pairs) = json::pairs(arguments) {
        return Ok(pairs);
    }
    // serde_json stops at a wrong type, before a later syntax error.
    if let Err(error) = serde_json::from_str::<IgnoredAny>(arguments) {
        return Err(not_json(arguments, error));
    }
    Err(match TypeSet::from_json(arguments) {
        TypeSet::STRING if contains_object(arguments) => ArgumentsError::NotAnObject(ENCODED_OBJECT),
        // A key contains half of a surrogate pair.
        TypeSet::OBJECT => not_json(arguments, serde_json::Error::custom("a key is not a Unicode string")),
        other => ArgumentsError::NotAnObject(other.with_article()),
    })
}

fn contains_object(string: &str) -> bool {
    let inner = serde_json::from_str::<String>(string).unwrap_or_default();
    json::pairs(&inner).is_some()
}

fn not_json(arguments: &str, error: serde_json::Error) -> ArgumentsError {
    // A number that just ends is an invalid number to serde_json.
    let ends_in_number = || {
        let last = arguments.trim_end().bytes().last();
        error.to_string().starts_with("invalid number")
            && last.is_some_and(|last| matches!(last, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
    };
    let is_truncated = error.is_eof() || ends_in_number();
    ArgumentsError::NotJson { error, is_truncated }
}
