//! Repair of lists of messages that a server would reject, for programs with [`tool_runtime`].
//!
//! A [`Conversation`](tool_runtime::Conversation) is always valid. A list of messages that another program wrote, that was stored
//! in a database, or that was shortened, may be invalid:
//!
//! - [`history::validate`](tool_runtime::history::validate()) lists its errors;
//! - [`possible_violations()`] lists what only some servers reject;
//! - [`quoted_error()`] has the message of a provider for an error, and [`rejected_by()`] the servers that reject it;
//! - [`repair()`] makes the list valid and reports each change.
//!
//! A program that reads such lists depends on this package, in addition to `tool-runtime`:
//!
//! ```toml
//! [dependencies]
//! # In a project next to a checkout of the repository; after the first release: "0.1" in place of the path.
//! tool-runtime-repair = { path = "../tool-runtime/tool-repair" }
//! ```
#![warn(clippy::disallowed_methods)]

mod pairing;
mod possible_violations;
mod quoted_error;
mod rebuild;
mod rejected_by;
mod repair;
mod report;

pub use possible_violations::possible_violations;
pub use quoted_error::{QuotedError, quoted_error};
pub use rejected_by::rejected_by;
pub use repair::{Orphans, repair, repair_with};
pub use report::Repair;

/// The program of the README, compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
