//! The dynamic tools of a registry.

use super::build_error::BuildErrorKind;
use super::candidate::{Candidate, Candidates};
use super::options::BuildOptions;
use super::validate;
use crate::tool::DynamicTool;
use crate::tool_name::{sanitize, with_fingerprint};
use crate::validator::drop_without_recursion;
use std::collections::HashMap;

/// Adds dynamic tools to the tools of a registry. The names of the tools of the library are reserved.
pub(super) type AddDynamicTools = fn(Vec<DynamicTool>, &[&str], &BuildOptions, &mut Candidates);

pub(super) fn add(
    tools: Vec<DynamicTool>,
    reserved: &[&str],
    options: &BuildOptions,
    added: &mut Candidates,
) {
    let others = added.tools.iter().map(|candidate| &*candidate.tool.name).chain(reserved.iter().copied());
    for (name, tool) in named(tools, options.rename_invalid_names, others) {
        let mut errors = validate::dynamic_tool(&tool);
        // A schema that exceeds a limit may be too deep for recursive code.
        let is_too_large = errors.iter().any(|error| matches!(error, BuildErrorKind::SchemaLimit { .. }));
        if is_too_large {
            drop_without_recursion(tool.parameters);
            tool.metadata.output_schema.into_iter().for_each(drop_without_recursion);
        } else if errors.is_empty() || !options.skip_invalid_tools {
            match Candidate::from_dynamic(name.clone(), tool) {
                Ok(candidate) => added.tools.push(candidate),
                Err(error) => errors.push(validate::schema_error(&name, error)),
            }
        }
        let skipped = options.skip_invalid_tools.then_some(&mut added.skipped);
        validate::record(&name, errors, &mut added.errors, skipped);
    }
}

/// Returns each tool with its name for servers.
fn named<'a>(
    tools: Vec<DynamicTool>,
    rename_invalid_names: bool,
    others: impl Iterator<Item = &'a str>,
) -> Vec<(String, DynamicTool)> {
    let name_of =
        |tool: &DynamicTool| if rename_invalid_names { sanitize(&tool.name) } else { tool.name.clone() };
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
