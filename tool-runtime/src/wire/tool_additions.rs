//! Tools that a conversation adds after its start.

use super::RequestParts;
use crate::message::{Content, Message};
use crate::schema::ToolSchema;
use std::collections::{HashMap, HashSet};

/// The tools of a request that its messages add, for APIs whose messages have definitions: the list of tools at the beginning of the
/// request stays equal, and so does the prompt cache.
pub(super) struct ToolAdditions<'a> {
    /// The tools by name, each with the index of the first message that adds it.
    tools: HashMap<&'a str, (usize, &'a ToolSchema)>,
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
        let known: HashMap<&str, &ToolSchema> = parts.allowed().map(|tool| (tool.name(), tool)).collect();
        let mut tools = HashMap::new();
        for (index, message) in parts.messages.iter().enumerate().skip(start) {
            let (Message::System(input) | Message::Developer(input)) = message else { continue };
            for name in input.content.tool_references() {
                if let Some(tool) = known.get(name) {
                    tools.entry(name).or_insert((index, *tool));
                }
            }
        }
        ToolAdditions { tools, start }
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

    /// The tools that the message at this index adds. A later message that names a tool again adds nothing.
    pub(super) fn in_message(&self, index: usize, content: &Content) -> Vec<&'a ToolSchema> {
        let mut names = HashSet::new();
        let names = content.tool_references().filter(|name| names.insert(*name));
        let added = names.filter_map(|name| self.tools.get(name)).filter(|(first, _)| *first == index);
        added.map(|(_, tool)| *tool).collect()
    }
}
