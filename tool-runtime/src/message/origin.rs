//! The origin of a reply, how it ended, and its cost.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The provider's API and the model that a reply comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Origin {
    /// The name of the wire that read the reply: for example `chat_completions`.
    pub wire: Cow<'static, str>,
    /// The model, if the response names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The id of the response, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
}

impl Origin {
    pub(crate) fn new(wire: &'static str) -> Self {
        Origin { wire: Cow::Borrowed(wire), model: None, response_id: None }
    }
}

/// Whether a reply is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Completeness {
    /// The finish reason is not known, since only the message was read.
    #[default]
    Unknown,
    /// The model ended the reply.
    Complete,
    /// The reply was truncated, for example at its token limit.
    Truncated,
    /// The provider paused a long reply in which it runs tools itself. Send the reply back unchanged, and the provider
    /// continues it; a [run](crate::Session::run) of a session does.
    Paused,
    /// The reply was streamed, and the stream ended without a finish reason and without a regular end. The connection
    /// may have failed; some servers send neither.
    Unconfirmed,
}

/// The tokens that a reply took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// The tokens of the request, including those that the provider read from its cache or wrote to it.
    pub input_tokens: u64,
    /// The tokens of the request that the provider read from its cache.
    #[serde(default)]
    pub cached_input_tokens: u64,
    /// The tokens of the reply, including its reasoning.
    pub output_tokens: u64,
}

impl Usage {
    /// The tokens of a request and of its reply. No token was in the cache.
    #[must_use]
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Usage { input_tokens, cached_input_tokens: 0, output_tokens }
    }

    /// All tokens, of the request and of the reply.
    #[must_use]
    pub fn total_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// The usage with the sums of these counts; `None` if neither the input nor the output is known.
    pub(crate) fn from_counts(
        input: &[Option<u64>],
        cached: Option<u64>,
        output: &[Option<u64>],
    ) -> Option<Self> {
        let sum = |counts: &[Option<u64>]| counts.iter().flatten().copied().reduce(u64::saturating_add);
        let (input, output) = (sum(input), sum(output));
        input.or(output)?;
        Some(Usage {
            input_tokens: input.unwrap_or_default(),
            cached_input_tokens: cached.unwrap_or_default(),
            output_tokens: output.unwrap_or_default(),
        })
    }
}
