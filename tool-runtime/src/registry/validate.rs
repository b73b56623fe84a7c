//! Validation of the tools of a registry.

use super::build_error::{BuildError, BuildErrorKind};
use super::candidate::Candidate;
use crate::schema::{InvalidSchema, SchemaError};
use crate::tool::{DynamicTool, Need, Policy, ToolEntry};
use crate::tool_name;
use crate::validator::ExceededLimit;
use serde_json::{Map, Value};
use std::collections::HashMap;
use tool_runtime_schema::keywords::visit_schemas;

/// Adds the errors of one tool to those of the registry, or to those of the skipped tools.
pub(super) fn record(
    tool: &str,
    errors: Vec<BuildErrorKind>,
    registry_errors: &mut Vec<BuildErrorKind>,
    skipped: Option<&mut Vec<BuildError>>,
) {
    match skipped {
        _ if errors.is_empty() => {}
        Some(skipped) => skipped.push(BuildError { errors, skipped: Some(tool.to_owned()) }),
        None => registry_errors.extend(errors),
    }
}

/// The errors that the macro reports for a function at compile time, for a dynamic tool.
pub(super) fn dynamic_tool(tool: &DynamicTool) -> Vec<BuildErrorKind> {
    let mut errors = Vec::new();
    let schemas = [Some(&tool.parameters), tool.metadata.output_schema.as_ref()];
    let exceeded = schemas.into_iter().flatten().find_map(ExceededLimit::from_size);
    errors.extend(exceeded.map(|limit| schema_error(&tool.name, SchemaError::Limit(limit))));
    let Policy { timeout, max_concurrency, max_calls, .. } = tool.options.policy;
    let limits = [
        ("timeout", timeout.is_some_and(|limit| limit.is_zero())),
        ("max_concurrency", max_concurrency == Some(0)),
        ("max_calls", max_calls == Some(0)),
    ];
    errors.extend(
        limits
            .into_iter()
            .filter(|(_, is_zero)| *is_zero)
            .map(|(limit, _)| BuildErrorKind::ZeroLimit { tool: Some(tool.name.clone()), limit }),
    );
    let annotations = tool.options.annotations;
    if annotations.is_read_only() && annotations.is_destructive() {
        errors.push(BuildErrorKind::ContradictingAnnotations { tool: tool.name.clone() });
    }
    errors
}

/// Converts the error of a schema.
pub(super) fn schema_error(tool: &str, error: SchemaError) -> BuildErrorKind {
    match error {
        SchemaError::Json(source) => BuildErrorKind::Schema { name: tool.to_owned(), source },
        SchemaError::Invalid(InvalidSchema::NotAnObject) => {
            BuildErrorKind::InvalidParameters { tool: tool.to_owned() }
        }
        SchemaError::Invalid(InvalidSchema::Keywords(errors)) => {
            BuildErrorKind::InvalidSchema { tool: tool.to_owned(), errors }
        }
        SchemaError::Limit(limit) => {
            BuildErrorKind::SchemaLimit { tool: tool.to_owned(), limit: limit.to_string() }
        }
    }
}

/// The errors of one tool.
pub(super) fn candidate(candidate: &Candidate, is_missing: impl Fn(&&Need) -> bool) -> Vec<BuildErrorKind> {
    let name = &candidate.tool.name;
    let mut errors = Vec::new();
    if !tool_name::is_valid(name) {
        errors.push(BuildErrorKind::InvalidName { name: name.to_string() });
    }
    let parameters = candidate.schema.parameters().get();
    if parameters.contains("$ref") && serde_json::from_str(parameters).is_ok_and(has_entry_named_ref) {
        errors.push(BuildErrorKind::PropertyNamedRef { tool: name.to_string() });
    }
    errors.extend(candidate.needs.iter().filter(is_missing).map(|need| BuildErrorKind::MissingState {
        tool: name.to_string(),
        parameter: need.parameter,
        state: need.type_name,
    }));
    errors
}

/// Whether an entry such as a property or a definition is named `$ref`.
fn has_entry_named_ref(mut schema: Map<String, Value>) -> bool {
    const WITH_ENTRIES: [&str; 5] =
        ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
    let mut is_found = false;
    visit_schemas(&mut schema, "", &mut |keywords, _| {
        let mut entries = WITH_ENTRIES.iter().filter_map(|keyword| keywords.get(*keyword));
        is_found |= entries.any(|entries| entries.get("$ref").is_some());
    });
    is_found
}

/// Skips a dynamic tool whose name an earlier tool has; functions and methods come first.
pub(super) fn skip_duplicates(candidates: &mut Vec<Candidate>, skipped: &mut Vec<BuildError>) {
    let mut known: HashMap<String, String> = HashMap::new();
    candidates.retain(|candidate| {
        let tool = &candidate.tool;
        let Some(first) = known.get(&*tool.name).filter(|_| tool.location().is_none()) else {
            known.insert(tool.name.to_string(), tool.describe_location());
            return true;
        };
        let (name, first, second) = (tool.name.to_string(), first.clone(), tool.describe_location());
        let errors = vec![BuildErrorKind::DuplicateName { name: name.clone(), first, second }];
        skipped.push(BuildError { errors, skipped: Some(name) });
        false
    });
}

/// The errors of tools that share a name; the tools are sorted.
pub(super) fn duplicates<'a>(
    tools: impl Iterator<Item = &'a ToolEntry> + Clone,
    errors: &mut Vec<BuildErrorKind>,
) {
    for (first, second) in tools.clone().zip(tools.skip(1)) {
        if first.name == second.name {
            let name = first.name.to_string();
            let (first, second) = (first.describe_location(), second.describe_location());
            errors.push(BuildErrorKind::DuplicateName { name, first, second });
        }
    }
}

/// The error of a tool that has the name of a tool of the search.
#[cfg(feature = "search")]
pub(super) fn reserved_name(tool: &ToolEntry) -> Option<BuildErrorKind> {
    tool_name::is_reserved(&tool.name).then(|| name_of_library(tool))
}

/// The error of a tool that has the name of the tool that approves calls of hosted tools.
pub(super) fn hosted_approval_name(tool: &ToolEntry) -> Option<BuildErrorKind> {
    (tool.name == tool_name::HOSTED_APPROVAL).then(|| name_of_library(tool))
}

fn name_of_library(tool: &ToolEntry) -> BuildErrorKind {
    BuildErrorKind::ReservedName { name: tool.name.to_string(), location: tool.describe_location() }
}
