//! Tools of a request, and how the model may call them.

use super::NAME;
use crate::schema::ToolSchema;
use crate::tool_choice::ToolChoice;
use crate::tool_name::CALL_TOOL;
use crate::wire::native_search::choice_without;
use crate::wire::report::reasons;
use crate::wire::tool_arrays::{ToolArray, ToolForm};
use crate::wire::{Body, NotStrictTool, RequestParts, WireError};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    strict: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    defer_loading: bool,
    input_schema: &'a RawValue,
}

pub(super) fn write(
    body: &mut Body,
    parts: &RequestParts<'_>,
    is_strict: bool,
    has_native_search: bool,
) -> Result<(), WireError> {
    let mut choice = parts.choice(&mut body.report);
    if !parts.has_allowed_tools() {
        return Ok(());
    }
    let form = ToolForm { wire: NAME, settings: [is_strict, has_native_search, false] };
    parts.write_tools(body, Some(form), |tools| {
        if !has_native_search {
            return tool_array(tools, &[], is_strict);
        }
        // The API accepts earlier calls of a tool that the request does not have.
        let loaded = tools.iter().filter(|tool| tool.name() != CALL_TOOL).copied();
        let deferred: Vec<&ToolSchema> = parts.allowed_deferred().collect();
        tool_array(&loaded.collect::<Vec<_>>(), &deferred, is_strict)
    })?;
    if has_native_search {
        choice = choice_without(choice, &[CALL_TOOL], &mut body.report);
    }
    let mut written = match choice {
        ToolChoice::Auto if parts.parallel_calls => return Ok(()),
        ToolChoice::Auto => json!({ "type": "auto" }),
        ToolChoice::None => json!({ "type": "none" }),
        ToolChoice::Required => json!({ "type": "any" }),
        ToolChoice::Tool(name) => json!({ "type": "tool", "name": name }),
    };
    if !parts.parallel_calls && *choice != ToolChoice::None {
        written["disable_parallel_tool_use"] = json!(true);
    }
    body.write("tool_choice", &written)
}

/// The limits of strict tools in one request:
/// <https://docs.anthropic.com/en/docs/build-with-claude/structured-outputs>.
const MAX_STRICT_TOOLS: usize = 20;
const MAX_OPTIONAL: usize = 24;
const MAX_UNIONS: usize = 16;

#[derive(Default)]
struct Counts {
    tools: usize,
    optional: usize,
    unions: usize,
}

impl Counts {
    /// Adds a tool with these numbers of optional properties and unions, or returns the reason why it does not fit.
    fn add(&mut self, optional: usize, unions: usize) -> Result<(), String> {
        let sums = [
            (self.tools + 1, MAX_STRICT_TOOLS, "strict tools"),
            (self.optional + optional, MAX_OPTIONAL, "optional properties of strict tools"),
            (self.unions + unions, MAX_UNIONS, "unions in strict tools"),
        ];
        if let Some((_, max, unit)) = sums.into_iter().find(|(sum, max, _)| sum > max) {
            return Err(format!("a request may have at most {max} {unit}"));
        }
        *self = Counts {
            tools: self.tools + 1,
            optional: self.optional + optional,
            unions: self.unions + unions,
        };
        Ok(())
    }
}

/// The array of these tools, and of tools that are not part of the prompt before a search finds them.
fn tool_array(
    tools: &[&ToolSchema],
    deferred: &[&ToolSchema],
    is_strict: bool,
) -> Result<ToolArray, WireError> {
    let mut not_strict = Vec::new();
    let mut counts = Counts::default();
    let mut definitions = Vec::with_capacity(tools.len() + deferred.len());
    let tools = tools.iter().map(|tool| (tool, false));
    for (tool, defer_loading) in tools.chain(deferred.iter().map(|tool| (tool, true))) {
        let mut definition = Tool {
            name: tool.name(),
            description: tool.description(),
            strict: false,
            defer_loading,
            input_schema: tool.parameters(),
        };
        if is_strict {
            let form = tool.anthropic_strict().map_err(reasons).and_then(|form| {
                counts.add(form.optional, form.unions).map_err(|reason| vec![reason])?;
                Ok(form)
            });
            if let Some(form) = NotStrictTool::strict_form(tool, form, &mut not_strict) {
                (definition.strict, definition.input_schema) = (true, &form.parameters);
            }
        }
        definitions.push(definition);
    }
    ToolArray::new(&definitions, not_strict)
}
