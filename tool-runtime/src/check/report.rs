//! What is wrong, and where.

use crate::outcome::{ArgumentFault, MOST_FAULTS};
use std::fmt::Write as _;

/// Beyond so many faults nobody looks further: a model may send a list of a million.
const MOST_KEPT: usize = 1_000;

/// The faults that a walk met.
#[derive(Debug)]
pub(super) struct Report {
    path: String,
    faults: Vec<ArgumentFault>,
}

impl Report {
    pub(super) fn at(path: &str) -> Self {
        Report { path: path.to_owned(), faults: Vec::new() }
    }

    /// Goes into a property; says where to come back to.
    pub(super) fn enter_property(&mut self, key: &str) -> usize {
        let outside = self.path.len();
        self.path = self.path_of(key);
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
        match &*self.path {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.faults.len()
    }

    pub(super) fn add(&mut self, fault: ArgumentFault) {
        // Two rules may say the same of one value.
        if !self.faults.iter().rev().take(MOST_FAULTS).any(|known| *known == fault) {
            self.faults.push(fault);
        }
    }

    pub(super) fn invalid(&mut self, problem: String) {
        self.add(ArgumentFault::Invalid { path: self.path.clone(), problem });
    }

    pub(super) fn is_full(&self) -> bool {
        self.faults.len() >= MOST_KEPT
    }

    pub(super) fn into_faults(self) -> Vec<ArgumentFault> {
        self.faults
    }
}
