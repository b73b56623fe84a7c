//! Anthropic's Messages API: <https://docs.anthropic.com/en/api/messages>.

mod definitions;
mod detect;
#[cfg(feature = "anthropic")]
mod format;
mod strict;
mod which_call;

#[cfg(feature = "anthropic")]
pub use format::Anthropic;

pub(super) use definitions::{FOREIGN, FUNCTIONS};
pub(super) use which_call::{CALL_RULES, which_call};

use super::cache_prefix::{PrefixLayout, PrefixPart};
use super::provider::Provider;

/// The name of the wire.
pub(super) const NAME: &str = "anthropic";
/// The name of the format in error messages.
const FORMAT: &str = "Anthropic's Messages API";

/// <https://platform.claude.com/docs/en/build-with-claude/prompt-caching#what-invalidates-the-cache>
const PREFIX_LAYOUT: PrefixLayout = PrefixLayout {
    parts: &[
        PrefixPart::Field("/model"),
        PrefixPart::Field("/speed"),
        PrefixPart::Field("/output_config/format"),
        PrefixPart::Tools("/tools"),
        PrefixPart::Field("/system"),
        PrefixPart::Field("/tool_choice"),
        PrefixPart::Field("/thinking"),
        PrefixPart::Messages("/messages"),
    ],
    continues: None,
};

pub(super) static PROVIDER: Provider = Provider {
    #[cfg(feature = "anthropic")]
    wire: Some(|| std::sync::Arc::new(Anthropic::new())),
    call_rules: CALL_RULES,
    has_written_keys: true,
    which_call,
    prefix_layout: PREFIX_LAYOUT,
    ..Provider::new(NAME, detect::recognizes)
};
