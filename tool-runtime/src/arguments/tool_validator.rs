//! The validator of one tool's arguments.

use super::Parameter;
use crate::json::to_text;
use crate::validator::{ExceededLimit, NodeId, Validator};
use serde_json::Value;

/// The compiled schema of a tool, and the part of it for each parameter.
#[derive(Debug)]
pub(crate) struct ToolValidator {
    pub(crate) validator: Validator,
    /// In declared order; empty for a dynamic tool.
    pub(super) parameters: Vec<ParamValidator>,
}

/// The part for one parameter.
#[derive(Debug)]
pub(super) struct ParamValidator {
    pub(super) name: &'static str,
    /// The name as JSON, in its quotes.
    pub(super) key: Box<str>,
    pub(super) node: NodeId,
}

impl ToolValidator {
    pub(crate) fn from_parameters(schema: &Value, parameters: &[Parameter]) -> Result<Self, ExceededLimit> {
        let validator = Validator::new(schema)?;
        let root = validator.node(validator.root);
        let validator_of = |parameter: &Parameter| {
            let node = root.declared_property(parameter.name).map_or(NodeId::ANYTHING, |(node, _)| node);
            let key = to_text(&parameter.name.into()).into();
            ParamValidator { name: parameter.name, key, node }
        };
        let parameters = parameters.iter().map(validator_of).collect();
        Ok(ToolValidator { validator, parameters })
    }

    pub(crate) fn from_schema(schema: &Value) -> Result<Self, ExceededLimit> {
        Ok(ToolValidator { validator: Validator::new(schema)?, parameters: Vec::new() })
    }
}
