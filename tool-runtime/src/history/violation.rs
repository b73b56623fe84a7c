//! Violations: the ways in which a history is invalid.

use crate::outcome::{LogWriter, Truncated};
use crate::violation::ViolationKind;
use std::error::Error;
use std::fmt::{self, Write as _};

/// One violation in a list of messages. The package `tool-runtime-repair` has the error messages of providers for it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The index of the invalid message; for a call without a tool message, the index of its reply.
    pub index: usize,
    /// The id of the call or of the tool message; empty if it has none.
    pub id: String,
    /// The kind of the violation.
    pub kind: ViolationKind,
    /// The position of the call in its reply; 0 for any other violation.
    pub position: usize,
}

/// Formats as `messages[3]: a tool call without a tool message (call_1)`.
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut LogWriter(f);
        write!(f, "messages[{}]: {}", self.index, self.kind)?;
        if self.id.is_empty() { Ok(()) } else { write!(f, " ({})", Truncated(&self.id)) }
    }
}

/// The maximum number of violations in a message.
const LISTED: usize = 20;

/// All violations in a list of messages, ordered by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryError(pub(super) Vec<Violation>);

impl HistoryError {
    /// The violations; at least one.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.0
    }
}

/// As a slice of its violations.
impl std::ops::Deref for HistoryError {
    type Target = [Violation];
    fn deref(&self) -> &[Violation] {
        &self.0
    }
}

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut LogWriter(f);
        f.write_str("providers reject these messages: ")?;
        for (number, violation) in self.0.iter().take(LISTED).enumerate() {
            write!(f, "{}{violation}", if number > 0 { "; " } else { "" })?;
        }
        match self.0.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

impl Error for HistoryError {}
