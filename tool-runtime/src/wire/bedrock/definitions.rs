//! The rules of the API for definitions of tools. They are those of Anthropic's models, which most requests use: the API passes
//! definitions to the model, whose error it returns (<https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/issues/709>).

use super::NAME;
use crate::wire::anthropic;
use crate::wire::definitions::DefinitionRules;

pub(super) const FUNCTIONS: DefinitionRules = DefinitionRules { wire: NAME, ..anthropic::FUNCTIONS };

pub(in crate::wire) const FOREIGN: DefinitionRules = DefinitionRules { wire: NAME, ..anthropic::FOREIGN };
