//! What the servers of this format accept of definitions.

use super::NAME;
use crate::schema::conversion::{accept_in_engines, merge_root};
use crate::wire::definitions::DefinitionRules;

pub(in crate::wire) const DEFINITIONS: DefinitionRules = DefinitionRules {
    wire: NAME,
    steps: &[
        // OpenAI: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level".
        merge_root,
        // llama.cpp: "Pattern must start with '^' and end with '$'", "failed to parse grammar":
        // https://github.com/containers/kubernetes-mcp-server/issues/758
        accept_in_engines,
    ],
};

/// OpenAI: "Invalid 'tools': array too long. Expected an array with maximum length 128".
pub(in crate::wire) const MAX_TOOLS: usize = 128;
