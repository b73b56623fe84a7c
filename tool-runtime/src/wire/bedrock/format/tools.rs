//! Tools of a request, and how the model may call them:
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolConfiguration.html>.

use super::super::definitions::FUNCTIONS;
use super::NAME;
use super::cache::cache_point;
use crate::message::Message;
use crate::schema::ToolSchema;
use crate::tool_choice::ToolChoice;
use crate::wire::body::raw;
use crate::wire::definitions::WrittenTools;
use crate::wire::element::Element;
use crate::wire::tool_arrays::{ToolArray, ToolForm};
use crate::wire::tool_settings::ToolSettings;
use crate::wire::{Body, Cache, RequestParts, WireError, written_name};
use serde_json::json;
use std::borrow::Cow;
use std::collections::BTreeSet;

pub(super) fn write(body: &mut Body, parts: &RequestParts<'_>, cache: Cache) -> Result<(), WireError> {
    let choice = parts.choice(&mut body.report);
    let form = ToolForm { wire: NAME, cache, ..ToolForm::default() };
    let written =
        parts.write_tools(body, choice, Some(form), |tools| tool_array(tools, parts.settings, cache))?;
    let Some((choice, array)) = written else {
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

fn tool_array(tools: &[&ToolSchema], settings: &ToolSettings, cache: Cache) -> Result<ToolArray, WireError> {
    let mut written = WrittenTools::default();
    written.add(tools.iter().copied(), &FUNCTIONS, None);
    let mut definitions = settings.hosted();
    for (tool, definition) in &written.tools {
        let description = Some(definition.description(tool)).filter(|description| !description.is_empty());
        let description = description.map(|description| ("description", description.into()));
        let schema = Element::object([("json", Element::Raw(Cow::Borrowed(definition.parameters(tool))))])?;
        let name = [("name", tool.name().into())].into_iter();
        let spec = Element::object(name.chain(description).chain([("inputSchema", schema)]))?;
        definitions.push(Element::object([("toolSpec", settings.definition(tool, &spec)?)])?);
    }
    if cache.tools && !definitions.is_empty() {
        definitions.push(cache_point(cache));
    }
    let json = raw(&definitions)?;
    Ok(written.into_array(json))
}
