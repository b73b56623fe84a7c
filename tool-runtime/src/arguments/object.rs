//! Arguments as an object, whatever is in it.

use super::Refusal;
use crate::messages::means_none;
use crate::outcome::ArgumentFault;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

/// The arguments of a tool that reads them itself: any object, no key of it twice.
pub(crate) fn object(arguments: &str) -> Result<Map<String, Value>, Refusal> {
    let Pairs(pairs) = pairs(arguments)?;
    let mut object = Map::new();
    let mut faults = Vec::new();
    for (key, value) in pairs {
        let key = key.into_owned();
        match serde_json::from_str(value.get()) {
            Ok(_) if object.contains_key(&key) => faults.push(ArgumentFault::Repeated { argument: key }),
            Ok(value) => {
                object.insert(key, value);
            }
            Err(error) => faults.push(ArgumentFault::invalid(key, &error)),
        }
    }
    if faults.is_empty() { Ok(object) } else { Err(Refusal::Faults(faults)) }
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

/// An object as it was written: every pair, repeated keys included.
pub(super) struct Pairs<'a>(pub(super) Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Pairs<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PairsVisitor)
    }
}

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Pairs<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<'de>, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}
