//! Validation and trimming of message lists.
//!
//! A [`Conversation`](crate::Conversation) is always valid. A list of messages that another program wrote, that was
//! stored in a database, or that was shortened, may be invalid: [`validate`] lists all errors. The package `tool-runtime-repair`
//! has the error messages of providers, and makes any list valid. [`pairs()`] lists the calls with their tool messages.
//! `trim` of a [`Conversation`](crate::Conversation::trim) shortens it to a [`TrimBudget`] without separating a call from its tool
//! message.
//! [`Wire::read_messages`](crate::wire::Wire::read_messages) reads a history, and [`wire::detect`](crate::wire::detect())
//! names its wire. `examples/lint` detects the wire of a history, validates it and repairs it.

pub(crate) mod exchange;
mod pairs;
mod trim;
mod validate;
mod violation;

#[doc(inline)]
pub use crate::violation::ViolationKind;
pub use pairs::pairs;
pub(crate) use trim::trim;
pub use trim::{TrimBudget, Trimmed};
pub use validate::validate;
pub use violation::{HistoryError, Violation};
