//! The call in the arguments of `call_tool`.

use crate::message::ToolCall;
#[cfg(feature = "search")]
use crate::message::is_object;
#[cfg(feature = "search")]
use crate::tool_name::CALL_TOOL;
#[cfg(feature = "search")]
use serde::Deserialize;
#[cfg(feature = "search")]
use serde_json::{Value, value::RawValue};
#[cfg(feature = "search")]
use std::borrow::Cow;

/// The call of the tool itself, if the model calls it with `call_tool`. Empty without the feature `search`, so that it takes
/// no memory in the future of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct InnerCall {
    #[cfg(feature = "search")]
    call: Option<Box<ToolCall>>,
}

impl InnerCall {
    /// The call in the arguments of this call. There is none if this is no call of `call_tool`, or if its arguments are
    /// invalid.
    pub(crate) fn of(call: &ToolCall) -> Self {
        #[cfg(feature = "search")]
        if call.name == CALL_TOOL {
            return InnerCall { call: inner_call(call, &call.arguments) };
        }
        let _ = call;
        InnerCall::default()
    }

    /// The name of the tool that this call or its inner call calls.
    #[cfg(feature = "testing")]
    pub(crate) fn tool_of(call: &ToolCall) -> &str {
        #[cfg(feature = "search")]
        if call.name == CALL_TOOL {
            // A name with escapes in its JSON is no name of a tool.
            if let Ok(Arguments { name: Cow::Borrowed(name), .. }) = serde_json::from_str(&call.arguments) {
                return name;
            }
        }
        &call.name
    }

    /// The name of a tool in invalid arguments of `call_tool`.
    #[cfg(feature = "search")]
    pub(crate) fn name_in(arguments: &str) -> Option<String> {
        #[derive(Deserialize)]
        struct Name {
            name: String,
        }
        serde_json::from_str(arguments).ok().map(|Name { name }| name).filter(|name| name != CALL_TOOL)
    }

    /// Like `of`, with coerced arguments.
    #[cfg(feature = "search")]
    pub(crate) fn with_arguments(call: &ToolCall, arguments: &str) -> Self {
        InnerCall { call: inner_call(call, arguments) }
    }

    /// Replaces the arguments of this call, or those of its inner call.
    pub(crate) fn set_arguments(call: &mut ToolCall, arguments: String) {
        #[cfg(feature = "search")]
        if let Some(inner) = InnerCall::of(call).call {
            return call.set_arguments(outer_arguments(&inner.name, &arguments));
        }
        call.set_arguments(arguments);
    }

    #[cfg(feature = "search")]
    pub(crate) fn is_some(&self) -> bool {
        self.call.is_some()
    }

    /// The inner call, or otherwise the outer one.
    #[cfg_attr(not(feature = "search"), allow(clippy::unused_self))]
    pub(crate) fn or<'a>(&'a self, outer: &'a ToolCall) -> &'a ToolCall {
        #[cfg(feature = "search")]
        return self.call.as_deref().unwrap_or(outer);
        #[cfg(not(feature = "search"))]
        outer
    }
}

#[cfg(feature = "search")]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

#[cfg(feature = "search")]
fn inner_call(call: &ToolCall, arguments: &str) -> Option<Box<ToolCall>> {
    let Arguments { name, arguments } = serde_json::from_str(arguments).ok()?;
    if name == CALL_TOOL {
        return None;
    }
    let arguments = match arguments.map(RawValue::get) {
        None | Some("null") => "{}".to_owned(),
        // Strict schemas have no object with any properties, so a model with one writes the object in a string.
        Some(text) if text.starts_with('"') => serde_json::from_str(text).ok()?,
        Some(object) => object.to_owned(),
    };
    let mut inner = ToolCall::new(&call.id, name, arguments);
    inner.is_truncated = call.is_truncated;
    Some(Box::new(inner))
}

/// The arguments of `call_tool` that call this tool.
#[cfg(feature = "search")]
fn outer_arguments(tool: &str, arguments: &str) -> String {
    let name = Value::from(tool);
    if is_object(arguments) {
        format!(r#"{{"name":{name},"arguments":{arguments}}}"#)
    } else {
        // The error of the call is about this text.
        let arguments = Value::from(arguments);
        format!(r#"{{"name":{name},"arguments":{arguments}}}"#)
    }
}
