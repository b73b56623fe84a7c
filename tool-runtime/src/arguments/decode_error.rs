//! The error of a value that only its decoder rejects.

use super::arg_cell::ArgSlot;
use crate::outcome::{ArgumentError, decode_problem};
use crate::validator::{push_index, push_key};
use serde_path_to_error::Segment;

/// Decodes an argument once more, and returns the error with its path.
pub(super) fn decode_error<'a>(
    slot: &mut dyn ArgSlot<'a>,
    argument: &str,
    value: &'a str,
) -> Option<ArgumentError> {
    let error = slot.read(value).err()?;
    let problem = decode_problem(error.inner());
    let mut path = argument.to_owned();
    // The path of a value that is nested so deeply is too long to help.
    if problem.text == "recursion limit exceeded" {
        return Some(ArgumentError::invalid(path, problem));
    }
    for segment in error.path() {
        match segment {
            Segment::Seq { index } => push_index(&mut path, *index),
            Segment::Map { key } | Segment::Enum { variant: key } => push_key(&mut path, key),
            Segment::Unknown => break,
        }
    }
    Some(ArgumentError::invalid(path, problem))
}
