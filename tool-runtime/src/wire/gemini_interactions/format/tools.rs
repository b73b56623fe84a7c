//! Tools of a request, and how the model may call them: <https://ai.google.dev/api/interactions-api#Resource:Tool>.

use super::super::definitions::FUNCTIONS;
use super::{MAX_TOOLS, NAME, names};
use crate::schema::ToolSchema;
use crate::tool_choice::ToolChoice;
use crate::wire::body::raw;
use crate::wire::definitions::WrittenTools;
use crate::wire::tool_arrays::{ToolArray, ToolForm};
use crate::wire::tool_settings::ToolSettings;
use crate::wire::{Body, RequestParts, WireError};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Serialize)]
struct Function<'a> {
    r#type: &'static str,
    name: Cow<'a, str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    parameters: &'a RawValue,
}

pub(super) fn write(body: &mut Body, parts: &RequestParts<'_>, is_strict: bool) -> Result<(), WireError> {
    let choice = parts.choice(&mut body.report);
    let form = ToolForm { wire: NAME, ..ToolForm::default() };
    let Some((choice, _)) =
        parts.write_tools(body, choice, Some(form), |tools| tool_array(tools, parts.settings))?
    else {
        return Ok(());
    };
    let choice = match choice {
        ToolChoice::Auto if !is_strict => return Ok(()),
        ToolChoice::Auto => json!("validated"),
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("any"),
        ToolChoice::Tool(name) => {
            json!({ "allowed_tools": { "mode": "any", "tools": [names::written(name)] } })
        }
    };
    body.write_shared("generation_config", &json!({ "tool_choice": choice }))
}

fn tool_array(tools: &[&ToolSchema], settings: &ToolSettings) -> Result<ToolArray, WireError> {
    let mut written = WrittenTools::default();
    written.add(tools.iter().copied(), &FUNCTIONS, Some(MAX_TOOLS));
    let mut definitions = settings.hosted();
    for (tool, definition) in &written.tools {
        let function = Function {
            r#type: "function",
            name: names::written(tool.name()),
            description: definition.description(tool),
            parameters: definition.parameters(tool),
        };
        definitions.push(settings.definition(tool, &function)?);
    }
    let json = raw(&definitions)?;
    Ok(written.into_array(json))
}
