//! The rules for definitions of tools of OpenAI and of servers with a grammar engine.

use super::NAME;
use crate::wire::definitions::DefinitionRules;
use tool_runtime_schema::conversion::{
    Rule, accept_in_engines, add_properties, complete_arrays, merge_root, modernise, resolve_references,
};

/// Functions have definitions that all servers accept.
pub(in crate::wire) const FUNCTIONS: DefinitionRules = DefinitionRules { wire: NAME, rules: &[] };

pub(in crate::wire) const FOREIGN: DefinitionRules = DefinitionRules {
    wire: NAME,
    rules: &[
        // OpenAI: "False is not of type 'array'" (https://github.com/MarkusPfundstein/mcp-gsuite/pull/34).
        Rule::new(modernise, "schema is not valid under JSON Schema"),
        Rule::new(complete_arrays, "array schema missing items."),
        Rule::new(resolve_references, "reference to component which was not found in the schema."),
        Rule::new(
            merge_root,
            "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
        ),
        Rule::new(add_properties, "object schema missing properties."),
        // llama.cpp: https://github.com/containers/kubernetes-mcp-server/issues/758, https://github.com/firecrawl/firecrawl/issues/4512
        Rule::new(accept_in_engines, "Failed to initialize samplers: failed to parse grammar"),
    ],
};

/// OpenAI: "Invalid 'tools': array too long. Expected an array with maximum length 128"
/// (<https://github.com/zed-industries/zed/issues/42393>).
pub(in crate::wire) const MAX_TOOLS: usize = 128;
