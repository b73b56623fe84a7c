//! Results of a search, as references to tools:
//! <https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool#custom-tool-search-implementation>.

use super::NAME;
use super::part::text_block;
use crate::message::{Content, Message};
use crate::schema::ToolSchema;
use crate::wire::RequestParts;
use serde_json::{Value, json};
use std::collections::HashSet;

/// The text in place of references to tools that no longer exist. The text of the result describes these tools.
const GONE: &str = "The tools that were found no longer exist. Search again.";

/// The references that a request may have.
pub(super) struct References<'a> {
    /// Whether the model searches with references.
    is_native: bool,
    /// The deferred tools of the request that its messages refer to.
    tools: HashSet<&'a str>,
}

impl<'a> References<'a> {
    /// The references of a request; `None` if it has no tools. The program then writes the tools itself, and messages that
    /// were read go back unchanged.
    pub(super) fn new(parts: &RequestParts<'a>, is_native: bool) -> Option<Self> {
        if parts.tools.is_empty() && parts.deferred_tools.is_empty() {
            return None;
        }
        let mut references = References { is_native, tools: HashSet::new() };
        if is_native {
            let contents = parts.messages.iter().filter_map(|message| match message {
                Message::Tool(result) => Some(&result.content),
                _ => None,
            });
            let wanted: HashSet<&str> = contents.flat_map(Content::tool_references).collect();
            let deferred = parts.allowed_deferred().map(ToolSchema::name);
            references.tools = deferred.filter(|name| wanted.contains(name)).collect();
        }
        Some(references)
    }

    /// The blocks of a result with references; `None` for any other. The references of a search become blocks, and those
    /// that were read stay blocks.
    ///
    /// The API rejects a reference to a tool that is not deferred ("Tool reference 'x' not found in available tools"), and
    /// other blocks next to references.
    pub(super) fn blocks(&self, content: &Content, is_search: bool) -> Option<Vec<Value>> {
        let mut written = HashSet::new();
        let mut is_new = |name: &str| self.tools.contains(name) && written.insert(name.to_owned());
        let (blocks, others) = if let Some(Value::Array(blocks)) = content.native(NAME) {
            let (mut references, others): (Vec<Value>, Vec<Value>) =
                blocks.iter().cloned().partition(|block| block["type"] == "tool_reference");
            if references.is_empty() {
                return None;
            }
            references.retain(|block| block["tool_name"].as_str().is_some_and(&mut is_new));
            (references, others)
        } else {
            content.tool_references().next().filter(|_| self.is_native && is_search)?;
            let names = content.tool_references().filter(|name| is_new(name));
            let blocks = names.map(|name| json!({ "type": "tool_reference", "tool_name": name }));
            (blocks.collect(), Vec::new())
        };
        if !blocks.is_empty() {
            return Some(blocks);
        }
        let is_gone = self.is_native && is_search;
        if !others.is_empty() && !is_gone {
            return Some(others);
        }
        let text = content.as_str();
        Some(vec![text_block(if self.is_native || text.trim().is_empty() { GONE } else { text })])
    }
}
