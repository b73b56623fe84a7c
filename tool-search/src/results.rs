//! The result of a search, as text for the model.

use crate::Definition;
use crate::one_line::one_line;
use crate::signature::{FindReferenced, documented_signature};
use std::fmt::Write as _;

/// In characters. Descriptions of remote servers may have thousands.
const MAX_DESCRIPTION: usize = 200;
const MAX_FULL_DESCRIPTION: usize = 1_000;

/// In bytes. A larger schema is replaced by the signature.
const MAX_SCHEMA: usize = 4_000;

/// Describes the tools that a search has found, the best first. The first `full_schemas` have their schema, and the others their
/// signature.
#[must_use]
pub fn describe_matches(
    found: &[Definition<'_>],
    full_schemas: usize,
    find_referenced: FindReferenced,
) -> String {
    let mut text = match found.len() {
        1 => "The best match.".to_owned(),
        tools => format!("The {tools} best matches, the best first."),
    };
    text.push_str(" If one fits, call it with `call_tool`; otherwise search with other words.");
    for (index, tool) in found.iter().enumerate() {
        let schema =
            Some(tool.parameters).filter(|schema| index < full_schemas && schema.len() <= MAX_SCHEMA);
        let head =
            schema.map_or_else(|| documented_signature(*tool, find_referenced), |_| tool.name.to_owned());
        let _ = write!(text, "\n\n{head}");
        let limit = if schema.is_some() { MAX_FULL_DESCRIPTION } else { MAX_DESCRIPTION };
        let description = one_line(tool.description, limit);
        if !description.is_empty() {
            let _ = write!(text, "\n{description}");
        }
        if let Some(schema) = schema {
            let _ = write!(text, "\nSchema of its arguments: {schema}");
        }
    }
    text
}

/// The text of a search that found no tool. `pinned` are the names of the matching tools that the model has already; `has_tools`
/// is whether there is a tool to find.
#[must_use]
pub fn describe_no_match(pinned: &[&str], has_tools: bool) -> String {
    if !pinned.is_empty() {
        let names = pinned.join("`, `");
        return format!("No further tool matches. Call these matching tools directly: `{names}`.");
    }
    if has_tools {
        return "No tool matches. Search with other words for the task, its objects or its data.".to_owned();
    }
    "There are no further tools.".to_owned()
}
