//! The Gemini API: <https://ai.google.dev/api/generate-content>.

#[cfg(feature = "gemini")]
mod format;

#[cfg(feature = "gemini")]
pub use format::Gemini;

use super::Wire;
use super::provider::Provider;

pub(super) struct GeminiProvider;

/// The name of the wire.
const NAME: &str = "gemini";
/// The name of the format in error messages.
#[cfg(feature = "gemini")]
const FORMAT: &str = "the Gemini API";

impl Provider for GeminiProvider {
    fn name(&self) -> &'static str {
        NAME
    }

    #[cfg(feature = "gemini")]
    fn wire(&self) -> Option<Box<dyn Wire>> {
        Some(Box::new(Gemini::new()))
    }
}
