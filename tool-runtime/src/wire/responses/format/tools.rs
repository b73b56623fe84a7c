//! Tools of a request, and how the model may call them.

use super::tool_search::CLIENT;
use super::{NAME, Responses};
use crate::schema::ToolSchema;
use crate::tool_choice::ToolChoice;
use crate::tool_name::{CALL_TOOL, SEARCH_TOOLS};
use crate::wire::tool_arrays::{SearchForm, ToolArray, ToolForm, reasons};
use crate::wire::{Body, NotStrictTool, Report, RequestParts, WireError};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Definition<'a> {
    Function {
        name: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        description: &'a str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        defer_loading: bool,
        /// Always written: the server makes tools strict otherwise.
        strict: bool,
        parameters: &'a RawValue,
    },
    Custom {
        name: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        description: &'a str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        defer_loading: bool,
    },
    /// The search for tools, which the program runs.
    ToolSearch { execution: &'static str, description: &'a str, parameters: &'a RawValue },
}

pub(super) fn write(
    body: &mut Body,
    parts: &RequestParts<'_>,
    wire: &Responses,
    search: SearchForm,
    report: &mut Report,
) -> Result<(), WireError> {
    let mut choice = parts.choice(report);
    let has_all_tools = wire.has_all_tools(parts);
    if parts.tools.is_empty() || (!has_all_tools && !parts.has_allowed_tools()) {
        return Ok(());
    }
    let form = ToolForm { wire: NAME, is_strict: wire.strict, search };
    let make = |tools: &[&ToolSchema]| tool_array(tools, wire, search);
    let array = if wire.custom_tools.is_empty() {
        parts.tool_array(has_all_tools, form, make)?
    } else {
        // The array depends on the custom tools of the wire.
        parts.uncached_tool_array(has_all_tools, make)?
    };
    body.set("tools", Arc::clone(&array.json));
    report.not_strict.extend_from_slice(&array.not_strict);
    if let SearchForm::Native { has_call_tool } = search {
        // The API has no tool choice for its search: <https://platform.openai.com/docs/api-reference/responses/create>.
        let missing = [SEARCH_TOOLS, CALL_TOOL];
        let missing = if has_call_tool { missing.get(..1).unwrap_or_default() } else { &missing };
        choice = RequestParts::choice_without(choice, missing, report);
    }
    let functions =
        parts.tools.iter().filter(|tool| wire.custom_tools.lists(tool) && !wire.custom_tools.contains(tool));
    report.not_custom.extend(functions.map(|tool| tool.name().to_owned()));
    let kind = |name: &str| named(parts, wire, search, name);
    match (choice, parts.allowed_tools.filter(|_| has_all_tools)) {
        (ToolChoice::None, _) => body.write("tool_choice", &"none")?,
        (ToolChoice::Tool(name), _) => body.write("tool_choice", &kind(name))?,
        (choice, Some(names)) => {
            let mode = if *choice == ToolChoice::Required { "required" } else { "auto" };
            // The API rejects names that no tool has.
            let known = names.iter().filter(|name| has_tool(parts, search, name));
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
fn named(parts: &RequestParts<'_>, wire: &Responses, search: SearchForm, name: &str) -> Value {
    if search != SearchForm::Tools && name == SEARCH_TOOLS {
        return json!({ "type": "tool_search" });
    }
    let is_custom = parts.tools.iter().any(|tool| tool.name() == name && wire.custom_tools.contains(tool));
    json!({ "type": if is_custom { "custom" } else { "function" }, "name": name })
}

/// Whether the request has this tool. A search loads other tools.
fn has_tool(parts: &RequestParts<'_>, search: SearchForm, name: &str) -> bool {
    let is_removed = search == SearchForm::Native { has_call_tool: false } && name == CALL_TOOL;
    !is_removed && parts.tools.iter().any(|tool| tool.name() == name)
}

fn tool_array(tools: &[&ToolSchema], wire: &Responses, search: SearchForm) -> Result<ToolArray, WireError> {
    let mut not_strict = Vec::new();
    let mut definitions = Vec::with_capacity(tools.len());
    for tool in tools {
        match (search, tool.name()) {
            (SearchForm::Native { .. }, SEARCH_TOOLS) => definitions.push(Definition::ToolSearch {
                execution: CLIENT,
                description: tool.description(),
                parameters: tool.parameters(),
            }),
            (SearchForm::Native { has_call_tool: false }, CALL_TOOL) => {}
            _ => definitions.push(definition(tool, wire, false, &mut not_strict)),
        }
    }
    ToolArray::new(&definitions, not_strict)
}

/// The definition of a tool, which is deferred if a search loads it.
pub(super) fn definition<'a>(
    tool: &'a ToolSchema,
    wire: &Responses,
    defer_loading: bool,
    not_strict: &mut Vec<NotStrictTool>,
) -> Definition<'a> {
    let (name, description) = (tool.name(), tool.description());
    if wire.custom_tools.contains(tool) {
        return Definition::Custom { name, description, defer_loading };
    }
    let (mut strict, mut parameters) = (false, tool.parameters());
    if wire.strict {
        match tool.openai_strict() {
            Ok(form) => (strict, parameters) = (true, form),
            Err(errors) => not_strict.push(NotStrictTool { tool: name.to_owned(), reasons: reasons(errors) }),
        }
    }
    Definition::Function { name, description, defer_loading, strict, parameters }
}
