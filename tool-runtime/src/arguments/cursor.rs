//! The fast reading: one walk over the object, each value decoded in place.

use super::checks::{Check, Checks};
use super::slot::Slot;
use super::value::next_value;
use crate::json::Text;
use crate::messages::means_none;

/// The arguments are told apart by a bit each; a tool with more of them is read by `diagnosis`.
const MOST: usize = u64::BITS as usize;

/// Fills every slot from `arguments`, or gives up: then some slots may be filled.
pub(super) fn read<'a>(arguments: &'a str, checks: &Checks, slots: &mut [&mut dyn Slot<'a>]) -> Option<()> {
    if slots.len() > MOST {
        return None;
    }
    let mut seen = 0u64;
    let mut cursor = Cursor { text: arguments, at: 0 };
    match cursor.next_mark() {
        Some(b'{') => {
            seen = cursor.object(checks, slots)?;
            if cursor.next_mark().is_some() {
                return None;
            }
        }
        _ if means_none(arguments) => {}
        _ => return None,
    }
    for (index, slot) in slots.iter_mut().enumerate() {
        if seen & (1 << index) == 0 && !slot.fill_absent() {
            return None;
        }
    }
    Some(())
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Everything after the opening brace, the closing one included; says which slots were filled.
    fn object(&mut self, checks: &Checks, slots: &mut [&mut dyn Slot<'a>]) -> Option<u64> {
        let mut seen = 0u64;
        let mut expected = 0;
        self.skip_space();
        if self.rest()?.starts_with('}') {
            self.at += 1;
            return Some(seen);
        }
        loop {
            self.skip_space();
            let (index, check) = self.key(checks.parameters(), expected)?;
            if seen & (1 << index) != 0 {
                return None;
            }
            seen |= 1 << index;
            expected = index + 1;
            if self.next_mark() != Some(b':') {
                return None;
            }
            let rest = self.rest()?;
            // Before its decoder, which may try the alternatives of an enum for ever.
            if check.is_needed {
                checks.checker().admits(check.rule, rest)?;
            }
            self.at += slots[index].read(rest).ok()?;
            match self.next_mark()? {
                b'}' => return Some(seen),
                b',' => {}
                _ => return None,
            }
        }
    }

    /// The parameter that the next key names. Models keep to the order of the schema: the one that is expected is
    /// looked at before the key is read, which saves two thirds of the work on a key.
    fn key<'c>(&mut self, checks: &'c [Check], expected: usize) -> Option<(usize, &'c Check)> {
        let rest = self.rest()?;
        if let Some(check) = checks.get(expected).filter(|check| rest.starts_with(&*check.key)) {
            self.at += check.key.len();
            return Some((expected, check));
        }
        let (Text(key), length) = next_value(rest).ok()?;
        self.at += length;
        checks.iter().enumerate().find(|(_, check)| check.name == key)
    }

    /// The byte after white space.
    fn next_mark(&mut self) -> Option<u8> {
        self.skip_space();
        let mark = *self.text.as_bytes().get(self.at)?;
        self.at += 1;
        Some(mark)
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.text.as_bytes().get(self.at) {
            self.at += 1;
        }
    }

    fn rest(&self) -> Option<&'a str> {
        self.text.get(self.at..)
    }
}
