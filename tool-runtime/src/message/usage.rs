//! The tokens of replies, and their price.

use super::stored::is_default;
use serde::{Deserialize, Serialize};

/// The tokens that a reply took.
///
/// A count that the provider does not send is zero: Ollama has no cached tokens, for example, and Bedrock does not count
/// reasoning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// The tokens of the request, including those that the provider read from its cache or wrote to it.
    pub input_tokens: u64,
    /// The tokens of the request that the provider read from its cache.
    #[serde(default)]
    pub cached_input_tokens: u64,
    /// The tokens of the request that the provider wrote to its cache. Providers whose cache is free of charge do not send them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cache_write_tokens: u64,
    /// The tokens of the reply, including its reasoning.
    pub output_tokens: u64,
    /// The tokens of the reply that are its reasoning.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reasoning_tokens: u64,
}

impl Usage {
    /// The tokens of a request and of its reply. The provider read no token from its cache, and the reply has no reasoning.
    #[must_use]
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Usage { input_tokens, output_tokens, ..Usage::default() }
    }

    /// All tokens, of the request and of the reply.
    #[must_use]
    pub fn total_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// The sums of both.
    pub(crate) fn plus(self, other: Usage) -> Self {
        self.zip(other, u64::saturating_add)
    }

    /// The difference of this sum and an earlier one.
    pub(crate) fn since(self, earlier: Usage) -> Self {
        self.zip(earlier, u64::saturating_sub)
    }

    fn zip(self, other: Usage, combine: fn(u64, u64) -> u64) -> Self {
        Usage {
            input_tokens: combine(self.input_tokens, other.input_tokens),
            cached_input_tokens: combine(self.cached_input_tokens, other.cached_input_tokens),
            cache_write_tokens: combine(self.cache_write_tokens, other.cache_write_tokens),
            output_tokens: combine(self.output_tokens, other.output_tokens),
            reasoning_tokens: combine(self.reasoning_tokens, other.reasoning_tokens),
        }
    }
}

/// The counts of a provider. Those of `input` and `output` are summed.
#[derive(Clone, Copy, Default)]
pub(crate) struct TokenCounts<'a> {
    pub(crate) input: &'a [Option<u64>],
    pub(crate) cached: Option<u64>,
    pub(crate) cache_write: Option<u64>,
    pub(crate) output: &'a [Option<u64>],
    pub(crate) reasoning: Option<u64>,
}

impl TokenCounts<'_> {
    /// `None` if neither the input nor the output is known.
    pub(crate) fn usage(self) -> Option<Usage> {
        let sum = |counts: &[Option<u64>]| counts.iter().flatten().copied().reduce(u64::saturating_add);
        let (input, output) = (sum(self.input), sum(self.output));
        input.or(output)?;
        let input_tokens = input.unwrap_or_default();
        // A server with wrong counts must not hide the price of other replies.
        let cached_input_tokens = self.cached.unwrap_or_default().min(input_tokens);
        let new = input_tokens - cached_input_tokens;
        Some(Usage {
            input_tokens,
            cached_input_tokens,
            cache_write_tokens: self.cache_write.unwrap_or_default().min(new),
            output_tokens: output.unwrap_or_default(),
            reasoning_tokens: self.reasoning.unwrap_or_default(),
        })
    }
}

/// The prices of a model, in any currency.
///
/// ```
/// use tool_runtime::message::{Prices, Usage};
///
/// // Dollars for a million tokens.
/// let prices = Prices::per_million(3.0, 15.0).cached_input(0.3).cache_write(3.75);
/// let mut usage = Usage::new(10_000, 500);
/// usage.cached_input_tokens = 8_000;
/// usage.cache_write_tokens = 1_000;
/// // 1,000 * 3 + 8,000 * 0.3 + 1,000 * 3.75 + 500 * 15, for a million
/// assert!((prices.cost(&usage) - 0.016_65).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use = "it has the prices of a model"]
pub struct Prices {
    input: f64,
    cached_input: f64,
    cache_write: f64,
    output: f64,
}

impl Prices {
    /// The prices of a million tokens of requests, and of a million tokens of replies. Cached tokens and cache writes have the
    /// price of requests.
    pub fn per_million(input: f64, output: f64) -> Self {
        Prices { input, cached_input: input, cache_write: input, output }
    }

    /// Sets the price of a million tokens that the provider reads from its cache.
    pub fn cached_input(mut self, price: f64) -> Self {
        self.cached_input = price;
        self
    }

    /// Sets the price of a million tokens that the provider writes to its cache. Anthropic has a higher price for tokens that
    /// it keeps for an hour: set the price of the time to live that the program uses.
    pub fn cache_write(mut self, price: f64) -> Self {
        self.cache_write = price;
        self
    }

    /// The price of these tokens: of a reply ([`AssistantMessage::usage`](crate::AssistantMessage::usage)), or of all replies of
    /// a session ([`Session::usage`](crate::Session::usage)). The price of the provider's own tools, such as a web search, is
    /// not part of it.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a count of tokens is far below 2^52")]
    pub fn cost(&self, usage: &Usage) -> f64 {
        let Usage { input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, .. } = *usage;
        let new = input_tokens.saturating_sub(cached_input_tokens).saturating_sub(cache_write_tokens);
        let priced = [
            (new, self.input),
            (cached_input_tokens, self.cached_input),
            (cache_write_tokens, self.cache_write),
            (output_tokens, self.output),
        ];
        priced.into_iter().map(|(tokens, price)| tokens as f64 * price / 1e6).sum()
    }
}
