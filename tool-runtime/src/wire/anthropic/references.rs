//! Results of a search, as references to tools:
//! <https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool#custom-tool-search-implementation>.

use super::NAME;
use super::part::text_block;
use crate::message::{Content, Message};
use crate::schema::ToolSchema;
use crate::wire::RequestParts;
use serde_json::{Value, json};
use std::collections::HashSet;

/// The text in place of references to tools that are gone. The text of the result describes these tools.
const GONE: &str = "The tools that were found no longer exist. Search again.";

/// The deferred tools of a request that its messages refer to.
pub(super) struct References<'a>(HashSet<&'a str>);

impl<'a> References<'a> {
    pub(super) fn new(parts: &RequestParts<'a>) -> Self {
        let contents = parts.messages.iter().filter_map(|message| match message {
            Message::Tool(result) => Some(&result.content),
            _ => None,
        });
        let wanted: HashSet<&str> = contents.flat_map(Content::tool_references).collect();
        let deferred = parts.listed_deferred(parts.allowed_tools.is_none()).map(ToolSchema::name);
        References(if wanted.is_empty() {
            HashSet::new()
        } else {
            deferred.filter(|name| wanted.contains(name)).collect()
        })
    }

    /// The blocks of a result with references; `None` for any other.
    ///
    /// The API rejects a reference to a tool that is not deferred ("Tool reference 'x' not found in available tools"), and
    /// other blocks next to references.
    pub(super) fn blocks(&self, content: &Content) -> Option<Vec<Value>> {
        content.tool_references().next()?;
        let mut written = HashSet::new();
        let mut is_new = |name: &str| self.0.contains(name) && written.insert(name.to_owned());
        let blocks: Vec<Value> = if let Some(Value::Array(blocks)) = content.native(NAME) {
            let is_kept = |block: &&Value| {
                block["type"] == "tool_reference" && block["tool_name"].as_str().is_some_and(&mut is_new)
            };
            blocks.iter().filter(is_kept).cloned().collect()
        } else {
            let names = content.tool_references().filter(|name| is_new(name));
            names.map(|name| json!({ "type": "tool_reference", "tool_name": name })).collect()
        };
        Some(if blocks.is_empty() { vec![text_block(GONE)] } else { blocks })
    }
}
