//! The fast reading: one pass over the object, each value decoded in place.

use super::arg_cell::{ArgSlot, next_value};
use super::tool_validator::{ParamValidator, ToolValidator};
use crate::json::{Scanner, Text};
use crate::message::means_none;
use crate::validator::{Budget, Validity};

/// The arguments that were read are a set of bits; `errors` reads the arguments of a tool with more parameters.
const MAX_PARAMETERS: usize = u64::BITS as usize;

/// Fills every slot, or fails; then some slots may be filled.
pub(super) fn read<'a>(
    arguments: &'a str,
    validator: &ToolValidator,
    slots: &mut [&mut dyn ArgSlot<'a>],
) -> Option<()> {
    if slots.len() > MAX_PARAMETERS {
        return None;
    }
    let mut json = Scanner::new(arguments);
    let mut filled = 0u64;
    if json.take(b'{') {
        filled = read_object(&mut json, validator, slots)?;
        json.peek();
        if !json.rest().is_empty() {
            return None;
        }
    } else if !means_none(arguments) {
        return None;
    }
    for (index, slot) in slots.iter_mut().enumerate() {
        if filled & (1 << index) == 0 && !slot.fill_absent() {
            return None;
        }
    }
    Some(())
}

/// Reads to the closing brace. Returns which slots are filled.
fn read_object<'a>(
    json: &mut Scanner<'a>,
    validator: &ToolValidator,
    slots: &mut [&mut dyn ArgSlot<'a>],
) -> Option<u64> {
    let mut filled = 0u64;
    let mut expected = 0;
    if json.take(b'}') {
        return Some(filled);
    }
    loop {
        let (index, parameter) = read_key(json, &validator.parameters, expected)?;
        if filled & (1 << index) != 0 || !json.take(b':') {
            return None;
        }
        filled |= 1 << index;
        expected = index + 1;
        let value = json.rest();
        // Before its decoder, which could try the variants of nested enums for ever.
        if parameter.is_needed
            && validator.validator.validity(parameter.node, value, &mut Budget::new(value))
                == Validity::Invalid
        {
            return None;
        }
        json.skip(slots[index].read(value).ok()?);
        if json.take(b'}') {
            return Some(filled);
        }
        if !json.take(b',') {
            return None;
        }
    }
}

/// The parameter of the next key. Models keep to the order of the schema: the expected key is compared before the key is read,
/// which saves two thirds of the work on a key.
fn read_key<'v>(
    json: &mut Scanner<'_>,
    parameters: &'v [ParamValidator],
    expected: usize,
) -> Option<(usize, &'v ParamValidator)> {
    json.peek();
    let is_next = |parameter: &&ParamValidator| json.rest().starts_with(&*parameter.key);
    if let Some(parameter) = parameters.get(expected).filter(is_next) {
        json.skip(parameter.key.len());
        return Some((expected, parameter));
    }
    let (Text(key), length) = next_value(json.rest()).ok()?;
    json.skip(length);
    parameters.iter().enumerate().find(|(_, parameter)| parameter.name == key)
}
