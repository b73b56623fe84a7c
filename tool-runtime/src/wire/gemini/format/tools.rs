//! Tools of a request, and how the model may call them: <https://ai.google.dev/api/caching#Tool>.

use super::{FUNCTIONS, MAX_TOOLS, NAME, names};
use crate::schema::ToolSchema;
use crate::tool_choice::ToolChoice;
use crate::wire::body::raw;
use crate::wire::definitions::WrittenTools;
use crate::wire::element::Element;
use crate::wire::tool_arrays::{ToolArray, ToolForm};
use crate::wire::tool_settings::ToolSettings;
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
    parameters_json_schema: &'a RawValue,
}

pub(super) fn write(body: &mut Body, parts: &RequestParts<'_>, is_strict: bool) -> Result<(), WireError> {
    let choice = parts.choice(&mut body.report);
    let form = ToolForm { wire: NAME, ..ToolForm::default() };
    let Some((choice, _)) =
        parts.write_tools(body, choice, Some(form), |tools| tool_array(tools, parts.settings))?
    else {
        return Ok(());
    };
    let calling = match choice {
        ToolChoice::Auto if !is_strict => return Ok(()),
        ToolChoice::Auto => json!({ "mode": "VALIDATED" }),
        ToolChoice::None => json!({ "mode": "NONE" }),
        ToolChoice::Required => json!({ "mode": "ANY" }),
        ToolChoice::Tool(name) => json!({ "mode": "ANY", "allowedFunctionNames": [names::written(name)] }),
    };
    body.write_shared("toolConfig", &json!({ "functionCallingConfig": calling }))
}

fn tool_array(tools: &[&ToolSchema], settings: &ToolSettings) -> Result<ToolArray, WireError> {
    let mut written = WrittenTools::default();
    written.add(tools.iter().copied(), &FUNCTIONS, Some(MAX_TOOLS));
    let declarations = written.tools.iter().map(|(tool, definition)| {
        let declaration = Declaration {
            name: names::written(tool.name()),
            description: definition.description(tool),
            parameters_json_schema: definition.parameters(tool),
        };
        settings.definition(tool, &declaration)
    });
    let declarations = declarations.collect::<Result<Vec<_>, _>>()?;
    let mut entries = settings.hosted();
    if !declarations.is_empty() {
        // One entry has all functions.
        entries.push(Element::new(&BTreeMap::from([("functionDeclarations", declarations)]))?);
    }
    let json = raw(&entries)?;
    Ok(written.into_array(json))
}
