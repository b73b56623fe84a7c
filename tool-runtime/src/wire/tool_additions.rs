//! Tools that a conversation adds after its start.

use super::RequestParts;
use crate::message::{Content, Message};
use crate::schema::ToolSchema;
use std::collections::HashMap;

/// The tools of a request that its messages add, for APIs whose messages have definitions: the list of tools at the beginning of the
/// request stays equal, and so does the prompt cache.
pub(super) struct ToolAdditions<'a> {
    tools: HashMap<&'a str, &'a ToolSchema>,
    /// The number of the system and developer messages before all others.
    start: usize,
}

impl<'a> ToolAdditions<'a> {
    /// The tools that the system and developer messages after the start refer to; none without `is_native`.
    pub(super) fn new(parts: &RequestParts<'a>, is_native: bool) -> Self {
        let is_start = |message: &&Message| matches!(message, Message::System(_) | Message::Developer(_));
        let start = parts.messages.iter().take_while(is_start).count();
        if !is_native {
            return ToolAdditions { tools: HashMap::new(), start };
        }
        let contents = parts.messages.iter().skip(start).filter_map(|message| match message {
            Message::System(input) | Message::Developer(input) => Some(&input.content),
            _ => None,
        });
        let tools: HashMap<&str, &ToolSchema> = parts.allowed().map(|tool| (tool.name(), tool)).collect();
        let names = contents.flat_map(Content::tool_references);
        ToolAdditions { tools: names.filter_map(|name| Some((name, *tools.get(name)?))).collect(), start }
    }

    /// Whether the message at this index is one of the system and developer messages before all others.
    #[cfg(feature = "anthropic")]
    pub(super) fn is_start(&self, index: usize) -> bool {
        index < self.start
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.tools.contains_key(name)
    }

    /// The tools that a message adds.
    pub(super) fn in_content<'c>(
        &'c self,
        content: &'c Content,
    ) -> impl Iterator<Item = &'a ToolSchema> + use<'a, 'c> {
        content.tool_references().filter_map(|name| self.tools.get(name).copied())
    }
}
