//! The providers: all that the library knows of each, in one folder per provider.

use super::Wire;
use super::anthropic::AnthropicProvider;
use super::chat_completions::{self, ChatCompletionsProvider};
use super::gemini::GeminiProvider;
use super::ollama::OllamaProvider;
use super::partial_calls::{PartialCalls, WhichCall};
use super::responses::ResponsesProvider;
use crate::message::CallPiece;

/// A provider, or the providers that share a format.
pub(crate) trait Provider: Sync {
    /// The name of its wire.
    fn name(&self) -> &'static str;

    /// The feature of its wire; `None` if the wire needs none.
    fn feature(&self) -> Option<&'static str> {
        Some(self.name())
    }

    /// Its wire with the default settings; `None` if the feature is disabled.
    fn wire(&self) -> Option<Box<dyn Wire>> {
        None
    }

    /// The call of a streamed reply to which a piece belongs.
    fn which_call(&self, piece: &CallPiece, calls: &PartialCalls) -> WhichCall {
        chat_completions::which_call(piece, calls)
    }

    /// The calls of a streamed reply to which the complete calls at its end belong.
    fn which_calls(&self, complete: &[CallPiece], calls: &PartialCalls) -> Vec<WhichCall> {
        let _ = calls;
        vec![WhichCall::Nothing; complete.len()]
    }
}

pub(super) static PROVIDERS: [&dyn Provider; 5] =
    [&ChatCompletionsProvider, &AnthropicProvider, &ResponsesProvider, &GeminiProvider, &OllamaProvider];

/// The provider whose wire has this name.
pub(crate) fn provider(name: &str) -> Option<&'static dyn Provider> {
    PROVIDERS.into_iter().find(|provider| provider.name() == name)
}

/// The provider whose wire has this name. Without one, the format is Chat Completions.
pub(crate) fn provider_or_chat_completions(name: &str) -> &'static dyn Provider {
    provider(name).unwrap_or(&ChatCompletionsProvider)
}
