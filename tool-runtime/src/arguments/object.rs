//! Arguments as an object, whatever is in it.

use super::Refusal;
use crate::check::{Admitted, Checker};
use crate::json::Pairs;
use crate::mend::{Mending, mend};
use crate::messages::means_none;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// The arguments of a tool that reads them itself: one object, as its schema says.
pub(crate) fn object(arguments: &str, checker: &Checker) -> Result<Map<String, Value>, Refusal> {
    let arguments = if means_none(arguments) { "{}" } else { arguments };
    let object = match serde_json::from_str(arguments) {
        Ok(object) => object,
        Err(error) => {
            pairs(arguments)?;
            return Err(Refusal::NotJson(error));
        }
    };
    match checker.admits(checker.root(), arguments) {
        Some(Admitted::AsWritten) => Ok(object),
        // So that the handler finds an integer where the schema says so.
        Some(Admitted::WithIntegralFloats) => {
            let mended = mend(arguments, checker, Mending::default());
            Ok(mended.and_then(|mended| serde_json::from_str(&mended.arguments).ok()).unwrap_or(object))
        }
        None => match checker.faults(checker.root(), "", arguments) {
            // The slow reading is the one that counts.
            faults if faults.is_empty() => Ok(object),
            faults => Err(Refusal::Faults(faults)),
        },
    }
}

/// The arguments as pairs, or why they are no object.
pub(super) fn pairs(arguments: &str) -> Result<Pairs<'_>, Refusal> {
    if means_none(arguments) {
        return Ok(Pairs(Vec::new()));
    }
    match serde_json::from_str(arguments) {
        Ok(pairs) => Ok(pairs),
        // Whether it is JSON at all is asked first: serde_json stops at the wrong type before a later fault.
        Err(error) => match serde_json::from_str::<IgnoredAny>(arguments) {
            Err(error) => Err(Refusal::NotJson(error)),
            Ok(_) => match kind(arguments) {
                Some(kind) => Err(Refusal::NotAnObject(kind)),
                None => Err(Refusal::NotJson(error)),
            },
        },
    }
}

/// What JSON is that is no object; `null` means none and does not come here.
fn kind(json: &str) -> Option<&'static str> {
    match json.trim_start().as_bytes().first()? {
        b'{' => None,
        b'[' => Some("a list"),
        b'"' => Some("a string"),
        b't' | b'f' => Some("a boolean"),
        _ => Some("a number"),
    }
}
