//! The call in the arguments of `call_tool`, which a search adds to the tools of a registry.
//!
//! The assertions do not know whether the registry has a search: another tool may be named `call_tool`, so only a call with both
//! arguments has a contained call.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use tool_runtime::ToolCall;

const CALL_TOOL: &str = "call_tool";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// The name of the tool that a call or its contained call calls. A name with escapes cannot be borrowed: such a call counts as a
/// call of `call_tool`.
pub(crate) fn called_tool(call: &ToolCall) -> &str {
    match named_tool(call) {
        Some((Cow::Borrowed(name), _)) => name,
        _ => &call.name,
    }
}

/// The name and the arguments of the contained call.
pub(crate) fn contained_call(call: &ToolCall) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    // An array is not an object, although serde reads one.
    let is_object = call.arguments.trim_start().starts_with('{');
    let (name, arguments) = named_tool(call).filter(|_| is_object)?;
    let arguments = match arguments.get() {
        // Strict schemas have no object with any properties, so a model with one writes the object in a string.
        text if text.starts_with('"') => Cow::Owned(serde_json::from_str(text).ok()?),
        object => Cow::Borrowed(object),
    };
    Some((name, arguments))
}

/// The tool and its arguments in a call of `call_tool`.
fn named_tool(call: &ToolCall) -> Option<(Cow<'_, str>, &RawValue)> {
    if call.name != CALL_TOOL {
        return None;
    }
    let Arguments { name, arguments } = serde_json::from_str(&call.arguments).ok()?;
    Some((name, arguments?))
}
