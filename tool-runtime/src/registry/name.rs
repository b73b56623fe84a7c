//! Names of dynamic tools in requests.

use crate::tool::DynamicTool;
use crate::tool_name::{sanitize, with_fingerprint};
use std::collections::HashMap;

/// Returns each tool with its name for servers. `others` are the names of the tools that are not dynamic, and those of a search.
pub(super) fn name_dynamic_tools<'a>(
    tools: Vec<DynamicTool>,
    map_names: bool,
    others: impl Iterator<Item = &'a str>,
) -> Vec<(String, DynamicTool)> {
    let name_of = |tool: &DynamicTool| if map_names { sanitize(&tool.name) } else { tool.name.clone() };
    let mut counts: HashMap<String, usize> = HashMap::new();
    for name in tools.iter().map(name_of).chain(others.map(str::to_owned)) {
        *counts.entry(name).or_default() += 1;
    }
    let named = |tool: DynamicTool| {
        let name = name_of(&tool);
        let is_ambiguous = name != tool.name && counts.get(&name).is_some_and(|&count| count > 1);
        (if is_ambiguous { with_fingerprint(&tool.name) } else { name }, tool)
    };
    tools.into_iter().map(named).collect()
}
