//! Ollama's own API: <https://docs.ollama.com/api/chat>.

#[cfg(feature = "ollama")]
mod definitions;
mod detect;
#[cfg(feature = "ollama")]
mod format;
#[cfg(feature = "testing")]
mod rules;

#[cfg(feature = "ollama")]
pub use format::Ollama;

#[cfg(feature = "ollama")]
pub(super) use definitions::FOREIGN;

use super::Wire;
use super::detect::Excerpt;
use super::provider::Provider;
use std::sync::Arc;
#[cfg(feature = "testing")]
use {super::rejected::RejectedError, serde_json::Value};

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
    fn wire(&self) -> Option<Arc<dyn Wire>> {
        Some(Arc::new(Ollama::new()))
    }

    fn recognizes(&self, excerpt: Excerpt<'_>) -> bool {
        detect::recognizes(excerpt)
    }

    #[cfg(feature = "testing")]
    fn check_request(&self, _: &dyn Wire, body: &Value) -> Result<(), RejectedError> {
        rules::check(body)
    }
}
