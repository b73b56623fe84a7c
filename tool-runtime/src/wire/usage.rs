//! The tokens of a reply.

use crate::message::Usage;

impl Usage {
    /// The usage with these counts; `None` if neither the input nor the output is known.
    pub(super) fn from_counts(input: Option<u64>, cached: Option<u64>, output: Option<u64>) -> Option<Self> {
        input.or(output)?;
        Some(Usage {
            input_tokens: input.unwrap_or_default(),
            cached_input_tokens: cached.unwrap_or_default(),
            output_tokens: output.unwrap_or_default(),
        })
    }
}
