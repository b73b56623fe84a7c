//! The positions of tools by name.

use crate::fingerprint::FingerprintHasher;
use crate::tool::RegisteredTool;
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

/// Positions in the registry by name. With the hasher of std, a call of scalars takes 2 % more instructions, which exceeds
/// its budget. A remote server that chooses the names of dynamic tools can cause collisions, which makes a look-up linear
/// in the number of its tools.
pub(super) struct Index(HashMap<Cow<'static, str>, usize, BuildHasherDefault<FingerprintHasher>>);

impl Index {
    /// Contains the names for servers, and the original names of renamed tools.
    pub(super) fn new(tools: &[Arc<RegisteredTool>]) -> Self {
        let original = |tool: &RegisteredTool| Some(Cow::Owned(tool.original_name.as_ref()?.to_string()));
        let original =
            tools.iter().enumerate().filter_map(|(position, tool)| Some((original(tool)?, position)));
        let sent = tools.iter().enumerate().map(|(position, tool)| (tool.name.clone(), position));
        Index(original.chain(sent).collect())
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.0.get(name).copied()
    }
}
