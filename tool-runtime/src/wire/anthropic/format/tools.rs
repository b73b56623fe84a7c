//! Tools of a request, and how the model may call them.

use super::cache::mark;
use super::client_tools::provider_name;
use super::{Anthropic, FUNCTIONS, NAME};
use crate::schema::ToolSchema;
use crate::tool_choice::ToolChoice;
use crate::tool_name::CALL_TOOL;
use crate::wire::body::raw;
use crate::wire::definitions::WrittenTools;
use crate::wire::element::Element;
use crate::wire::native_search::choice_without;
use crate::wire::report::reasons;
use crate::wire::tool_additions::ToolAdditions;
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
    wire: &Anthropic,
    has_native_search: bool,
    additions: &ToolAdditions<'_>,
) -> Result<(), WireError> {
    let choice = parts.choice(&mut body.report);
    let form = ToolForm {
        wire: NAME,
        is_strict: wire.strict,
        has_native_search,
        cache: wire.cache,
        ..ToolForm::default()
    };
    let form = Some(form).filter(|_| additions.is_empty());
    let written = parts.write_tools(body, choice, form, |tools| {
        let tools = tools.iter().filter(|tool| !additions.contains(tool.name()));
        // The API accepts earlier calls of a tool that the request does not have.
        let loaded = tools.filter(|tool| !(has_native_search && tool.name() == CALL_TOOL));
        let deferred = parts.allowed_deferred().filter(|_| has_native_search);
        tool_array(loaded.copied(), deferred, wire)
    })?;
    let Some((mut choice, _)) = written else { return Ok(()) };
    if has_native_search {
        choice = choice_without(choice, &[CALL_TOOL], &mut body.report);
    }
    let mut written = match choice {
        ToolChoice::Auto if parts.parallel_calls => return Ok(()),
        ToolChoice::Auto => json!({ "type": "auto" }),
        ToolChoice::None => json!({ "type": "none" }),
        ToolChoice::Required => json!({ "type": "any" }),
        ToolChoice::Tool(name) => json!({ "type": "tool", "name": provider_name(&wire.tools, name) }),
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

/// The definition of a tool in a message.
pub(super) fn inline_definition(tool: &ToolSchema, wire: &Anthropic) -> Result<Element<'static>, WireError> {
    let written = tool.written(FUNCTIONS.wire, FUNCTIONS.rules);
    let definition = Tool {
        name: tool.name(),
        description: written.description(tool),
        strict: false,
        defer_loading: false,
        input_schema: written.parameters(tool),
    };
    wire.tools.definition(tool, &definition)
}

/// The array of these tools. A deferred tool is not part of the prompt before a search finds it.
fn tool_array<'a>(
    loaded: impl Iterator<Item = &'a ToolSchema>,
    deferred: impl Iterator<Item = &'a ToolSchema>,
    wire: &Anthropic,
) -> Result<ToolArray, WireError> {
    let mut written = WrittenTools::default();
    written.add(loaded, &FUNCTIONS, None);
    let loaded_count = written.tools.len();
    written.add(deferred, &FUNCTIONS, None);
    let mut counts = [0; 3];
    let mut definitions = wire.tools.hosted();
    for (index, (tool, definition)) in written.tools.iter().enumerate() {
        let mut form = None;
        if wire.strict && wire.tools.client_definition(tool.name()).is_none() {
            let strict = tool.anthropic_strict().map_err(reasons).and_then(|form| {
                add(&mut counts, [1, form.optional, form.unions]).map_err(|reason| vec![reason])?;
                Ok(form)
            });
            form = NotStrictTool::strict_form(tool, strict, &mut written.not_strict);
        }
        let written = Tool {
            name: tool.name(),
            description: definition.description(tool),
            strict: form.is_some(),
            defer_loading: index >= loaded_count,
            input_schema: form.map_or(definition.parameters(tool), |form| &form.parameters),
        };
        definitions.push(wire.tools.definition(tool, &written)?);
    }
    // The API rejects a breakpoint in a deferred tool.
    let last = definitions.iter_mut().rfind(|definition| !definition.has("defer_loading"));
    if let (true, Some(last)) = (wire.cache.tools, last) {
        mark(last, wire.cache)?;
    }
    let json = raw(&definitions)?;
    Ok(written.into_array(json))
}
