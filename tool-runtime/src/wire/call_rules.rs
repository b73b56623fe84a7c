//! What a provider promises about the calls of its streams.

/// The rules of a provider by which the pieces of one call are put together. The default promises nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallRules {
    /// An id names one call: if it comes again, its arguments are stated again. Otherwise, other arguments are those of
    /// another call.
    pub(crate) has_unique_ids: bool,
    /// The complete call follows its pieces and replaces them.
    pub(crate) sends_complete_calls: bool,
}
