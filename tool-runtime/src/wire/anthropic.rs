//! Anthropic's Messages API: <https://docs.anthropic.com/en/api/messages>.

#[cfg(feature = "anthropic")]
mod format;

#[cfg(feature = "anthropic")]
pub use format::Anthropic;

use super::Wire;
use super::provider::Provider;

pub(super) struct AnthropicProvider;

/// The name of the wire.
const NAME: &str = "anthropic";
/// The name of the format in error messages.
#[cfg(feature = "anthropic")]
const FORMAT: &str = "Anthropic's Messages API";

impl Provider for AnthropicProvider {
    fn name(&self) -> &'static str {
        NAME
    }

    #[cfg(feature = "anthropic")]
    fn wire(&self) -> Option<Box<dyn Wire>> {
        Some(Box::new(Anthropic::new()))
    }
}
