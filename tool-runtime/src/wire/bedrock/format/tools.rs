//! Tools of a request, and how the model may call them:
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolConfiguration.html>.

use super::super::definitions::FUNCTIONS;
use super::NAME;
use crate::message::Message;
use crate::schema::ToolSchema;
use crate::tool_choice::ToolChoice;
use crate::wire::body::raw;
use crate::wire::definitions::WrittenTools;
use crate::wire::element::Element;
use crate::wire::tool_arrays::{ToolArray, ToolForm};
use crate::wire::{Body, RequestParts, WireError, written_name};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolSpec<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    input_schema: InputSchema<'a>,
}

#[derive(Serialize)]
struct InputSchema<'a> {
    json: &'a RawValue,
}

pub(super) fn write(body: &mut Body, parts: &RequestParts<'_>) -> Result<(), WireError> {
    let choice = parts.choice(&mut body.report);
    let form = ToolForm { wire: NAME, ..ToolForm::default() };
    let Some((choice, array)) = parts.write_tools(body, choice, Some(form), tool_array)? else {
        return write_called_tools(body, parts.messages);
    };
    let tool_choice = match choice {
        ToolChoice::Auto => None,
        ToolChoice::Required => Some(json!({ "any": {} })),
        ToolChoice::Tool(name) => Some(json!({ "tool": { "name": name } })),
        ToolChoice::None => {
            // The API has no way to forbid calls, and requires the tools of earlier calls.
            (body.report.ignored_choice, body.report.has_no_choice) = (Some(choice.clone()), true);
            None
        }
    };
    body.remove("tools");
    let tools = ("tools", Element::Raw(Cow::Borrowed(&array.json)));
    let tool_choice = tool_choice.map(|choice| ("toolChoice", choice.into()));
    body.write("toolConfig", &Element::object([tools].into_iter().chain(tool_choice))?)
}

/// Writes the names of the tools that a history calls, if the request has no tools: "The toolConfig field must be defined when
/// using toolUse and toolResult content blocks." (<https://github.com/langgenius/dify/issues/7328>)
fn write_called_tools(body: &mut Body, messages: &[Message]) -> Result<(), WireError> {
    let replies = messages.iter().filter_map(|message| match message {
        Message::Assistant(reply) => Some(&reply.tool_calls),
        _ => None,
    });
    let names: BTreeSet<_> = replies.flatten().map(written_name).collect();
    if names.is_empty() {
        return Ok(());
    }
    let tools = names
        .iter()
        .map(|name| json!({ "toolSpec": { "name": name, "inputSchema": { "json": { "type": "object" } } } }));
    body.write("toolConfig", &json!({ "tools": tools.collect::<Vec<_>>() }))
}

fn tool_array(tools: &[&ToolSchema]) -> Result<ToolArray, WireError> {
    let mut written = WrittenTools::default();
    written.add(tools.iter().copied(), &FUNCTIONS, None);
    let definitions = written.tools.iter().map(|(tool, definition)| {
        let (name, description) = (tool.name(), definition.description(tool));
        let input_schema = InputSchema { json: definition.parameters(tool) };
        BTreeMap::from([("toolSpec", ToolSpec { name, description, input_schema })])
    });
    let json = raw(&definitions.collect::<Vec<_>>())?;
    Ok(written.into_array(json))
}
