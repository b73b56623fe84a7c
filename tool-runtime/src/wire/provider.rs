//! The providers: all that the library knows of each, in one folder per provider.

use super::Wire;
use super::anthropic::AnthropicProvider;
use super::chat_completions::ChatCompletionsProvider;
use super::gemini::GeminiProvider;
use super::ollama::OllamaProvider;
use super::responses::ResponsesProvider;

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
}

pub(super) static PROVIDERS: [&dyn Provider; 5] =
    [&ChatCompletionsProvider, &AnthropicProvider, &ResponsesProvider, &GeminiProvider, &OllamaProvider];

/// The provider whose wire has this name.
pub(crate) fn provider(name: &str) -> Option<&'static dyn Provider> {
    PROVIDERS.into_iter().find(|provider| provider.name() == name)
}
