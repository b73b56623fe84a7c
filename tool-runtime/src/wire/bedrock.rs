//! Amazon's Converse API: <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html>.

#[cfg(feature = "bedrock")]
mod definitions;
mod detect;
#[cfg(feature = "bedrock")]
mod format;

#[cfg(feature = "bedrock")]
pub use format::Bedrock;

#[cfg(feature = "bedrock")]
pub(super) use definitions::FOREIGN;

use super::anthropic;
use super::cache_prefix::{PrefixLayout, PrefixPart};
use super::provider::Provider;

/// The name of the wire.
pub(super) const NAME: &str = "bedrock";
/// The name of the format in error messages.
#[cfg(feature = "bedrock")]
const FORMAT: &str = "Amazon's Converse API";

/// <https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html>
const PREFIX_LAYOUT: PrefixLayout = PrefixLayout {
    parts: &[
        PrefixPart::Tools("/toolConfig/tools"),
        PrefixPart::Field("/system"),
        PrefixPart::Field("/toolConfig/toolChoice"),
        PrefixPart::Field("/additionalModelRequestFields"),
        PrefixPart::Messages("/messages"),
    ],
    continues: None,
};

pub(super) static PROVIDER: Provider = Provider {
    #[cfg(feature = "tracing")]
    telemetry_name: "aws.bedrock",
    #[cfg(feature = "bedrock")]
    wire: Some(|| std::sync::Arc::new(Bedrock::new())),
    call_rules: anthropic::CALL_RULES,
    has_written_keys: true,
    which_call: anthropic::which_call,
    prefix_layout: PREFIX_LAYOUT,
    ..Provider::new(NAME, detect::recognizes)
};
