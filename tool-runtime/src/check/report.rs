//! What is wrong, and where.

use crate::outcome::{ArgumentFault, MOST_FAULTS, Shortened};
use std::fmt::Write as _;

/// Beyond so many faults nobody looks further: a model may send a list of a million.
const MOST_KEPT: usize = 1_000;

/// The faults that a walk met.
#[derive(Debug)]
pub(super) struct Report {
    path: String,
    faults: Vec<ArgumentFault>,
    /// How many were met, those that were known already among them.
    met: usize,
}

impl Report {
    pub(super) fn at(path: &str) -> Self {
        Report { path: path.to_owned(), faults: Vec::new(), met: 0 }
    }

    /// Goes into a property; says where to come back to.
    pub(super) fn enter_property(&mut self, key: &str) -> usize {
        let outside = self.path.len();
        push_key(&mut self.path, key);
        outside
    }

    pub(super) fn enter_item(&mut self, index: usize) -> usize {
        let outside = self.path.len();
        // Writing to a text never fails.
        let _ = write!(self.path, "[{index}]");
        outside
    }

    pub(super) fn leave_to(&mut self, outside: usize) {
        self.path.truncate(outside);
    }

    /// `stops[2].city`
    pub(super) fn path_of(&self, key: &str) -> String {
        let mut path = self.path.clone();
        push_key(&mut path, key);
        path
    }

    pub(super) fn len(&self) -> usize {
        self.faults.len()
    }

    pub(super) fn add(&mut self, fault: ArgumentFault) {
        self.met += 1;
        // Two rules may say the same of one value.
        if !self.faults.iter().rev().take(MOST_FAULTS).any(|known| *known == fault) {
            self.faults.push(fault);
        }
    }

    pub(super) fn invalid(&mut self, problem: String) {
        self.add(ArgumentFault::Invalid { path: self.path.clone(), problem });
    }

    pub(super) fn is_full(&self) -> bool {
        self.met >= MOST_KEPT
    }

    pub(super) fn into_faults(self) -> Vec<ArgumentFault> {
        self.faults
    }
}

/// Each fault keeps its path, and a key of the model's own may be of any length.
fn push_key(path: &mut String, key: &str) {
    let joint = if path.is_empty() { "" } else { "." };
    // Writing to a text never fails.
    let _ = write!(path, "{joint}{}", Shortened(key));
}
