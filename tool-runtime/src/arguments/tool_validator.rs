//! The validator of one tool's arguments.

use super::{ParamSchema, Parameter};
use crate::json::{Text, to_text};
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
    /// Whether the decoder may accept values that the schema rejects. The decoder of a scalar, or of an array of
    /// scalars, does not.
    pub(super) is_needed: bool,
}

impl ToolValidator {
    pub(crate) fn from_parameters(
        schema: &Value,
        parameters: &[Parameter],
        described: &[ParamSchema],
    ) -> Result<Self, ExceededLimit> {
        let validator = Validator::new(schema)?;
        let root = validator.node(validator.root);
        let validator_of = |(parameter, described): (&Parameter, &ParamSchema)| {
            let is_narrowed =
                parameter.keywords.iter().any(|(keyword, _)| !matches!(*keyword, "format" | "examples"));
            let node = root.declared_property(parameter.name).map_or(NodeId::ANYTHING, |(node, _)| node);
            let key = to_text(&parameter.name.into()).into();
            ParamValidator { name: parameter.name, key, node, is_needed: is_narrowed || !described.is_exact }
        };
        let parameters = parameters.iter().zip(described).map(validator_of).collect();
        Ok(ToolValidator { validator, parameters })
    }

    pub(crate) fn from_schema(schema: &Value) -> Result<Self, ExceededLimit> {
        Ok(ToolValidator { validator: Validator::new(schema)?, parameters: Vec::new() })
    }
}

/// Whether the decoder of a type accepts exactly the values that its schema accepts. True for scalars, arrays of
/// scalars and options of either, but not for `f32` and integers of 128 bits, which accept more. The compiler may
/// change the names of types; an unknown name costs only time.
pub(super) fn is_exact(type_name: &str) -> bool {
    let mut inner = type_name;
    while let Some(within) = inner
        .strip_prefix("core::option::Option<")
        .or_else(|| inner.strip_prefix("alloc::vec::Vec<"))
        .and_then(|rest| rest.strip_suffix('>'))
    {
        inner = within;
    }
    let scalars = "alloc::string::String bool char f64 u8 u16 u32 u64 usize i8 i16 i32 i64 isize";
    inner == std::any::type_name::<Text<'_>>() || scalars.split(' ').any(|scalar| inner == scalar)
}
