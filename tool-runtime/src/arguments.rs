//! Decoding of a call's arguments into the parameters of a function.
//!
//! `fast_path` reads the object once and decodes each value in place. If it fails, it returns no reason: `errors` reads
//! the text again and collects every error.

mod answer;
mod arg_cell;
mod correction;
mod decode_error;
mod decoder;
mod errors;
mod fast_path;
mod literal;
mod map_keys;
mod missing_field;
mod object;
mod param_mode;
mod probe;
mod tool_validator;

pub(crate) use answer::{answer_parameter, decode_answer};
pub(crate) use arg_cell::ArgSlot;
pub use arg_cell::NonSerializeDefault;
pub(crate) use correction::truncated_call_error;
pub use literal::Literal;
pub(crate) use map_keys::{KeyProbe, name_map_keys};
pub(crate) use object::object;
pub use probe::{PassedByValue, Tag, argument};
pub(crate) use tool_validator::ToolValidator;

use crate::outcome::ArgumentError;
use schemars::Schema;

/// One parameter that the model fills in.
#[derive(Debug)]
pub struct Parameter {
    /// The key in the arguments.
    pub name: &'static str,
    /// Empty if the parameter has no description.
    pub description: &'static str,
    /// The keywords that `#[arg(schema(..))]` adds to the schema of the type.
    pub keywords: &'static [(&'static str, Literal)],
}

/// The schema of one parameter's type.
#[derive(Debug)]
pub struct ParamSchema {
    pub(crate) schema: Schema,
    pub(crate) required: bool,
}

/// The error of arguments that cannot be decoded.
#[derive(Debug)]
pub(crate) enum ArgumentsError {
    /// The text is not JSON.
    NotJson {
        error: serde_json::Error,
        is_truncated: bool,
    },
    /// The text is JSON, but not an object. Contains the name of its type, such as `an array`.
    NotAnObject(&'static str),
    Invalid(Vec<ArgumentError>),
}

/// Fills every slot, or returns every error.
pub(crate) fn decode<'a>(
    arguments: &'a str,
    parameters: &[Parameter],
    validator: &ToolValidator,
    slots: &mut [&mut dyn ArgSlot<'a>],
) -> Result<(), ArgumentsError> {
    match fast_path::read(arguments, validator, slots) {
        Some(()) => Ok(()),
        None => errors::read(arguments, parameters, validator, slots),
    }
}
