//! OpenAI's Responses API: <https://platform.openai.com/docs/api-reference/responses>.

mod detect;
#[cfg(feature = "responses")]
mod format;
mod which_call;

#[cfg(feature = "responses")]
pub use format::Responses;

use super::cache_prefix::{PrefixLayout, PrefixPart};
use super::provider::Provider;

/// The name of the wire.
const NAME: &str = "responses";
/// The name of the format in error messages.
const FORMAT: &str = "the Responses API";

/// <https://developers.openai.com/api/docs/guides/prompt-caching>: the tool choice is not a part of the prompt.
const PREFIX_LAYOUT: PrefixLayout = PrefixLayout {
    parts: &[
        PrefixPart::Field("/model"),
        PrefixPart::Field("/prompt_cache_key"),
        PrefixPart::Tools("/tools"),
        PrefixPart::Field("/text/format"),
        PrefixPart::Field("/instructions"),
        PrefixPart::Messages("/input"),
    ],
    continues: Some("/previous_response_id"),
};

pub(super) static PROVIDER: Provider = Provider {
    #[cfg(feature = "tracing")]
    telemetry_name: "openai",
    #[cfg(feature = "responses")]
    wire: Some(|| std::sync::Arc::new(Responses::new())),
    call_rules: which_call::CALL_RULES,
    which_call: which_call::which_call,
    which_complete_calls: which_call::which_complete_calls,
    prefix_layout: PREFIX_LAYOUT,
    ..Provider::new(NAME, detect::recognizes)
};
