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

impl CallKey {
    /// The call whose [child run context](super::CallContext::child_run_context) has this run id: the outer call of an inner run;
    /// `None` for any other run id.
    ///
    /// ```
    /// use tool_runtime::dispatch::CallKey;
    ///
    /// let call = CallKey::from_inner_run_id("order-7/2/0").expect("the id of an inner run");
    /// assert_eq!((&*call.run_id, call.reply, call.position), ("order-7", 2, 0));
    /// assert_eq!(CallKey::from_inner_run_id("order-7"), None);
    /// ```
    #[must_use]
    pub fn from_inner_run_id(run_id: &str) -> Option<Self> {
        let (call, position) = run_id.rsplit_once('/')?;
        let (outer, reply) = call.rsplit_once('/')?;
        let key = CallKey {
            run_id: outer.to_owned(),
            reply: reply.parse().ok()?,
            position: position.parse().ok()?,
        };
        // `parse` also reads `+2` and `02`.
        (key.to_string() == run_id).then_some(key)
    }
}

impl fmt::Display for CallKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.run_id, self.reply, self.position)
    }
}
