//! The rules of the API for definitions of tools.

use super::NAME;
use crate::wire::definitions::DefinitionRules;
use tool_runtime_schema::conversion::{
    Rule, accept_patterns, complete_arrays, merge_root, modernise, resolve_references, separate_references,
};

/// "If `$ref` is set on a sub-schema, no other properties, except for than those starting as a `$`, may be set", and cycles
/// "may only be used within non-required properties": <https://ai.google.dev/api/generate-content#generationconfig>
const REFERENCES: Rule = Rule::without_error(separate_references);

pub(in crate::wire) const FUNCTIONS: DefinitionRules = DefinitionRules { wire: NAME, rules: &[REFERENCES] };

pub(in crate::wire) const FOREIGN: DefinitionRules = DefinitionRules {
    wire: NAME,
    rules: &[
        Rule::without_error(modernise),
        // "items: missing field." (https://github.com/cline/cline/issues/7339)
        Rule::new(complete_arrays, "items: missing field."),
        Rule::without_error(accept_patterns),
        Rule::without_error(resolve_references),
        // The parameters are an object: https://ai.google.dev/api/caching#FunctionDeclaration
        Rule::without_error(merge_root),
        REFERENCES,
    ],
};

/// The API rejects more than 512 declarations.
pub(in crate::wire) const MAX_TOOLS: usize = 512;
