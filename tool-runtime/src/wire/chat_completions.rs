//! Chat Completions, which most servers accept: <https://platform.openai.com/docs/api-reference/chat>.

mod format;
mod which_call;

pub use format::ChatCompletions;
pub(crate) use format::{
    add_fields, add_parts, read_parts, serialize_messages, text_part, text_with_notices, written_arguments,
    written_name,
};
pub(super) use which_call::which_call;
pub(crate) use which_call::{continues_head, is_repetition};

use super::Wire;
use super::provider::Provider;

pub(super) struct ChatCompletionsProvider;

/// The name of the wire.
const NAME: &str = "chat_completions";
/// The name of the format in error messages.
const FORMAT: &str = "Chat Completions";

impl Provider for ChatCompletionsProvider {
    fn name(&self) -> &'static str {
        NAME
    }

    fn feature(&self) -> Option<&'static str> {
        None
    }

    fn wire(&self) -> Option<Box<dyn Wire>> {
        Some(Box::new(ChatCompletions::new()))
    }
}
