//! OpenAI's Responses API: <https://platform.openai.com/docs/api-reference/responses>.

#[cfg(feature = "responses")]
mod format;

#[cfg(feature = "responses")]
pub use format::Responses;

use super::Wire;
use super::provider::Provider;

pub(super) struct ResponsesProvider;

/// The name of the wire.
const NAME: &str = "responses";
/// The name of the format in error messages.
#[cfg(feature = "responses")]
const FORMAT: &str = "the Responses API";

impl Provider for ResponsesProvider {
    fn name(&self) -> &'static str {
        NAME
    }

    #[cfg(feature = "responses")]
    fn wire(&self) -> Option<Box<dyn Wire>> {
        Some(Box::new(Responses::new()))
    }
}
