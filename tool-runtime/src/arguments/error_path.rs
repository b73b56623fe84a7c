//! The path of a decoder's own error inside of an argument. serde keeps no path, and `serde_json` keeps the position in the text:
//! the value at that position is the one that was rejected. A decoder that tracks its path would be compiled once more for each
//! type.

use super::arg_cell::ArgSlot;
use crate::json::{JsonString, Scanner};
use crate::outcome::{ArgumentFault, decode_problem};
use crate::validator::push_key;
use std::fmt::Write as _;

/// Decodes an argument once more, and returns the error with its path.
pub(super) fn decode_error<'a>(
    slot: &mut dyn ArgSlot<'a>,
    argument: &str,
    value: &'a str,
) -> Option<ArgumentFault> {
    let error = match slot.read(value) {
        Ok(length) if length == value.len() => return None,
        Ok(_) => {
            let problem = "the value is longer than its decoder reads".to_owned();
            return Some(ArgumentFault::Invalid { path: argument.to_owned(), problem });
        }
        Err(error) => error,
    };
    let mut problem = decode_problem(&error);
    // The path would have more than a hundred steps.
    if problem == "recursion limit exceeded" {
        return Some(ArgumentFault::Invalid { path: argument.to_owned(), problem });
    }
    let mut path = argument.to_owned();
    let mut rejected = Value { json: value, at: 0 };
    // An error of a conversion has no position, unless it is inside of an array, a map or a struct.
    let mut position = offset(value, &error).unwrap_or(value.len());
    // More are not worth their time.
    let mut attempts = 8;
    loop {
        let child = match rejected.child_at(position) {
            Place::Key(key) => {
                push_key(&mut path, &key);
                problem = format!("its key is wrong: {problem}");
                break;
            }
            Place::Child(child) => child,
            // The bracket that closes the value: either the whole was rejected, or its last child was decoded, and rejected by
            // a conversion. Without the bracket, only the second error is the same.
            Place::Whole { last: Some(child) } if attempts > 0 => {
                attempts -= 1;
                let end = child.value.at + child.value.json.len();
                let again = slot.read(&value[..end]).err().map(|error| decode_problem(&error));
                if again.as_ref() != Some(&decode_problem(&error)) {
                    break;
                }
                position = end;
                child
            }
            Place::Whole { .. } => break,
        };
        child.push_to(&mut path);
        rejected = child.value;
    }
    Some(ArgumentFault::Invalid { path, problem })
}

/// A value in the text of an argument.
#[derive(Clone, Copy)]
struct Value<'a> {
    json: &'a str,
    /// Where it starts.
    at: usize,
}

struct Child<'a> {
    step: Step<'a>,
    value: Value<'a>,
}

enum Step<'a> {
    Key(JsonString<'a>),
    Index(usize),
}

enum Place<'a> {
    Key(String),
    Child(Child<'a>),
    /// None of its parts alone.
    Whole {
        last: Option<Child<'a>>,
    },
}

impl Child<'_> {
    fn push_to(&self, path: &mut String) {
        match self.step {
            Step::Key(key) => push_key(path, &key.value().unwrap_or_default()),
            // Writing to a string never fails.
            Step::Index(index) => drop(write!(path, "[{index}]")),
        }
    }
}

impl<'a> Value<'a> {
    /// The part of an array or an object in which a decoder stopped.
    fn child_at(self, position: usize) -> Place<'a> {
        let mut json = Scanner::new(self.json);
        let end = match json.peek() {
            b'{' => b'}',
            b'[' => b']',
            _ => return Place::Whole { last: None },
        };
        json.skip(1);
        let mut last = None;
        let mut index = 0;
        while json.has_entry_before(end) {
            let mut step = Step::Index(index);
            if end == b'}' {
                let key = json.string();
                json.peek();
                if position <= self.at + json.position() {
                    return Place::Key(key.value().unwrap_or_default().into_owned());
                }
                json.take(b':');
                step = Step::Key(key);
            }
            json.peek();
            let at = self.at + json.position();
            // After an item is rejected, serde_json skips the comma and white space.
            if let Some(previous) = last.take_if(|_| end == b']' && position <= at) {
                return Place::Child(previous);
            }
            let child = Child { step, value: Value { json: json.value(), at } };
            json.peek();
            // A decoder may have skipped white space to the next comma.
            if position <= self.at + json.position() {
                return Place::Child(child);
            }
            last = Some(child);
            json.take(b',');
            index += 1;
        }
        Place::Whole { last }
    }
}

/// The position of an error in the text, in bytes.
fn offset(text: &str, error: &serde_json::Error) -> Option<usize> {
    let before = text.split_inclusive('\n').take(error.line().checked_sub(1)?).map(str::len).sum::<usize>();
    Some(before + error.column())
}
