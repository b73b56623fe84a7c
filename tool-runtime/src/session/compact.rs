//! Compaction of a session in a run.

use super::{HookFuture, Session};
use crate::history::Trimmed;

/// Shortens a session that is too long for the model, in a run. [`Run::compact`](super::Run::compact) sets it.
///
/// The package `tool-runtime-compaction` implements it: results become notices, and older messages a summary. Implement it for
/// another strategy:
///
/// ```
/// use tool_runtime::history::{TrimBudget, Trimmed};
/// use tool_runtime::session::{Compact, CompactReason, HookFuture, Session};
///
/// /// Removes the older half of the messages of a long session.
/// struct RemoveOlderHalf;
///
/// impl Compact for RemoveOlderHalf {
///     fn compact<'a>(&'a mut self, session: &'a mut Session, reason: CompactReason) -> HookFuture<'a, Option<Trimmed>> {
///         let length = session.messages().len();
///         let is_too_long = length > 200 || reason == CompactReason::ContextTooLong;
///         let trimmed = is_too_long.then(|| session.trim(&TrimBudget::max_messages(length / 2)));
///         Box::pin(async { Ok(trimmed) }) // a real one stores `trimmed.removed`
///     }
/// }
/// # let mut session = Session::new().user("Hello!");
/// # assert!(futures_util::FutureExt::now_or_never(RemoveOlderHalf.compact(&mut session, CompactReason::BeforeRequest))
/// #     .is_some_and(|compacted| compacted.is_ok_and(|compacted| compacted.is_none())));
/// ```
pub trait Compact: Send {
    /// Shortens the session if it is too long, and returns the changes; `None` if there are none. No call is pending. If the run is
    /// cancelled meanwhile, the future is dropped: change the session in one step.
    fn compact<'a>(
        &'a mut self,
        session: &'a mut Session,
        reason: CompactReason,
    ) -> HookFuture<'a, Option<Trimmed>>;
}

/// Why a run compacts its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompactReason {
    /// The run sends a request next. Most sessions are short enough, and do not change.
    BeforeRequest,
    /// The provider has rejected the request, since it is too long. The run repeats it once if the session changes.
    ContextTooLong,
}
