//! The rules of the API for definitions of tools.

use super::NAME;
use crate::wire::definitions::DefinitionRules;
use tool_runtime_schema::conversion::{
    Rule, accept_patterns, complete_arrays, inline_definitions, merge_root, modernise, resolve_references,
};

/// Below the root, the server reads `anyOf`, `type`, `items`, `description`, `enum`, `properties` and `required`, and drops other
/// keywords: <https://github.com/ollama/ollama/blob/main/api/types.go>
const KEYWORDS: Rule = Rule::without_error(inline_definitions);

pub(super) const FUNCTIONS: DefinitionRules = DefinitionRules { wire: NAME, rules: &[KEYWORDS] };

pub(in crate::wire) const FOREIGN: DefinitionRules = DefinitionRules {
    wire: NAME,
    rules: &[
        Rule::without_error(modernise),
        Rule::without_error(complete_arrays),
        Rule::without_error(accept_patterns),
        Rule::without_error(resolve_references),
        // At the root, the server reads `type`, `properties`, `required`, `items` and `$defs`.
        Rule::without_error(merge_root),
        KEYWORDS,
    ],
};
