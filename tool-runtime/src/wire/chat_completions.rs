//! Chat Completions, which most servers accept: <https://platform.openai.com/docs/api-reference/chat>.

mod definitions;
mod detect;
mod format;
mod strict;
mod which_call;

pub(super) use definitions::{FOREIGN, FUNCTIONS, MAX_TOOLS};
pub use format::ChatCompletions;
pub(super) use format::ToolDefinition;
pub(crate) use format::{
    add_fields, add_parts, read_parts, serialize_messages, text_part, text_with_notices, written_arguments,
    written_name,
};
pub(super) use which_call::which_call;

use super::cache_prefix::{PrefixLayout, PrefixPart};
use super::provider::Provider;
use std::sync::Arc;

/// The name of the wire.
pub(super) const NAME: &str = "chat_completions";
/// The name of the format in error messages.
const FORMAT: &str = "Chat Completions";

/// <https://developers.openai.com/api/docs/guides/prompt-caching>: the tool choice is not a part of the prompt.
pub(super) const PREFIX_LAYOUT: PrefixLayout = PrefixLayout {
    parts: &[
        PrefixPart::Field("/model"),
        PrefixPart::Field("/prompt_cache_key"),
        PrefixPart::Tools("/tools"),
        PrefixPart::Field("/response_format"),
        PrefixPart::Messages("/messages"),
    ],
    continues: None,
};

pub(super) static PROVIDER: Provider = Provider {
    #[cfg(feature = "tracing")]
    telemetry_name: "openai",
    needs_feature: false,
    wire: Some(|| Arc::new(ChatCompletions::new())),
    ..Provider::new(NAME, detect::recognizes)
};
