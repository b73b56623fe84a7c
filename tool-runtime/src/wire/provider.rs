//! The providers: all that the library knows of each, in one folder per provider.

use super::Wire;
use super::anthropic::AnthropicProvider;
use super::bedrock::BedrockProvider;
use super::call_rules::CallRules;
use super::chat_completions::{self, ChatCompletionsProvider};
use super::detect::Excerpt;
use super::gemini::GeminiProvider;
use super::ollama::OllamaProvider;
use super::partial_calls::{PartialCalls, WhichCall};
use super::responses::ResponsesProvider;
use crate::message::CallPiece;
use crate::violation::ViolationKind;
use std::sync::Arc;
#[cfg(feature = "testing")]
use {super::rejected::RejectedError, serde_json::Value};

/// A provider, or the providers that share a format.
pub(crate) trait Provider: Sync {
    /// The name of the format, which is also the name of its wire.
    fn name(&self) -> &'static str;

    /// The feature of its wire; `None` if no feature is needed. Not used for a format without a wire.
    fn feature(&self) -> Option<&'static str> {
        Some(self.name())
    }

    /// Its wire with the default settings; `None` if the feature is disabled.
    fn wire(&self) -> Option<Arc<dyn Wire>> {
        None
    }

    /// The name of the provider in the OpenTelemetry conventions for generative AI. Default: the name of the format.
    /// <https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/>
    #[cfg(feature = "tracing")]
    fn telemetry_name(&self) -> &'static str {
        self.name()
    }

    /// The rules by which the pieces of one call are put together. Default: none.
    fn call_rules(&self) -> CallRules {
        CallRules::default()
    }

    /// Whether its definitions have other names in place of property keys that it rejects. Default: false.
    fn has_written_keys(&self) -> bool {
        false
    }

    /// The call of a streamed reply to which a piece belongs.
    fn which_call(&self, piece: &CallPiece, calls: &PartialCalls) -> WhichCall {
        chat_completions::which_call(piece, calls)
    }

    /// The calls to which the complete calls at the end of a streamed reply belong, one for each, if pieces of the reply
    /// arrived before. Default: the complete calls are ignored.
    fn which_complete_calls(&self, complete: &[CallPiece], calls: &PartialCalls) -> Vec<WhichCall> {
        let _ = calls;
        vec![WhichCall::NoCall; complete.len()]
    }

    /// Whether the excerpt can only be in the format of this provider.
    fn recognizes(&self, excerpt: Excerpt<'_>) -> bool;

    /// The error message of the provider for a request with this message; `None` if it has none.
    fn quoted_error(&self, invalid: &InvalidMessage<'_>) -> Option<QuotedError> {
        let _ = invalid;
        None
    }

    /// Checks the body of a request by the rules of the provider. Default: no rules.
    #[cfg(feature = "testing")]
    fn check_request(&self, wire: &dyn Wire, body: &Value) -> Result<(), RejectedError> {
        let _ = (wire, body);
        Ok(())
    }

    /// The finish reason of a reply in which the model declines to answer; `None` for `stop`.
    #[cfg(feature = "testing")]
    fn declined_finish_reason(&self) -> Option<&'static str> {
        None
    }
}

/// An invalid message of a request.
pub(crate) struct InvalidMessage<'a> {
    pub(crate) kind: ViolationKind,
    /// The index of the message.
    pub(crate) index: usize,
    /// The position of the call in its reply.
    pub(crate) position: usize,
    /// The id of the call or of the result; empty if it has none.
    pub(crate) id: &'a str,
}

/// An error message of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QuotedError {
    /// The name of the provider.
    pub(crate) by: &'static str,
    pub(crate) text: String,
}

/// The providers. If several recognize an excerpt, the first one decides.
pub(super) static PROVIDERS: &[&dyn Provider] =
    &[&ChatCompletionsProvider, &AnthropicProvider, &ResponsesProvider, &GeminiProvider, &OllamaProvider];

/// The providers whose formats are recognized, although they have no wire.
static WITHOUT_WIRE: &[&dyn Provider] = &[&BedrockProvider];

/// The providers whose formats are recognized.
pub(super) fn formats() -> impl Iterator<Item = &'static dyn Provider> {
    PROVIDERS.iter().chain(WITHOUT_WIRE).copied()
}

/// The provider whose wire has this name.
pub(crate) fn provider(name: &str) -> Option<&'static dyn Provider> {
    PROVIDERS.iter().copied().find(|provider| provider.name() == name)
}

/// The provider whose wire has this name. Without one, the format is Chat Completions.
pub(crate) fn provider_or_chat_completions(name: &str) -> &'static dyn Provider {
    provider(name).unwrap_or(&ChatCompletionsProvider)
}

/// Whether the definitions that this wire writes have other names in place of property keys that the provider rejects.
pub(crate) fn has_written_keys(wire: &str) -> bool {
    provider(wire).is_some_and(Provider::has_written_keys)
}

/// The error message of a provider of this wire for a request with this message. If none of them has one, it is that of a
/// provider of Chat Completions.
pub(crate) fn quoted_error(wire: &str, invalid: &InvalidMessage<'_>) -> QuotedError {
    let quoted = provider_or_chat_completions(wire).quoted_error(invalid);
    quoted.unwrap_or_else(|| chat_completions::quoted_error(invalid))
}
