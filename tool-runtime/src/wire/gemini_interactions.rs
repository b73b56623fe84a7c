//! Gemini's Interactions API: <https://ai.google.dev/api/interactions-api>.

#[cfg(feature = "gemini_interactions")]
mod definitions;
mod detect;
#[cfg(feature = "gemini_interactions")]
mod format;

#[cfg(feature = "gemini_interactions")]
pub use format::GeminiInteractions;

#[cfg(feature = "gemini_interactions")]
pub(super) use definitions::FOREIGN;

use super::anthropic;
use super::cache_prefix::{PrefixLayout, PrefixPart};
use super::provider::Provider;

/// The name of the wire.
pub(super) const NAME: &str = "gemini_interactions";
/// The name of the format in error messages.
#[cfg(feature = "gemini_interactions")]
const FORMAT: &str = "Gemini's Interactions API";

/// <https://ai.google.dev/gemini-api/docs/caching>
const PREFIX_LAYOUT: PrefixLayout = PrefixLayout {
    parts: &[
        PrefixPart::Field("/model"),
        PrefixPart::Tools("/tools"),
        PrefixPart::Field("/system_instruction"),
        PrefixPart::Messages("/input"),
    ],
    continues: Some("/previous_interaction_id"),
};

pub(super) static PROVIDER: Provider = Provider {
    #[cfg(feature = "tracing")]
    telemetry_name: "gcp.gemini",
    #[cfg(feature = "gemini_interactions")]
    wire: Some(|| std::sync::Arc::new(GeminiInteractions::new())),
    call_rules: anthropic::CALL_RULES,
    which_call: anthropic::which_call,
    prefix_layout: PREFIX_LAYOUT,
    ..Provider::new(NAME, detect::recognizes)
};
