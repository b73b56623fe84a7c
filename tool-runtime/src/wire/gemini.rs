//! The Gemini API: <https://ai.google.dev/api/generate-content>.

#[cfg(any(feature = "gemini", feature = "gemini_interactions"))]
mod definitions;
mod detect;
#[cfg(feature = "gemini")]
mod format;
#[cfg(any(feature = "gemini", feature = "gemini_interactions"))]
pub(super) mod names;

#[cfg(feature = "gemini")]
pub use format::Gemini;

#[cfg(any(feature = "gemini", feature = "gemini_interactions"))]
pub(super) use definitions::{FOREIGN, FUNCTIONS, MAX_TOOLS};

/// The signature of a call that does not come from the model. The API requires a signature in the first call of each reply:
/// <https://ai.google.dev/gemini-api/docs/thought-signatures#faqs>.
#[cfg(any(feature = "gemini", feature = "gemini_interactions"))]
pub(super) const SKIP_VALIDATION: &str = "skip_thought_signature_validator";

use super::cache_prefix::{PrefixLayout, PrefixPart};
use super::call_rules::CallRules;
use super::provider::Provider;

/// The name of the wire.
pub(super) const NAME: &str = "gemini";
/// The name of the format in error messages.
const FORMAT: &str = "the Gemini API";

/// <https://ai.google.dev/gemini-api/docs/caching>
const PREFIX_LAYOUT: PrefixLayout = PrefixLayout {
    parts: &[
        PrefixPart::Field("/cachedContent"),
        PrefixPart::Tools("/tools"),
        PrefixPart::Field("/systemInstruction"),
        PrefixPart::Messages("/contents"),
    ],
    continues: None,
};

pub(super) static PROVIDER: Provider = Provider {
    #[cfg(feature = "tracing")]
    telemetry_name: "gcp.gemini",
    #[cfg(feature = "gemini")]
    wire: Some(|| std::sync::Arc::new(Gemini::new())),
    call_rules: CallRules { may_truncate_objects: true, ..CallRules::NONE },
    prefix_layout: PREFIX_LAYOUT,
    ..Provider::new(NAME, detect::recognizes)
};
