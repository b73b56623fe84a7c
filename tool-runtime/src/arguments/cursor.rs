//! The fast reading: one walk over the object, each value decoded in place.

use super::slot::Slot;
use super::value::next_value;
use super::{Checks, Parameter};
use crate::json::Text;
use crate::messages::means_none;

/// The arguments are told apart by a bit each; a tool with more of them is read by `diagnosis`.
const MOST: usize = u64::BITS as usize;

/// Fills every slot from `arguments`, or gives up: then some slots may be filled.
pub(super) fn read<'a>(
    arguments: &'a str,
    parameters: &[Parameter],
    checks: &Checks,
    slots: &mut [&mut dyn Slot<'a>],
) -> Option<()> {
    if slots.len() > MOST {
        return None;
    }
    let mut seen = 0u64;
    let mut cursor = Cursor { rest: arguments };
    cursor.skip_space();
    if cursor.take(b'{') {
        seen = cursor.object(parameters, checks, slots)?;
        cursor.skip_space();
        if !cursor.rest.is_empty() {
            return None;
        }
    } else if !means_none(arguments) {
        return None;
    }
    for (index, slot) in slots.iter_mut().enumerate() {
        if seen & (1 << index) == 0 && !slot.fill_absent() {
            return None;
        }
    }
    Some(())
}

struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    /// Everything after the opening brace, the closing one included; says which slots were filled.
    fn object(
        &mut self,
        parameters: &[Parameter],
        checks: &Checks,
        slots: &mut [&mut dyn Slot<'a>],
    ) -> Option<u64> {
        let mut seen = 0u64;
        self.skip_space();
        if self.take(b'}') {
            return Some(seen);
        }
        loop {
            let index = self.key(parameters)?;
            if seen & (1 << index) != 0 {
                return None;
            }
            seen |= 1 << index;
            self.skip_space();
            if !self.take(b':') {
                return None;
            }
            // Before its decoder, which may try the alternatives of an enum for ever.
            if let Some(rule) = checks.needed(index) {
                checks.checker().admits(rule, self.rest)?;
            }
            let length = slots[index].read(self.rest).ok()?;
            self.rest = &self.rest[length..];
            self.skip_space();
            if self.take(b'}') {
                return Some(seen);
            }
            if !self.take(b',') {
                return None;
            }
            self.skip_space();
        }
    }

    /// The parameter that the next key names.
    fn key(&mut self, parameters: &[Parameter]) -> Option<usize> {
        let text = self.rest.strip_prefix('"')?;
        let end = text.bytes().position(|byte| matches!(byte, b'"' | b'\\' | ..0x20))?;
        if text.as_bytes()[end] == b'"' {
            self.rest = &text[end + 1..];
            position(parameters, &text[..end])
        } else {
            let (Text(key), length) = next_value(self.rest).ok()?;
            self.rest = &self.rest[length..];
            position(parameters, &key)
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        match self.rest.as_bytes().first() {
            Some(&first) if first == byte => {
                self.rest = &self.rest[1..];
                true
            }
            _ => false,
        }
    }

    fn skip_space(&mut self) {
        let space = self.rest.bytes().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\t' | b'\r')).count();
        self.rest = &self.rest[space..];
    }
}

fn position(parameters: &[Parameter], key: &str) -> Option<usize> {
    parameters.iter().position(|parameter| parameter.name == key)
}
