//! The Gemini API: <https://ai.google.dev/api/generate-content>.

#[cfg(feature = "gemini")]
mod definitions;
mod detect;
mod errors;
#[cfg(feature = "gemini")]
mod format;

#[cfg(feature = "gemini")]
pub use format::Gemini;

#[cfg(feature = "gemini")]
pub(super) use definitions::FOREIGN;

use super::call_rules::CallRules;
use super::provider::Provider;

/// The name of the wire.
pub(super) const NAME: &str = "gemini";
/// The name of the format in error messages.
const FORMAT: &str = "the Gemini API";

pub(super) static PROVIDER: Provider = Provider {
    #[cfg(feature = "tracing")]
    telemetry_name: "gcp.gemini",
    #[cfg(feature = "gemini")]
    wire: Some(|| std::sync::Arc::new(Gemini::new())),
    call_rules: CallRules { may_truncate_objects: true, ..CallRules::NONE },
    quoted_error: errors::quoted_error,
    ..Provider::new(NAME, detect::recognizes)
};
