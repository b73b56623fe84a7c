//! The Gemini API: <https://ai.google.dev/api/generate-content>.

#[cfg(any(feature = "gemini", feature = "testing"))]
mod definitions;
mod detect;
mod errors;
#[cfg(feature = "gemini")]
mod format;
#[cfg(feature = "testing")]
mod rules;

#[cfg(feature = "gemini")]
pub use format::Gemini;

#[cfg(feature = "gemini")]
pub(super) use definitions::FOREIGN;

use super::Wire;
use super::call_rules::CallRules;
use super::detect::Excerpt;
use super::provider::{InvalidMessage, Provider, QuotedError};
use std::sync::Arc;
#[cfg(feature = "testing")]
use {super::rejected::RejectedError, serde_json::Value};

pub(super) struct GeminiProvider;

/// The name of the wire.
pub(super) const NAME: &str = "gemini";
/// The name of the format in error messages.
#[cfg(feature = "gemini")]
const FORMAT: &str = "the Gemini API";

impl Provider for GeminiProvider {
    fn name(&self) -> &'static str {
        NAME
    }

    #[cfg(feature = "tracing")]
    fn telemetry_name(&self) -> &'static str {
        "gcp.gemini"
    }

    #[cfg(feature = "gemini")]
    fn wire(&self) -> Option<Arc<dyn Wire>> {
        Some(Arc::new(Gemini::new()))
    }

    fn call_rules(&self) -> CallRules {
        CallRules { may_truncate_objects: true, ..CallRules::default() }
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

    /// See the [documentation](https://ai.google.dev/api/generate-content#BlockReason).
    #[cfg(feature = "testing")]
    fn declined_finish_reason(&self) -> Option<&'static str> {
        Some("SAFETY")
    }
}
