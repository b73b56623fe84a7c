//! Tools of a request, and how the model may call them.

use super::tool_search::CLIENT;
use super::{NAME, Responses};
use crate::schema::{ToolSchema, WrittenDefinition};
use crate::tool_choice::ToolChoice;
use crate::tool_name::{CALL_TOOL, SEARCH_TOOLS};
use crate::wire::body::raw;
use crate::wire::chat_completions::{FUNCTIONS, MAX_TOOLS};
use crate::wire::definitions::WrittenTools;
use crate::wire::element::Element;
use crate::wire::native_search::choice_without;
use crate::wire::report::reasons;
use crate::wire::tool_additions::ToolAdditions;
use crate::wire::tool_arrays::{ToolArray, ToolForm};
use crate::wire::{Body, NotStrictTool, RequestParts, WireError};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

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
        #[serde(skip_serializing_if = "Option::is_none")]
        output_schema: Option<&'a RawValue>,
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

/// The tools of a request.
#[derive(Clone, Copy)]
pub(super) struct Tools<'a> {
    /// The parts with the tools that the model may call.
    pub(super) callable: &'a RequestParts<'a>,
    /// The parts with the tools that the request has.
    pub(super) sent: &'a RequestParts<'a>,
    /// The functions that the search of the API replaces.
    pub(super) replaced: &'a [&'a str],
    pub(super) additions: &'a ToolAdditions<'a>,
}

/// Writes the tools, and how the model may call them.
pub(super) fn write(body: &mut Body, tools: Tools<'_>, wire: &Responses) -> Result<(), WireError> {
    let Tools { callable: parts, sent, replaced, additions } = tools;
    let choice = parts.choice(&mut body.report);
    let form = ToolForm {
        wire: NAME,
        is_strict: wire.strict,
        has_output_schemas: wire.output_schemas,
        has_native_search: replaced.contains(&SEARCH_TOOLS),
        has_call_tool: !replaced.contains(&CALL_TOOL),
        ..ToolForm::default()
    };
    // With custom tools, the array depends on their names and parameters too.
    let form = Some(form).filter(|_| wire.custom_tools.0.is_empty() && additions.is_empty());
    let written = sent.write_tools(body, choice, form, |tools| {
        let listed = tools.iter().copied().filter(|tool| !additions.contains(tool.name()));
        tool_array(&listed.collect::<Vec<_>>(), wire, replaced)
    })?;
    let Some((choice, array)) = written else { return Ok(()) };
    // The API has no tool choice for its search: <https://platform.openai.com/docs/api-reference/responses/create>.
    let choice = choice_without(choice, replaced, &mut body.report);
    let functions = parts
        .tools
        .iter()
        .filter(|tool| wire.custom_tools.0.contains_key(tool.name()) && !wire.custom_tools.contains(tool));
    body.report.not_custom_tools.extend(functions.map(|tool| tool.name().to_owned()));
    let kind = |name: &str| named(parts, wire, replaced, name);
    match (choice, parts.allowed_names().filter(|_| sent.allowed_names().is_none())) {
        (ToolChoice::None, _) => body.write("tool_choice", &"none")?,
        (ToolChoice::Tool(name), _) => body.write("tool_choice", &kind(name))?,
        (choice, Some(names)) => {
            let mode = if *choice == ToolChoice::Required { "required" } else { "auto" };
            // The API rejects names that no tool has.
            let known = names.filter(|name| has_tool(parts, replaced, name) && !array.leaves_out(name));
            let tools: Vec<Value> = known.map(kind).collect();
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
fn named(parts: &RequestParts<'_>, wire: &Responses, replaced: &[&str], name: &str) -> Value {
    if name == SEARCH_TOOLS && replaced.contains(&name) {
        return json!({ "type": "tool_search" });
    }
    if let Some(definition) = wire.tools.client_definition(name) {
        return json!({ "type": definition["type"] });
    }
    let is_custom = parts.tools.iter().any(|tool| tool.name() == name && wire.custom_tools.contains(tool));
    json!({ "type": if is_custom { "custom" } else { "function" }, "name": name })
}

/// Whether the request has this tool. A search loads other tools.
fn has_tool(parts: &RequestParts<'_>, replaced: &[&str], name: &str) -> bool {
    let is_removed = name == CALL_TOOL && replaced.contains(&name);
    !is_removed && parts.tools.iter().any(|tool| tool.name() == name)
}

fn tool_array(tools: &[&ToolSchema], wire: &Responses, replaced: &[&str]) -> Result<ToolArray, WireError> {
    let mut written = WrittenTools::default();
    written.add(tools.iter().copied(), &FUNCTIONS, Some(MAX_TOOLS));
    let mut definitions = wire.tools.hosted();
    for (tool, form) in &written.tools {
        match tool.name() {
            name if !replaced.contains(&name) => {
                let definition = definition((tool, form), wire, false, &mut written.not_strict);
                definitions.push(wire.tools.definition(tool, &definition)?);
            }
            SEARCH_TOOLS => {
                let (description, parameters) = (tool.description(), tool.parameters());
                let search = Definition::ToolSearch { execution: CLIENT, description, parameters };
                definitions.push(Element::new(&search)?);
            }
            _ => {}
        }
    }
    let json = raw(&definitions)?;
    Ok(written.into_array(json))
}

/// The definition of a tool, which is deferred if a search loads it.
pub(super) fn definition<'a>(
    (tool, written): (&'a ToolSchema, &'a WrittenDefinition),
    wire: &Responses,
    defer_loading: bool,
    not_strict: &mut Vec<NotStrictTool>,
) -> Definition<'a> {
    let (name, description) = (tool.name(), written.description(tool));
    if wire.custom_tools.contains(tool) {
        return Definition::Custom { name, description, defer_loading };
    }
    let mut form = None;
    if wire.strict && wire.tools.client_definition(name).is_none() {
        form = NotStrictTool::strict_form(tool, tool.openai_strict().map_err(reasons), not_strict);
    }
    let (strict, parameters) = (form.is_some(), form.unwrap_or(written.parameters(tool)));
    let output_schema = tool.output_schema().filter(|_| wire.output_schemas);
    Definition::Function { name, description, defer_loading, strict, parameters, output_schema }
}
