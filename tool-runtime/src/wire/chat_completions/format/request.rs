//! Requests: how they are written, and how their messages are read.

use super::tool::Definition;
use super::write::write as write_messages;
use super::{ChatCompletions, NAME};
use crate::message::Message;
use crate::schema::ToolSchema;
use crate::tool_choice::ToolChoice;
use crate::wire::body::raw;
use crate::wire::chat_completions::FUNCTIONS;
use crate::wire::definitions::WrittenTools;
use crate::wire::error::beginning;
use crate::wire::expected::Expected;
use crate::wire::report::reasons;
use crate::wire::response_format::JsonSchema;
use crate::wire::tool_arrays::{ToolArray, ToolForm};
use crate::wire::{Body, NotStrictTool, RequestParts, Wire as _, WireError};
use serde::Serialize;
use serde_json::{Value, json};

pub(super) fn write(wire: &ChatCompletions, parts: &RequestParts<'_>) -> Result<Body, WireError> {
    let mut body = Body::new();
    let messages = write_messages(parts.messages, wire.keep_reasoning, wire.id_rules(), &mut body.report);
    body.write("messages", &messages)?;
    if parts.stream_usage && wire.stream_usage {
        body.write("stream_options", &json!({ "include_usage": true }))?;
    }
    let parts = &parts.with_settings(&wire.tools);
    let choice = parts.choice(&mut body.report);
    if let Some(answer) = parts.answer_schema {
        let json_schema = JsonSchema::openai(answer, &mut body.report);
        body.write("response_format", &ResponseFormatField { r#type: "json_schema", json_schema })?;
    }
    let sent = if wire.native_allowed_tools { parts.with_all_tools_allowed() } else { *parts };
    let form =
        ToolForm { wire: NAME, is_strict: wire.strict, max_tools: wire.max_tools, ..ToolForm::default() };
    let written = sent.write_tools(&mut body, choice, Some(form), |tools| tool_array(tools, wire))?;
    let Some((choice, array)) = written else { return Ok(body) };
    if let Some(names) = parts.allowed_names().filter(|_| wire.native_allowed_tools) {
        let is_sent =
            |name: &str| parts.tools.iter().any(|tool| tool.name() == name) && !array.leaves_out(name);
        body.write("tool_choice", &allowed_tools(choice, names.filter(|name| is_sent(name))))?;
    } else if *choice != ToolChoice::Auto {
        body.write("tool_choice", choice)?;
    }
    if !parts.parallel_calls {
        body.write("parallel_tool_calls", &false)?;
    }
    Ok(body)
}

/// <https://platform.openai.com/docs/api-reference/chat/create#chat-create-response_format>
#[derive(Serialize)]
struct ResponseFormatField<'a> {
    r#type: &'static str,
    json_schema: JsonSchema<'a>,
}

fn tool_array(tools: &[&ToolSchema], wire: &ChatCompletions) -> Result<ToolArray, WireError> {
    let mut written = WrittenTools::default();
    written.add(tools.iter().copied(), &FUNCTIONS, wire.max_tools);
    let mut definitions = wire.tools.hosted();
    for (tool, definition) in &written.tools {
        // A request may have both kinds of tools.
        let form = wire.strict.then(|| tool.openai_strict().map_err(reasons));
        let form = form.and_then(|form| NotStrictTool::strict_form(tool, form, &mut written.not_strict));
        definitions.push(match form {
            Some(form) => wire.tools.definition(tool, &Definition::new((tool, definition), Some(form)))?,
            // It is cached.
            None => wire.tools.definition(tool, tool)?,
        });
    }
    let json = raw(&definitions)?;
    Ok(written.into_array(json))
}

/// <https://platform.openai.com/docs/guides/function-calling#allowed-tools>
///
/// The names must be those of tools in the request: a deferred tool, or an unknown one, is not.
fn allowed_tools<'a>(choice: &ToolChoice, names: impl Iterator<Item = &'a str>) -> Value {
    let mode = match choice {
        ToolChoice::Required => "required",
        ToolChoice::Auto => "auto",
        ToolChoice::None | ToolChoice::Tool(_) => return json!(choice),
    };
    let tools: Vec<Value> =
        names.map(|name| json!({ "type": "function", "function": { "name": name } })).collect();
    json!({ "type": "allowed_tools", "allowed_tools": { "mode": mode, "tools": tools } })
}

/// Reads the messages of a request: an array, or the `messages` of an object.
pub(super) fn read_messages(body: &str) -> Result<Vec<Message>, WireError> {
    const REQUEST: Expected = Expected::request(NAME, "the messages of a request of Chat Completions");
    let value: Value = serde_json::from_str(body).map_err(|source| WireError::not_json(body, source))?;
    let messages = match value {
        Value::Object(mut fields) => fields.get_mut("messages").map(Value::take),
        list => Some(list),
    };
    let Some(messages) = messages else {
        return Err(REQUEST.unexpected(format_args!("there is no field `messages` in {}", beginning(body))));
    };
    serde_json::from_value(messages).map_err(|error| REQUEST.unexpected(error))
}
