//! Recorded traffic of real providers and collections of definitions, from the folder that the variable `TOOL_CORPORA`
//! names.

mod bad_arguments;
mod definitions;
mod messages;
mod mistakes;
mod rows;
mod streams;

use serde_json::Value;

pub(crate) use rows::rows;

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
