//! Histories that come from elsewhere: whether a provider would take them, what to do where it would not, and how to
//! make them shorter.
//!
//! A [`Conversation`](crate::Conversation) is never invalid. A list of messages that another program wrote, that was
//! kept in a database, or that was cut to length, may be: [`validate`] says all that is wrong, in words and in those of
//! a provider. With the feature `history`, `repair` makes any list valid, `trim` makes one shorter without parting a
//! call from its answer, and `find` goes from an answer to its call.

mod exchange;
#[cfg(feature = "history")]
mod find;
mod provider_words;
#[cfg(feature = "history")]
mod repair;
#[cfg(feature = "history")]
mod trim;
mod validate;
mod violation;
mod warnings;

#[cfg(feature = "history")]
pub use find::{Pair, find, find_answer};
#[cfg(feature = "history")]
pub use repair::{Orphans, Repair, repair, repair_with};
#[cfg(feature = "history")]
pub use trim::{TrimBudget, Trimmed, trim};
pub use validate::validate;
pub use violation::{HistoryError, Violation, ViolationKind};
pub use warnings::warnings;
