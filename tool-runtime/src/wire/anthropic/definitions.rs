//! The rules of the API for definitions of tools.

use super::NAME;
use crate::wire::definitions::DefinitionRules;
use tool_runtime_schema::conversion::{
    Rule, accept_patterns, complete_arrays, merge_root, modernise, resolve_references, write_keys,
};

/// <https://github.com/Dokploy/mcp/issues/74>. An error message follows the path of the parameters.
const INVALID: &str = ": JSON schema is invalid. It must match JSON Schema draft 2020-12 \
    (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.";

/// <https://github.com/anthropics/claude-code/issues/34771>
const KEYS: Rule =
    Rule::new(write_keys, ".properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'");

pub(in crate::wire) const FUNCTIONS: DefinitionRules = DefinitionRules { wire: NAME, rules: &[KEYS] };

pub(in crate::wire) const FOREIGN: DefinitionRules = DefinitionRules {
    wire: NAME,
    rules: &[
        Rule::new(modernise, INVALID),
        Rule::without_error(complete_arrays),
        Rule::new(resolve_references, INVALID),
        Rule::without_error(accept_patterns),
        // The sentences about rules have the written keys.
        KEYS,
        // https://github.com/zereight/gitlab-mcp/issues/550
        Rule::new(merge_root, ": input_schema does not support oneOf, allOf, or anyOf at the top level"),
    ],
};
