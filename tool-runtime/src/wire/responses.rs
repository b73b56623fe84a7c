//! OpenAI's Responses API: <https://platform.openai.com/docs/api-reference/responses>.

#[cfg(feature = "responses")]
mod format;
mod which_call;

#[cfg(feature = "responses")]
pub use format::Responses;

use super::Wire;
use super::partial_calls::{PartialCalls, WhichCall};
use super::provider::Provider;
use crate::message::CallPiece;

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

    fn which_call(&self, piece: &CallPiece, calls: &PartialCalls) -> WhichCall {
        which_call::which_call(piece, calls)
    }

    fn which_calls(&self, complete: &[CallPiece], calls: &PartialCalls) -> Vec<WhichCall> {
        which_call::which_calls(complete, calls)
    }
}
