//! Several errors of arguments as one text.

use super::ArgumentError;
use super::argument_error::Names;
use std::fmt::{self, Write as _};
use std::sync::Arc;

/// The number of errors in a message; the rest is only counted.
pub(crate) const MAX_SHOWN_ERRORS: usize = 50;

/// The number of errors that are collected for one call.
pub(crate) const MAX_ERRORS: usize = 1_000;

/// In bytes: no further error is added to a message that exceeds this length.
const MAX_MESSAGE_LENGTH: usize = 4_000;

/// `` `days`: expected an integer, got string "two"; `city` is missing; and 3 more ``
pub(crate) struct ErrorList<'a>(pub(crate) &'a [ArgumentError]);

impl fmt::Display for ErrorList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ErrorList(errors) = self;
        let mut shown = 0;
        let mut text = String::new();
        for (index, error) in errors.iter().enumerate().take(MAX_SHOWN_ERRORS) {
            if text.len() > MAX_MESSAGE_LENGTH {
                break;
            }
            if index > 0 {
                text.push_str("; ");
            }
            write!(text, "{error}")?;
            let next = errors.get(index + 1).filter(|_| index + 1 < MAX_SHOWN_ERRORS);
            let next = next.and_then(ArgumentError::known_names);
            // Errors in a row share the list.
            if let Some(known) =
                error.known_names().filter(|known| next.is_none_or(|next| !Arc::ptr_eq(known, next)))
            {
                write!(text, " (it takes {})", Names(known))?;
            }
            shown += 1;
        }
        f.write_str(&text)?;
        match errors.len() - shown {
            0 => Ok(()),
            more if errors.len() == MAX_ERRORS => write!(f, "; and at least {more} more"),
            more => write!(f, "; and {more} more"),
        }
    }
}
