//! Tools of a request, and how the model may call them: <https://ai.google.dev/api/caching#Tool>.

use super::{NAME, names};
use crate::schema::ToolSchema;
use crate::schema::references::separate_references;
use crate::tool_choice::ToolChoice;
use crate::wire::tool_arrays::{ToolArray, ToolForm};
use crate::wire::{Body, RequestParts, WireError};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Declaration<'a> {
    name: Cow<'a, str>,
    // Required by the API, and accepted if it is empty.
    description: &'a str,
    parameters_json_schema: Cow<'a, RawValue>,
}

pub(super) fn write(body: &mut Body, parts: &RequestParts<'_>, is_strict: bool) -> Result<(), WireError> {
    let choice = parts.choice(&mut body.report);
    if !parts.has_allowed_tools() {
        return Ok(());
    }
    let form = ToolForm::new(NAME);
    parts.write_tools(body, Some(form), tool_array)?;
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
    // One entry has all functions.
    let entry = BTreeMap::from([("functionDeclarations", declarations.collect::<Vec<_>>())]);
    ToolArray::new(&[entry], Vec::new())
}
