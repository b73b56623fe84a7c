//! Internals that only the package `tool-runtime-repair` uses, which pins the version of this crate with `=`. They are not part of
//! the public API and change without notice.

use crate::fingerprint::fingerprint;
pub use crate::history::exchange::{Exchange, OpenCalls, exchanges};
use crate::history::{Violation, ViolationKind};
use crate::message::{self, AssistantMessage};
use crate::outcome::LogWriter;
use std::fmt;

/// The prefix of the content of a failed call.
pub const ERROR: &str = message::ERROR;

/// Makes the ids of the calls of a reply unique. The new ids depend on the index of the reply, so that they are the same in
/// each run.
pub fn replace_unusable_ids(reply: &mut AssistantMessage, index: usize) {
    // Deterministic ids keep prompt caches valid.
    let mut new_ids = 0_u32;
    reply.change_calls(|calls| {
        message::replace_unusable_ids(calls, |_| {
            new_ids += 1;
            fingerprint(format!("{index}.{new_ids}").into_bytes())
        });
    });
}

/// Writes a text that may quote ids of a model, for a log.
pub fn log_writer(f: &mut fmt::Formatter<'_>) -> impl fmt::Write {
    LogWriter(f)
}

/// A violation in the call at this position of the reply at this index.
#[must_use]
pub fn violation(kind: ViolationKind, index: usize, position: usize, id: &str) -> Violation {
    Violation { index, id: id.to_owned(), kind, position }
}
