//! The errors of a validation and their paths.

use crate::outcome::{ArgumentError, MAX_ERRORS, MAX_SHOWN_ERRORS, Truncated};
use std::fmt::Write as _;

/// The maximum number of bytes that the collected errors take: a model may send an array of a million wrong items.
const MAX_BYTES: usize = 1 << 18;

/// The errors that a validation found.
#[derive(Debug)]
pub(super) struct Report {
    /// The path of the value that is validated.
    pub(super) path: String,
    pub(super) errors: Vec<ArgumentError>,
    /// The number of errors, repeated ones included.
    found: usize,
    bytes: usize,
}

impl Report {
    pub(super) fn new(path: &str) -> Self {
        Report { path: path.to_owned(), errors: Vec::new(), found: 0, bytes: 0 }
    }

    /// `stops[2].city`
    pub(super) fn path_of(&self, key: &str) -> String {
        let mut path = self.path.clone();
        push_key(&mut path, key);
        path
    }

    pub(super) fn add(&mut self, error: ArgumentError) {
        self.found += 1;
        // Two schemas may reject one value for the same reason.
        if !self.errors.iter().rev().take(MAX_SHOWN_ERRORS).any(|known| *known == error) {
            self.bytes += self.path.len() + 100;
            self.errors.push(error);
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.found >= MAX_ERRORS || self.bytes >= MAX_BYTES
    }
}

/// Appends a key to a path, truncated: each error stores its path, and a key from a model may be of any length.
pub(crate) fn push_key(path: &mut String, key: &str) {
    let joint = if path.is_empty() { "" } else { "." };
    // Writing to a string never fails.
    let _ = write!(path, "{joint}{}", Truncated(key));
}

pub(crate) fn push_index(path: &mut String, index: usize) {
    let _ = write!(path, "[{index}]");
}
