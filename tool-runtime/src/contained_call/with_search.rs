//! The contained call, with the feature `search`.

use crate::message::{ToolCall, is_object};
use crate::tool_name::CALL_TOOL;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The call of the tool itself, if the model calls it with `call_tool`.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContainedCall(Option<Box<ToolCall>>);

impl ContainedCall {
    /// The call in the arguments of this call of `call_tool`. There is none if they are invalid.
    pub(crate) fn from_call(call: &ToolCall) -> Self {
        ContainedCall::from_arguments(call, &call.arguments)
    }

    /// Like `from_call`, with coerced arguments.
    pub(crate) fn from_arguments(call: &ToolCall, arguments: &str) -> Self {
        ContainedCall(contained_call(call, arguments))
    }

    /// The name of the tool in the arguments of `call_tool`, which may be invalid otherwise.
    pub(crate) fn name_in(arguments: &str) -> Option<String> {
        #[derive(Deserialize)]
        struct Name {
            name: String,
        }
        serde_json::from_str(arguments).ok().map(|Name { name }| name).filter(|name| name != CALL_TOOL)
    }

    /// Replaces the arguments of the contained call, or otherwise those of the outer one.
    pub(crate) fn replace_arguments(&self, outer: &mut ToolCall, arguments: String) {
        let Some(inner) = self.get() else { return outer.set_arguments(arguments) };
        let name = Value::from(&*inner.name);
        // If this text is not an object, the error of the call is about it.
        let arguments = if is_object(&arguments) { arguments } else { Value::from(arguments).to_string() };
        outer.set_arguments(format!(r#"{{"name":{name},"arguments":{arguments}}}"#));
    }

    pub(crate) fn get(&self) -> Option<&ToolCall> {
        self.0.as_deref()
    }

    /// The contained call, or otherwise the outer one.
    pub(crate) fn or<'a>(&'a self, outer: &'a ToolCall) -> &'a ToolCall {
        self.get().unwrap_or(outer)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

fn contained_call(call: &ToolCall, arguments: &str) -> Option<Box<ToolCall>> {
    // An array is not an object, although serde reads one.
    let Arguments { name, arguments } =
        serde_json::from_str(arguments).ok().filter(|_| is_object(arguments))?;
    let arguments = match arguments.map(RawValue::get) {
        None | Some("null") => "{}".to_owned(),
        // Strict schemas have no object with any properties, so a model with one writes the object in a string.
        Some(text) if text.starts_with('"') => serde_json::from_str(text).ok()?,
        Some(object) => object.to_owned(),
    };
    let mut inner = ToolCall::new(&call.id, name, arguments);
    (inner.is_truncated, inner.null_is_absent) = (call.is_truncated, call.null_is_absent);
    Some(Box::new(inner))
}
