//! What the API accepts of definitions.

use super::NAME;
use crate::schema::conversion::merge_root;
use crate::wire::definitions::DefinitionRules;

pub(super) const DEFINITIONS: DefinitionRules = DefinitionRules {
    wire: NAME,
    steps: &[
        // "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level":
        // https://github.com/zereight/gitlab-mcp/issues/550
        merge_root,
    ],
};
