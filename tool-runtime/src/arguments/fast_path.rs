//! The fast path: one pass over the object, which decodes each value in place.

use super::arg_cell::ArgSlot;
use super::decoder::Decoder;
use super::tool_validator::{ParamValidator, ToolValidator};
use crate::message::means_none;

/// A bit set contains the arguments that were read. `errors` reads the arguments of a tool with more parameters.
const MAX_PARAMETERS: usize = u64::BITS as usize;

/// Fills every slot, or returns `None`; some slots may be filled then.
pub(super) fn read<'a>(
    arguments: &'a str,
    validator: &ToolValidator,
    slots: &mut [&mut dyn ArgSlot<'a>],
) -> Option<()> {
    if slots.len() > MAX_PARAMETERS {
        return None;
    }
    let mut decoder = Decoder::new(arguments, &validator.validator);
    let mut filled = 0u64;
    if decoder.json.take(b'{') {
        filled = read_object(&mut decoder, &validator.parameters, slots)?;
        decoder.json.peek();
        if !decoder.json.rest().is_empty() {
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
    decoder: &mut Decoder<'a, '_>,
    parameters: &[ParamValidator],
    slots: &mut [&mut dyn ArgSlot<'a>],
) -> Option<u64> {
    let mut filled = 0u64;
    let mut expected = 0;
    while decoder.has_entry(filled == 0, b'}').ok()? {
        let key = parameters.get(expected).map(|parameter| &*parameter.key);
        let find = |name: &str| parameters.iter().position(|parameter| parameter.name == name);
        let index = decoder.key((expected, key), find)?;
        if filled & (1 << index) != 0 {
            return None;
        }
        filled |= 1 << index;
        expected = index + 1;
        slots[index].decode(decoder, parameters[index].node)?;
    }
    Some(filled)
}
