//! Chat Completions, which most servers accept: <https://platform.openai.com/docs/api-reference/chat>.

mod definitions;
mod detect;
mod errors;
mod format;
#[cfg(feature = "testing")]
pub(super) mod rules;
mod strict;
mod which_call;

pub(super) use definitions::{FOREIGN, FUNCTIONS, MAX_TOOLS};
pub(super) use errors::{EMPTY_ID, quoted_error};
pub use format::ChatCompletions;
#[cfg(feature = "ollama")]
pub(super) use format::ToolDefinition;
pub(crate) use format::{
    add_fields, add_parts, read_parts, serialize_messages, text_part, text_with_notices, written_arguments,
    written_name,
};
pub(super) use which_call::which_call;

use super::Wire;
use super::detect::Excerpt;
use super::provider::Provider;
use std::sync::Arc;
#[cfg(feature = "testing")]
use {super::rejected::RejectedError, serde_json::Value};

pub(super) struct ChatCompletionsProvider;

/// The name of the wire.
pub(super) const NAME: &str = "chat_completions";
/// The name of the format in error messages.
const FORMAT: &str = "Chat Completions";

impl Provider for ChatCompletionsProvider {
    fn name(&self) -> &'static str {
        NAME
    }

    #[cfg(feature = "tracing")]
    fn telemetry_name(&self) -> &'static str {
        "openai"
    }

    fn feature(&self) -> Option<&'static str> {
        None
    }

    fn wire(&self) -> Option<Arc<dyn Wire>> {
        Some(Arc::new(ChatCompletions::new()))
    }

    fn recognizes(&self, excerpt: Excerpt<'_>) -> bool {
        detect::recognizes(excerpt)
    }

    #[cfg(feature = "testing")]
    fn check_request(&self, wire: &dyn Wire, body: &Value) -> Result<(), RejectedError> {
        rules::check(wire, body)
    }
}
