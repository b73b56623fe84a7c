//! The input of a request: how messages are written.

use super::item::is_custom;
use super::part::{text_part, write_content};
use super::{NAME, Responses};
use crate::message::{
    AssistantMessage, Completeness, Content, ERROR, InputMessage, Message, ReplyItem, ToolCall, ToolMessage,
};
use crate::wire::body::{raw, raw_from, raw_with};
use crate::wire::ids::Ids;
use crate::wire::reasoning::{Kept, report_dropped};
use crate::wire::{Report, Wire as _, WireError, written_arguments, written_name};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::HashSet;

/// The messages of a request.
pub(super) struct Written<'a> {
    pub(super) instructions: Option<&'a str>,
    pub(super) items: Vec<Box<RawValue>>,
    /// The id of the response that the items follow.
    pub(super) previous_response: Option<&'a str>,
}

pub(super) fn write<'a>(
    wire: &Responses,
    messages: &'a [Message],
    report: &mut Report,
) -> Result<Written<'a>, WireError> {
    let instructions = instructions(messages);
    let mut first = usize::from(instructions.is_some());
    let mut previous_response = None;
    if wire.previous_response && wire.store {
        let mut newest = messages.iter().enumerate().rev();
        if let Some((index, id)) = newest.find_map(|(index, message)| Some((index, response_id(message)?))) {
            (first, previous_response) = (index + 1, Some(id));
        }
    }
    let mut writer = Writer {
        wire,
        items: Vec::new(),
        ids: Ids::new(wire.id_rules()),
        text_calls: HashSet::new(),
        report,
    };
    for message in messages.iter().take(first) {
        if let Message::Assistant(reply) = message {
            // The results of the newest one follow, although the request does not contain it.
            writer.start_reply(reply);
        }
    }
    // The server has the ids that it sent.
    writer.ids.keep_ids();
    for (index, message) in messages.iter().enumerate().skip(first) {
        writer.message(index, message)?;
    }
    Ok(Written { instructions, items: writer.items, previous_response })
}

/// The text of a system message at the start, unless it was read from an item.
fn instructions(messages: &[Message]) -> Option<&str> {
    match messages.first()? {
        Message::System(input) if is_plain(input) => Some(input.text()),
        _ => None,
    }
}

fn is_plain(input: &InputMessage) -> bool {
    input.content.without_tool_references().parts().is_none() && input.extra.on_wire(NAME).next().is_none()
}

fn response_id(message: &Message) -> Option<&str> {
    let Message::Assistant(reply) = message else { return None };
    // The server may have more of a response than an interrupted stream.
    let is_whole = reply.completeness != Completeness::Unconfirmed;
    let origin = reply.origin.as_ref().filter(|origin| is_whole && origin.wire == NAME)?;
    origin.response_id.as_deref()
}

struct Writer<'a, 'r> {
    wire: &'r Responses,
    items: Vec<Box<RawValue>>,
    ids: Ids<'a>,
    /// The ids of the calls of the newest reply whose arguments are text.
    text_calls: HashSet<&'a str>,
    report: &'r mut Report,
}

impl<'a> Writer<'a, '_> {
    fn message(&mut self, index: usize, message: &'a Message) -> Result<(), WireError> {
        match message {
            Message::System(input) => self.input(index, "system", input),
            Message::Developer(input) => self.input(index, "developer", input),
            Message::User(input) => self.input(index, "user", input),
            Message::Assistant(reply) => self.reply(index, reply),
            Message::Tool(result) => self.result(index, result),
        }
    }

    fn push(&mut self, item: &impl Serialize) -> Result<(), WireError> {
        self.items.push(raw(item)?);
        Ok(())
    }

    fn content(&mut self, index: usize, content: &Content) -> Value {
        write_content(content, |part| self.report.drop_content_part(index, part))
    }

    fn input(&mut self, index: usize, role: &str, input: &InputMessage) -> Result<(), WireError> {
        let mut item = json!({ "role": role, "content": self.content(index, &input.content) });
        for (field, value) in input.extra.on_wire(NAME) {
            item[field] = value.clone();
        }
        self.push(&item)
    }

    fn start_reply(&mut self, reply: &'a AssistantMessage) {
        self.ids.start_reply(&reply.tool_calls);
        self.text_calls.clear();
        for item in reply.items(NAME) {
            let text_call = match item {
                ReplyItem::Native(json, Some(call)) => {
                    (ItemHead::read(json).r#type == "custom_tool_call").then_some(call)
                }
                ReplyItem::Call(call) => self.text_of(call).map(|_| call),
                _ => None,
            };
            self.text_calls.extend(text_call.map(|call| &*call.id));
        }
    }

    /// Reasoning goes back with the item after it. If that item is written anew, neither the reasoning nor the ids of the
    /// items after it go back, since the API rejects one without the other ("Item 'rs_..' of type 'reasoning' was
    /// provided without its required following item", and the reverse for a call with its id).
    fn reply(&mut self, index: usize, reply: &'a AssistantMessage) -> Result<(), WireError> {
        self.start_reply(reply);
        let first = self.items.len();
        let mut reasoning: Vec<&str> = Vec::new();
        // The server may not store the items of a response whose stream was interrupted.
        let mut has_ids = self.wire.store && reply.completeness != Completeness::Unconfirmed;
        for item in reply.items(NAME) {
            match item {
                ReplyItem::Native(json, call) => {
                    let head = ItemHead::read(json);
                    if head.r#type == "reasoning" {
                        reasoning.push(json);
                        continue;
                    }
                    for json in reasoning.drain(..) {
                        // The server finds it by its id, or reads it from its encrypted content.
                        if has_ids || ItemHead::read(json).encrypted_content.is_some() {
                            self.items.push(native(json, None, has_ids)?);
                        } else {
                            self.report.drop_part(index, "reasoning");
                        }
                    }
                    let id = call.map(|call| self.ids.written(&call.id));
                    self.items.push(native(json, id.as_deref(), has_ids)?);
                    continue;
                }
                ReplyItem::Content(content) => self.text(index, content)?,
                ReplyItem::Call(call) => self.call(call)?,
            }
            has_ids &= reasoning.is_empty();
            reasoning.drain(..).for_each(|_| self.report.drop_part(index, "reasoning"));
        }
        for _ in reasoning {
            self.report.drop_part(index, "reasoning");
        }
        if let Some(refusal) = reply.refusal().filter(|_| self.items.len() == first) {
            self.push(&json!({ "role": "assistant", "content": refusal }))?;
        }
        report_dropped(index, reply, NAME, Kept::Own, self.report);
        Ok(())
    }

    fn text(&mut self, index: usize, content: &Content) -> Result<(), WireError> {
        for part in content.parts().unwrap_or_default().iter().filter(|part| part.as_text().is_none()) {
            self.report.drop_content_part(index, part);
        }
        if content.as_str().is_empty() {
            return Ok(());
        }
        self.push(&json!({ "role": "assistant", "content": content.as_str() }))
    }

    /// The text of a call of a custom tool.
    fn text_of(&self, call: &'a ToolCall) -> Option<Cow<'a, str>> {
        if is_custom(call) {
            return Some(Cow::Borrowed(&call.arguments));
        }
        self.wire.custom_tools.text(&call.name, &call.arguments).map(Cow::Owned)
    }

    fn call(&mut self, call: &'a ToolCall) -> Result<(), WireError> {
        let id = self.ids.written(&call.id);
        let name = written_name(call);
        let item = if let Some(input) = self.text_of(call) {
            json!({ "type": "custom_tool_call", "call_id": id, "name": name, "input": input })
        } else {
            let arguments = written_arguments(call);
            json!({ "type": "function_call", "call_id": id, "name": name, "arguments": arguments })
        };
        self.push(&item)
    }

    fn result(&mut self, index: usize, result: &'a ToolMessage) -> Result<(), WireError> {
        let is_text = self.text_calls.contains(&*result.tool_call_id);
        let kind = if is_text { "custom_tool_call_output" } else { "function_call_output" };
        let mut output = self.content(index, &result.content);
        if result.is_error() && !result.text().starts_with(ERROR) {
            output = match output {
                Value::Array(parts) => std::iter::once(text_part(ERROR)).chain(parts).collect(),
                text => [ERROR, text.as_str().unwrap_or_default()].concat().into(),
            };
        }
        let mut item = Map::new();
        item.insert("type".to_owned(), kind.into());
        item.insert("call_id".to_owned(), self.ids.written(&result.tool_call_id).into());
        item.insert("output".to_owned(), output);
        item.extend(result.extra.to_map(NAME));
        self.push(&item)
    }
}

/// The fields of an item that decide how it goes back.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ItemHead<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    call_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    encrypted_content: Option<Cow<'a, str>>,
}

impl ItemHead<'_> {
    fn read(json: &str) -> ItemHead<'_> {
        serde_json::from_str(json).unwrap_or_default()
    }
}

/// An item of the provider, with this id of its call, and with or without its own id.
fn native(json: &str, call_id: Option<&str>, has_id: bool) -> Result<Box<RawValue>, WireError> {
    let head = ItemHead::read(json);
    let is_same_call = call_id.is_none() || head.call_id.as_deref() == call_id;
    if is_same_call && (has_id || head.id.is_none()) {
        return raw_from(json.to_owned());
    }
    let mut fields = Vec::new();
    if !has_id {
        fields.push(("id", None));
    }
    if call_id.is_some() {
        fields.push(("call_id", call_id));
    }
    raw_with(json, &fields)
}
