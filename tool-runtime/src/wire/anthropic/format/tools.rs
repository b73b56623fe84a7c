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
use std::borrow::Cow;

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    strict: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    defer_loading: bool,
    input_schema: Cow<'a, RawValue>,
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
    let form = ToolForm { is_strict, has_native_search, ..ToolForm::new(NAME) };
    parts.write_tools(body, Some(form), |tools| {
        // The API accepts earlier calls of a tool that the request does not have.
        let loaded = tools.iter().filter(|tool| !(has_native_search && tool.name() == CALL_TOOL));
        let deferred = parts.allowed_deferred().filter(|_| has_native_search);
        tool_array(loaded.map(|tool| (*tool, false)).chain(deferred.map(|tool| (tool, true))), is_strict)
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
const LIMITS: [(usize, &str); 3] =
    [(20, "strict tools"), (24, "optional properties of strict tools"), (16, "unions in strict tools")];

/// Adds the counts of a tool to those of the request, or returns the reason why it does not fit.
fn add(counts: &mut [usize; 3], mut sums: [usize; 3]) -> Result<(), String> {
    for ((sum, count), (max, unit)) in sums.iter_mut().zip(&*counts).zip(LIMITS) {
        *sum += count;
        if *sum > max {
            return Err(format!("a request may have at most {max} {unit}"));
        }
    }
    *counts = sums;
    Ok(())
}

/// The array of these tools. A tool with a `true` is not part of the prompt before a search finds it.
fn tool_array<'a>(
    tools: impl Iterator<Item = (&'a ToolSchema, bool)>,
    is_strict: bool,
) -> Result<ToolArray, WireError> {
    let mut not_strict = Vec::new();
    let mut counts = [0; 3];
    let mut definitions = Vec::new();
    for (tool, defer_loading) in tools {
        let mut form = None;
        if is_strict {
            let strict = tool.anthropic_strict().map_err(reasons).and_then(|form| {
                add(&mut counts, [1, form.optional, form.unions]).map_err(|reason| vec![reason])?;
                Ok(form)
            });
            form = NotStrictTool::strict_form(tool, strict, &mut not_strict);
        }
        definitions.push(Tool {
            name: tool.name(),
            description: tool.description(),
            strict: form.is_some(),
            defer_loading,
            input_schema: with_written_keys(tool, form.map_or(tool.parameters(), |form| &form.parameters)),
        });
    }
    ToolArray::new(&definitions, not_strict)
}

/// The parameters of a tool with written names in place of the keys that the API rejects.
fn with_written_keys<'a>(tool: &ToolSchema, parameters: &'a RawValue) -> Cow<'a, RawValue> {
    let keys = tool.forms().property_keys();
    let written = keys.and_then(|keys| keys.write_parameters(parameters));
    written.map_or(Cow::Borrowed(parameters), Cow::Owned)
}
