//! The slow reading, taken when the fast one gave up: it goes on after a fault, to find them all.

use super::slot::Slot;
use super::{Parameter, Refusal};
use crate::messages::means_none;
use crate::nearest::nearest;
use crate::outcome::{ArgumentFault, Shortened};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

/// Fills every slot, or says everything that is wrong.
#[cold]
pub(super) fn read<'a>(
    arguments: &'a str,
    parameters: &[Parameter],
    slots: &mut [&mut dyn Slot<'a>],
) -> Result<(), Refusal> {
    let Pairs(pairs) = pairs(arguments)?;
    let mut faults = Vec::new();
    let mut unknown = Vec::new();
    let mut given = vec![false; slots.len()];
    for (key, value) in pairs {
        match parameters.iter().position(|parameter| parameter.name == key) {
            None => unknown.push(key),
            Some(index) if given[index] => {
                faults.push(ArgumentFault::Repeated { argument: key.into_owned() });
            }
            Some(index) => {
                given[index] = true;
                if let Err(error) = slots[index].read(value.get()) {
                    faults.push(ArgumentFault::Invalid { path: key.into_owned(), problem: problem(&error) });
                }
            }
        }
    }
    let mut missing = Vec::new();
    for (index, slot) in slots.iter_mut().enumerate() {
        if !given[index] && !slot.fill_absent() {
            missing.push(parameters[index].name);
        }
    }
    faults.extend(missing.iter().map(|&name| ArgumentFault::Missing { argument: name.to_owned() }));
    let not_given =
        || (0..parameters.len()).filter(|&index| !given[index]).map(|index| parameters[index].name);
    // One wrong name and one that is missing: that is the one that was meant.
    let only = match (&unknown[..], &missing[..]) {
        ([_], &[name]) => Some(name),
        _ => None,
    };
    faults.extend(unknown.into_iter().map(|key| ArgumentFault::Unknown {
        meant: nearest(&key, not_given()).or(only).map(str::to_owned),
        argument: key.into_owned(),
    }));
    if faults.is_empty() { Ok(()) } else { Err(Refusal::Faults(faults)) }
}

/// The arguments of a tool that reads them itself: any object, no key twice.
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
            Err(error) => faults.push(ArgumentFault::Invalid { path: key, problem: problem(&error) }),
        }
    }
    if faults.is_empty() { Ok(object) } else { Err(Refusal::Faults(faults)) }
}

/// serde's `invalid type: string "tomorrow", expected u8` in the order that the model needs, less the
/// position, which counts from the start of the value.
fn problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    let text = text.strip_suffix(&position).unwrap_or(&text);
    let got = text.strip_prefix("invalid type: ").or_else(|| text.strip_prefix("invalid value: "));
    match got.and_then(|got| got.rsplit_once(", expected ")) {
        Some((got, expected)) => format!("expected {expected}, got {}", Shortened(got)),
        None => text.to_owned(),
    }
}

fn pairs(arguments: &str) -> Result<Pairs<'_>, Refusal> {
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
struct Pairs<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

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
