//! Recorded traffic of providers, and collections of tool definitions, in the folder that the environment variable
//! `TOOL_CORPORA` names.

mod bad_arguments;
mod definitions;
mod error_kinds;
mod messages;
mod mistakes;
mod on_each_wire;
mod rows;
mod streams;
mod unparsed_calls;

use serde_json::Value;

pub(crate) use rows::rows;

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
