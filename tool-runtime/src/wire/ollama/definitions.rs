//! What the API accepts of definitions.

use super::NAME;
use crate::schema::conversion::merge_root;
use crate::wire::definitions::DefinitionRules;

pub(super) const DEFINITIONS: DefinitionRules = DefinitionRules {
    wire: NAME,
    steps: &[
        // At the root, the server reads `type`, `properties`, `required`, `items` and `$defs`, and drops other keywords:
        // https://github.com/ollama/ollama/blob/main/api/types.go
        merge_root,
    ],
};
