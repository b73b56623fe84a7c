//! Ollama's own API: <https://docs.ollama.com/api/chat>.

#[cfg(feature = "ollama")]
mod format;

#[cfg(feature = "ollama")]
pub use format::Ollama;

use super::Wire;
use super::provider::Provider;

pub(super) struct OllamaProvider;

/// The name of the wire.
const NAME: &str = "ollama";
/// The name of the format in error messages.
#[cfg(feature = "ollama")]
const FORMAT: &str = "Ollama's API";

impl Provider for OllamaProvider {
    fn name(&self) -> &'static str {
        NAME
    }

    #[cfg(feature = "ollama")]
    fn wire(&self) -> Option<Box<dyn Wire>> {
        Some(Box::new(Ollama::new()))
    }
}
