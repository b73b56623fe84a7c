//! The rules by which the pieces of one call are put together.

/// The rules that the streams of a provider follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallRules {
    /// An id names one call: if it comes again, its arguments are stated again. Otherwise, other arguments are those of
    /// another call.
    pub(crate) has_unique_ids: bool,
    /// The complete call follows its pieces and replaces them.
    pub(crate) sends_complete_calls: bool,
    /// The arguments of a truncated call may be an object. So a call is complete only when the next call begins, or the reply
    /// ends without truncation.
    pub(crate) may_truncate_objects: bool,
}

impl CallRules {
    /// No rules.
    pub(super) const NONE: CallRules =
        CallRules { has_unique_ids: false, sends_complete_calls: false, may_truncate_objects: false };
}
