//! The path of a decoder's error inside an argument. An error of serde has no path, but `serde_json` reports a position
//! in the text: the value at that position was rejected. A decoder that tracks the path would have to be compiled for
//! each type.

use super::arg_cell::ArgSlot;
use crate::json::Scanner;
use crate::outcome::{ArgumentError, decode_problem};
use crate::validator::{push_index, push_key};
use std::borrow::Cow;

/// Each attempt decodes the argument again.
const MAX_ATTEMPTS: usize = 8;

/// Decodes an argument once more, and returns the error with its path.
pub(super) fn decode_error<'a>(
    slot: &mut dyn ArgSlot<'a>,
    argument: &str,
    value: &'a str,
) -> Option<ArgumentError> {
    let error = slot.read(value).err()?;
    let problem = decode_problem(&error);
    let mut path = argument.to_owned();
    // The path of such a deep value would not help.
    if problem.text == "recursion limit exceeded" {
        return Some(ArgumentError::invalid(path, problem));
    }
    // If a conversion rejects the last part, `serde_json` reports the closing bracket of the whole. Decoding without
    // the bracket shows whether the last part was rejected: then the error is the same.
    let mut is_rejected = |part: &Part<'_>| {
        let again = slot.read(&value[..part.end()]).err();
        again.is_some_and(|error| decode_problem(&error).text == problem.text)
    };
    let mut rejected = Part { key: None, index: 0, json: value, start: 0 };
    // The error of a conversion has a position only inside an array, a map or a struct.
    let mut position = offset(value, &error).unwrap_or(value.len());
    let mut attempts = 0;
    loop {
        rejected = match rejected.place(position) {
            Place::Part(part) => part,
            Place::Whole(Some(part)) if attempts < MAX_ATTEMPTS && is_rejected(&part) => {
                attempts += 1;
                position = part.end();
                part
            }
            Place::Whole(_) => return Some(ArgumentError::invalid(path, problem)),
            Place::Key(key) => {
                push_key(&mut path, &key);
                return Some(ArgumentError::invalid(path, format!("its key is wrong: {}", problem.text)));
            }
        };
        match &rejected.key {
            Some(key) => push_key(&mut path, key),
            None => push_index(&mut path, rejected.index),
        }
    }
}

/// A value in the text of an argument: a property of an object or an item of an array.
struct Part<'a> {
    key: Option<Cow<'a, str>>,
    index: usize,
    json: &'a str,
    start: usize,
}

/// Where a decoder stopped.
enum Place<'a> {
    Key(Cow<'a, str>),
    Part(Part<'a>),
    /// Not in one of the parts. Contains the last part.
    Whole(Option<Part<'a>>),
}

impl<'a> Part<'a> {
    fn end(&self) -> usize {
        self.start + self.json.len()
    }

    /// Returns the place of a position in an array or an object.
    fn place(&self, position: usize) -> Place<'a> {
        let mut json = Scanner::new(self.json);
        let end = match json.peek() {
            b'{' => b'}',
            b'[' => b']',
            _ => return Place::Whole(None),
        };
        json.skip(1);
        // The value has the wrong type.
        if position <= self.start + json.position() {
            return Place::Whole(None);
        }
        let mut last = None;
        for index in 0.. {
            if !json.has_entry_before(end) {
                break;
            }
            let mut key = None;
            if end == b'}' {
                let name = json.string().value().unwrap_or_default();
                json.peek();
                if position <= self.start + json.position() {
                    return Place::Key(name);
                }
                json.take(b':');
                key = Some(name);
            }
            json.peek();
            let start = self.start + json.position();
            // After an item is rejected, serde_json skips the comma and white space.
            if let Some(previous) = last.take_if(|_| end == b']' && position <= start) {
                return Place::Part(previous);
            }
            let part = Part { key, index, json: json.value(), start };
            json.peek();
            if position <= self.start + json.position() {
                return Place::Part(part);
            }
            last = Some(part);
            json.take(b',');
        }
        Place::Whole(last)
    }
}

/// The position of an error in the text, in bytes.
pub(super) fn offset(text: &str, error: &serde_json::Error) -> Option<usize> {
    let before = text.split_inclusive('\n').take(error.line().checked_sub(1)?).map(str::len).sum::<usize>();
    Some(before + error.column())
}
