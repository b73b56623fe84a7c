//! The names of dynamic tools, as servers see them.

use crate::tool::DynamicTool;
use crate::tool_name::{mapped, marked};
use std::collections::HashMap;

/// Each tool under the name that servers see; `others` are those of the tools that are not dynamic.
pub(super) fn of_dynamic_tools<'a>(
    tools: Vec<DynamicTool>,
    are_mapped: bool,
    others: impl Iterator<Item = &'a str>,
) -> Vec<(String, DynamicTool)> {
    let name_of = |tool: &DynamicTool| if are_mapped { mapped(&tool.name) } else { tool.name.clone() };
    let mut counts: HashMap<String, usize> = HashMap::new();
    for name in tools.iter().map(name_of).chain(others.map(str::to_owned)) {
        *counts.entry(name).or_default() += 1;
    }
    let named = |tool: DynamicTool| {
        let name = name_of(&tool);
        let is_ambiguous = name != tool.name && counts.get(&name).is_some_and(|&count| count > 1);
        (if is_ambiguous { marked(&tool.name) } else { name }, tool)
    };
    tools.into_iter().map(named).collect()
}
