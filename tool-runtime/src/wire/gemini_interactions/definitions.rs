//! The rules of the API for definitions of tools, which are those of the Gemini API.

use super::NAME;
use crate::wire::definitions::DefinitionRules;
use crate::wire::gemini;

pub(super) const FUNCTIONS: DefinitionRules = DefinitionRules { wire: NAME, ..gemini::FUNCTIONS };

pub(in crate::wire) const FOREIGN: DefinitionRules = DefinitionRules { wire: NAME, ..gemini::FOREIGN };
