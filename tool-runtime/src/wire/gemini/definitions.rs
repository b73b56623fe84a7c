//! What the API accepts of definitions.

use super::NAME;
use crate::schema::conversion::merge_root;
use crate::schema::references::separate_in;
use crate::wire::definitions::DefinitionRules;

pub(super) const DEFINITIONS: DefinitionRules = DefinitionRules {
    wire: NAME,
    steps: &[
        // The parameters are an object: https://ai.google.dev/api/caching#FunctionDeclaration
        merge_root,
        // "If `$ref` is set on a sub-schema, no other properties, except for than those starting as a `$`, may be set", and
        // cycles "may only be used within non-required properties":
        // https://ai.google.dev/api/generate-content#generationconfig
        separate_in,
    ],
};

/// The API rejects more than 512 declarations.
pub(super) const MAX_TOOLS: usize = 512;
