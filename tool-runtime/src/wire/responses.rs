//! OpenAI's Responses API: <https://platform.openai.com/docs/api-reference/responses>.

mod detect;
mod errors;
#[cfg(feature = "responses")]
mod format;
#[cfg(feature = "testing")]
mod rules;
mod which_call;

#[cfg(feature = "responses")]
pub use format::Responses;

use super::Wire;
use super::call_rules::CallRules;
use super::detect::Excerpt;
use super::partial_calls::{PartialCalls, WhichCall};
use super::provider::{InvalidMessage, Provider, QuotedError};
use crate::message::CallPiece;
use std::sync::Arc;
#[cfg(feature = "testing")]
use {super::rejected::RejectedError, serde_json::Value};

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

    #[cfg(feature = "tracing")]
    fn telemetry_name(&self) -> &'static str {
        "openai"
    }

    #[cfg(feature = "responses")]
    fn wire(&self) -> Option<Arc<dyn Wire>> {
        Some(Arc::new(Responses::new()))
    }

    fn call_rules(&self) -> CallRules {
        which_call::CALL_RULES
    }

    fn which_call(&self, piece: &CallPiece, calls: &PartialCalls) -> WhichCall {
        which_call::which_call(piece, calls)
    }

    fn which_complete_calls(&self, complete: &[CallPiece], calls: &PartialCalls) -> Vec<WhichCall> {
        which_call::which_complete_calls(complete, calls)
    }

    fn recognizes(&self, excerpt: Excerpt<'_>) -> bool {
        detect::recognizes(excerpt)
    }

    fn quoted_error(&self, invalid: &InvalidMessage<'_>) -> Option<QuotedError> {
        errors::quoted_error(invalid)
    }

    #[cfg(feature = "testing")]
    fn check_request(&self, _: &dyn Wire, body: &Value) -> Result<(), RejectedError> {
        rules::check(body)
    }

    /// See the [documentation](https://platform.openai.com/docs/guides/structured-outputs#refusals).
    #[cfg(feature = "testing")]
    fn declined_finish_reason(&self) -> Option<&'static str> {
        Some("completed")
    }
}
