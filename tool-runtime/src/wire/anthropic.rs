//! Anthropic's Messages API: <https://docs.anthropic.com/en/api/messages>.

mod definitions;
mod detect;
mod errors;
#[cfg(feature = "anthropic")]
mod format;
#[cfg(feature = "testing")]
mod rules;
mod strict;
mod which_call;

#[cfg(feature = "anthropic")]
pub use format::Anthropic;

pub(super) use definitions::FOREIGN;
use definitions::FUNCTIONS;

use super::Wire;
use super::call_rules::CallRules;
use super::detect::Excerpt;
use super::partial_calls::{PartialCalls, WhichCall};
use super::provider::{InvalidMessage, Provider, QuotedError};
use crate::message::CallPiece;
use std::sync::Arc;
#[cfg(feature = "testing")]
use {super::rejected::RejectedError, serde_json::Value};

pub(super) struct AnthropicProvider;

/// The name of the wire.
pub(super) const NAME: &str = "anthropic";
/// The name of the format in error messages.
#[cfg(feature = "anthropic")]
const FORMAT: &str = "Anthropic's Messages API";

impl Provider for AnthropicProvider {
    fn name(&self) -> &'static str {
        NAME
    }

    #[cfg(feature = "anthropic")]
    fn wire(&self) -> Option<Arc<dyn Wire>> {
        Some(Arc::new(Anthropic::new()))
    }

    fn has_written_keys(&self) -> bool {
        true
    }

    fn call_rules(&self) -> CallRules {
        which_call::CALL_RULES
    }

    fn which_call(&self, piece: &CallPiece, calls: &PartialCalls) -> WhichCall {
        which_call::which_call(piece, calls)
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

    /// See the [documentation](https://docs.anthropic.com/en/docs/test-and-evaluate/strengthen-guardrails/handle-streaming-refusals).
    #[cfg(feature = "testing")]
    fn declined_finish_reason(&self) -> Option<&'static str> {
        Some("refusal")
    }
}
