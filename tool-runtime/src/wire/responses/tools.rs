//! Tools of a request, and how the model may call them.

use super::{NAME, Responses};
use crate::schema::ToolSchema;
use crate::tool_choice::ToolChoice;
use crate::wire::tool_arrays::{SearchForm, ToolArray, ToolForm, reasons};
use crate::wire::{Body, NotStrictTool, Report, RequestParts, WireError};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Tool<'a> {
    Function {
        name: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        description: &'a str,
        /// Always written: the server makes tools strict otherwise.
        strict: bool,
        parameters: &'a RawValue,
    },
    Custom {
        name: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        description: &'a str,
    },
}

pub(super) fn write(
    body: &mut Body,
    parts: &RequestParts<'_>,
    wire: &Responses,
    report: &mut Report,
) -> Result<(), WireError> {
    let choice = parts.choice(report);
    let has_all_tools = parts.allowed_tools.is_none() || wire.native_allowed_tools;
    if parts.tools.is_empty() || (!has_all_tools && !parts.has_allowed_tools()) {
        return Ok(());
    }
    let form = ToolForm { wire: NAME, is_strict: wire.strict, search: SearchForm::Tools };
    let make = |tools: &[&ToolSchema]| tool_array(tools, wire);
    let array = if wire.custom_tools.is_empty() {
        parts.tool_array(has_all_tools, form, make)?
    } else {
        // The array depends on the custom tools of the wire.
        parts.uncached_tool_array(has_all_tools, make)?
    };
    body.set("tools", Arc::clone(&array.json));
    report.not_strict.clone_from(&array.not_strict);
    let functions =
        parts.tools.iter().filter(|tool| wire.custom_tools.lists(tool) && !wire.custom_tools.contains(tool));
    report.not_custom.extend(functions.map(|tool| tool.name().to_owned()));
    let kind = |name: &str| named(parts, wire, name);
    match (choice, parts.allowed_tools.filter(|_| wire.native_allowed_tools)) {
        (ToolChoice::None, _) => body.write("tool_choice", &"none")?,
        (ToolChoice::Tool(name), _) => body.write("tool_choice", &kind(name))?,
        (choice, Some(names)) => {
            let mode = if *choice == ToolChoice::Required { "required" } else { "auto" };
            // The API rejects names that no tool has.
            let known = names.iter().filter(|name| parts.tools.iter().any(|tool| tool.name() == *name));
            let tools: Vec<Value> = known.map(|name| kind(name)).collect();
            body.write("tool_choice", &json!({ "type": "allowed_tools", "mode": mode, "tools": tools }))?;
        }
        (ToolChoice::Required, None) => body.write("tool_choice", &"required")?,
        (ToolChoice::Auto, None) => {}
    }
    if !parts.parallel_calls {
        body.write("parallel_tool_calls", &false)?;
    }
    Ok(())
}

/// The tool of this name, in a tool choice.
fn named(parts: &RequestParts<'_>, wire: &Responses, name: &str) -> Value {
    let is_custom = parts.tools.iter().any(|tool| tool.name() == name && wire.custom_tools.contains(tool));
    json!({ "type": if is_custom { "custom" } else { "function" }, "name": name })
}

fn tool_array(tools: &[&ToolSchema], wire: &Responses) -> Result<ToolArray, WireError> {
    let mut not_strict = Vec::new();
    let mut definitions = Vec::with_capacity(tools.len());
    for tool in tools {
        let (name, description) = (tool.name(), tool.description());
        if wire.custom_tools.contains(tool) {
            definitions.push(Tool::Custom { name, description });
            continue;
        }
        let (mut strict, mut parameters) = (false, tool.parameters());
        if wire.strict {
            match tool.openai_strict() {
                Ok(form) => (strict, parameters) = (true, form),
                Err(errors) => {
                    not_strict.push(NotStrictTool { tool: name.to_owned(), reasons: reasons(errors) });
                }
            }
        }
        definitions.push(Tool::Function { name, description, strict, parameters });
    }
    ToolArray::new(&definitions, not_strict)
}
