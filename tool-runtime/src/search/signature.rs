//! The signature of a tool in one line.

use super::definition;
use crate::json::referenced;
use crate::schema::ToolSchema;

/// The signature of a tool in one line, which needs fewer tokens than the JSON Schema:
/// `get_weather(city: string, days?: integer = 0, unit?: "c" | "f")`.
///
/// `?` marks an optional parameter and `= 0` its default; `string[]` is an array and `{street: string, zip?: string}` an
/// object. Required parameters are first. A type that the signature does not express is `any`. Limits of values,
/// patterns and formats are missing, and types that are deep or long are abbreviated: the JSON Schema has them.
///
/// `f()` is a tool without parameters, and `f(object)` one whose schema does not list them, so that it accepts any object.
/// A union of objects is a type too: `f({id: integer} | {name: string})`. The text has no line breaks.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::ToolSchema;
/// use tool_runtime::search::signature;
///
/// let tool: ToolSchema = serde_json::from_value(json!({
///     "type": "function",
///     "function": {
///         "name": "get_weather",
///         "parameters": {
///             "type": "object",
///             "properties": {
///                 "city": {"type": "string", "description": "In English."},
///                 "days": {"type": "integer", "default": 0},
///                 "unit": {"enum": ["c", "f"]},
///             },
///             "required": ["city"],
///         },
///     },
/// }))?;
/// assert_eq!(signature(&tool), r#"get_weather(city: string, days?: integer = 0, unit?: "c" | "f")"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn signature(tool: &ToolSchema) -> String {
    tool_runtime_search::signature(definition(tool), referenced)
}

/// Like [`signature`], with the description of each parameter in parentheses: `get_weather(city: string (In English.))`.
#[must_use]
pub fn documented_signature(tool: &ToolSchema) -> String {
    tool_runtime_search::documented_signature(definition(tool), referenced)
}
