//! The providers: all that the library knows of each, in one folder per provider.

use super::cache_prefix::PrefixLayout;
use super::call_rules::CallRules;
use super::detect::Excerpt;
use super::partial_calls::{PartialCalls, WhichCall};
use super::{Wire, anthropic, bedrock, chat_completions, gemini, gemini_interactions, ollama, responses};
use crate::message::CallPiece;
use std::sync::Arc;

/// A provider, or the providers that share a format.
pub(crate) struct Provider {
    /// The name of the format, which is also the name of its wire.
    pub(crate) name: &'static str,
    /// Whether its wire needs the feature with its name.
    pub(super) needs_feature: bool,
    /// Its wire with the default settings; `None` if the feature is disabled.
    pub(super) wire: Option<fn() -> Arc<dyn Wire>>,
    /// The name of the provider in the OpenTelemetry conventions for generative AI. Default: the name of the format.
    /// <https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/>
    #[cfg(feature = "tracing")]
    pub(crate) telemetry_name: &'static str,
    /// The rules by which the pieces of one call are put together. Default: none.
    pub(crate) call_rules: CallRules,
    /// Whether its definitions have other names in place of property keys that it rejects. Default: false.
    pub(super) has_written_keys: bool,
    /// The call of a streamed reply to which a piece belongs.
    pub(crate) which_call: fn(&CallPiece, &PartialCalls) -> WhichCall,
    /// The calls to which the complete calls at the end of a streamed reply belong, one for each, if pieces of the reply
    /// arrived before. Default: the complete calls are ignored.
    pub(crate) which_complete_calls: fn(&[CallPiece], &PartialCalls) -> Vec<WhichCall>,
    /// The parts of a request that its prompt cache depends on. Default: that of Chat Completions.
    pub(super) prefix_layout: PrefixLayout,
    /// Whether the excerpt can only be in the format of this provider.
    pub(super) recognizes: fn(Excerpt<'_>) -> bool,
}

impl Provider {
    /// A provider without rules of its own.
    pub(super) const fn new(name: &'static str, recognizes: fn(Excerpt<'_>) -> bool) -> Self {
        Provider {
            name,
            needs_feature: true,
            wire: None,
            #[cfg(feature = "tracing")]
            telemetry_name: name,
            call_rules: CallRules::NONE,
            has_written_keys: false,
            which_call: chat_completions::which_call,
            which_complete_calls: |complete, _| vec![WhichCall::NoCall; complete.len()],
            prefix_layout: chat_completions::PREFIX_LAYOUT,
            recognizes,
        }
    }

    /// The feature of its wire; `None` if no feature is needed.
    pub(super) fn feature(&self) -> Option<&'static str> {
        self.needs_feature.then_some(self.name)
    }
}

/// The providers. If several recognize an excerpt, the first one decides.
pub(super) static PROVIDERS: [&Provider; 7] = [
    &chat_completions::PROVIDER,
    &anthropic::PROVIDER,
    // Before the Responses API, which also has an `input`.
    &gemini_interactions::PROVIDER,
    &responses::PROVIDER,
    &gemini::PROVIDER,
    &ollama::PROVIDER,
    &bedrock::PROVIDER,
];

/// The provider whose wire has this name.
pub(super) fn provider(name: &str) -> Option<&'static Provider> {
    PROVIDERS.into_iter().find(|provider| provider.name == name)
}

/// The provider whose wire has this name. Without one, the format is Chat Completions.
pub(crate) fn provider_or_chat_completions(name: &str) -> &'static Provider {
    provider(name).unwrap_or(&chat_completions::PROVIDER)
}

/// Whether the definitions that this wire writes have other names in place of property keys that the provider rejects.
pub(crate) fn has_written_keys(wire: &str) -> bool {
    provider(wire).is_some_and(|provider| provider.has_written_keys)
}
