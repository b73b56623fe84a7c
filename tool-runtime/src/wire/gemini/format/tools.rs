//! Tools of a request, and how the model may call them: <https://ai.google.dev/api/caching#Tool>.

use super::{NAME, names};
use crate::schema::ToolSchema;
use crate::schema::references::separate_references;
use crate::tool_choice::ToolChoice;
use crate::wire::tool_arrays::{SearchForm, ToolArray, ToolForm};
use crate::wire::{Body, Report, RequestParts, WireError};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::sync::Arc;

/// The entry of the array `tools`: all functions together.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tools<'a> {
    function_declarations: Vec<Declaration<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Declaration<'a> {
    name: Cow<'a, str>,
    // Required by the API, and accepted if it is empty.
    description: &'a str,
    parameters_json_schema: Cow<'a, RawValue>,
}

pub(super) fn write(
    body: &mut Body,
    parts: &RequestParts<'_>,
    is_strict: bool,
    report: &mut Report,
) -> Result<(), WireError> {
    let choice = parts.choice(report);
    if !parts.has_allowed_tools() {
        return Ok(());
    }
    let form = ToolForm { wire: NAME, is_strict: false, search: SearchForm::Tools };
    let has_all_tools = parts.allowed_tools.is_none();
    let array = parts.tool_array(has_all_tools, form, tool_array)?;
    body.set("tools", Arc::clone(&array.json));
    let calling = match choice {
        ToolChoice::Auto if !is_strict => return Ok(()),
        ToolChoice::Auto => json!({ "mode": "VALIDATED" }),
        ToolChoice::None => json!({ "mode": "NONE" }),
        ToolChoice::Required => json!({ "mode": "ANY" }),
        ToolChoice::Tool(name) => json!({ "mode": "ANY", "allowedFunctionNames": [names::written(name)] }),
    };
    body.write("toolConfig", &json!({ "functionCallingConfig": calling }))
}

fn tool_array(tools: &[&ToolSchema]) -> Result<ToolArray, WireError> {
    let declarations = tools.iter().map(|tool| Declaration {
        name: names::written(tool.name()),
        description: tool.description(),
        parameters_json_schema: separate_references(tool.parameters()),
    });
    ToolArray::new(&[Tools { function_declarations: declarations.collect() }], Vec::new())
}
