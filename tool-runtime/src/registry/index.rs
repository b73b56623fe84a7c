//! The positions of tools by name.

use crate::tool::ToolEntry;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// Positions in the registry by name.
pub(super) struct Index(HashMap<Cow<'static, str>, usize>);

impl Index {
    /// Contains the names for servers, and the original names of renamed tools.
    pub(super) fn new(tools: &[Arc<ToolEntry>]) -> Self {
        let original = |tool: &ToolEntry| Some(Cow::Owned(tool.original_name.as_ref()?.to_string()));
        let original =
            tools.iter().enumerate().filter_map(|(position, tool)| Some((original(tool)?, position)));
        let sent = tools.iter().enumerate().map(|(position, tool)| (tool.name.clone(), position));
        Index(original.chain(sent).collect())
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.0.get(name).copied()
    }
}
