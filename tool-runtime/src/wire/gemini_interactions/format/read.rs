//! Histories: how the input of an interaction is read.

use super::content::read_content;
use super::step::read_steps;
use super::{NAME, names};
use crate::json::remove_entry;
use crate::message::{Content, Extra, InputMessage, Message, Origin, ToolMessage};
use crate::wire::WireError;
use crate::wire::expected::{Expected, is_list};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

const REQUEST: Expected = Expected::request(NAME, "the input of a request of Gemini's Interactions API");

#[derive(Deserialize)]
struct Request<'a> {
    system_instruction: Option<String>,
    #[serde(borrow)]
    input: &'a RawValue,
}

#[derive(Deserialize)]
struct Head {
    r#type: String,
}

/// Reads the body of a request, or its `input`: a text, a content, a list of contents, or a list of steps.
pub(super) fn messages(body: &str) -> Result<Vec<Message>, WireError> {
    let mut messages = Vec::new();
    let mut input = body;
    if !is_list(body) {
        let request: Request<'_> = REQUEST.read(body)?;
        messages.extend(request.system_instruction.map(Message::system));
        input = request.input.get();
    }
    let steps = if is_list(input) { REQUEST.read_input(body, input)? } else { Vec::new() };
    let heads = steps.iter().map(|step: &&RawValue| REQUEST.read_part(step.get()));
    let kinds: Vec<String> =
        heads.map(|head| head.map(|Head { r#type }| r#type)).collect::<Result<_, _>>()?;
    let is_content = |kind: &String| matches!(&**kind, "text" | "image" | "document" | "audio" | "video");
    if kinds.iter().all(is_content) {
        let content = content(REQUEST.read_part(input)?)?;
        messages.push(Message::User(InputMessage::new(content)));
        return Ok(messages);
    }
    let mut reply = Vec::new();
    for (step, kind) in steps.into_iter().zip(kinds) {
        match &*kind {
            "user_input" => {
                end_reply(&mut reply, &mut messages)?;
                let mut fields: Map<String, Value> = REQUEST.read_part(step.get())?;
                let content = content(remove_entry(&mut fields, "content").unwrap_or_default())?;
                messages.push(Message::User(InputMessage::new(content)));
            }
            "function_result" => {
                end_reply(&mut reply, &mut messages)?;
                messages.push(read_result(REQUEST.read_part(step.get())?)?.into());
            }
            _ => reply.push(step),
        }
    }
    end_reply(&mut reply, &mut messages)?;
    Ok(messages)
}

fn content(value: Value) -> Result<Content, WireError> {
    read_content(value).ok_or_else(|| REQUEST.unexpected("a content that is a number or a boolean"))
}

/// Adds the reply with these steps, if there are any.
fn end_reply(steps: &mut Vec<&RawValue>, messages: &mut Vec<Message>) -> Result<(), WireError> {
    if !steps.is_empty() {
        let mut reply = read_steps(&std::mem::take(steps)).map_err(|error| REQUEST.unexpected(error))?;
        reply.origin = Some(Origin::new(NAME));
        messages.push(reply.into());
    }
    Ok(())
}

fn read_result(mut fields: Map<String, Value>) -> Result<ToolMessage, WireError> {
    let is_error = fields.get("is_error").is_some_and(|is_error| *is_error == true);
    let taken = ["call_id", "name", "result", "type"].map(|field| remove_entry(&mut fields, field));
    let [Some(Value::String(id)), name, result, _] = taken else {
        return Err(REQUEST.unexpected("a `function_result` without `call_id`"));
    };
    let content = match result.unwrap_or_default() {
        object @ Value::Object(_) => Content::from_json_text(object.to_string()),
        result => content(result)?,
    };
    let name = name.unwrap_or_default();
    let tool = names::read(name.as_str().unwrap_or_default()).to_owned();
    if is_error {
        remove_entry(&mut fields, "is_error");
    }
    Ok(ToolMessage::read(id, tool, content, is_error, Extra::new(NAME, fields)))
}
