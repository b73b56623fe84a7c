//! The key of a call.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Identifies a call across restarts of the program: the run, the number of the reply in it, and the position of the call
/// in the reply. The id of a call does not, since several servers count from `call_0` in each reply.
///
/// [`CallContext::key`](super::CallContext::key) returns it. Its `Display` text is `{run_id}/{reply}/{position}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallKey {
    /// The id of the run: see [`RunContext::run_id`](super::RunContext::run_id).
    pub run_id: String,
    /// The number of the reply: see [`RunContext::reply_number`](super::RunContext::reply_number).
    pub reply: u64,
    /// The position of the call in the reply, from 0.
    pub position: usize,
}

impl fmt::Display for CallKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.run_id, self.reply, self.position)
    }
}
