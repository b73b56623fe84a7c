//! Messages: how they are written.

use super::NAME;
use super::block::{text_block, write_part};
use super::ids::Ids;
use crate::message::{AssistantMessage, Content, Message, ReplyItem, ToolCall, ToolMessage};
use crate::wire::reasoning::report_dropped;
use crate::wire::{Report, WireError, written_arguments, written_name};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::borrow::Cow;

/// The messages of a request, and its `system`.
pub(super) struct Written {
    pub(super) system: Vec<Block>,
    pub(super) messages: Vec<WrittenMessage>,
}

type Block = Box<RawValue>;

#[derive(Serialize)]
pub(super) struct WrittenMessage {
    role: &'static str,
    content: Vec<Block>,
}

const USER: &str = "user";
const ASSISTANT: &str = "assistant";
const SYSTEM: &str = "system";

pub(super) fn write(messages: &[Message], report: &mut Report) -> Result<Written, WireError> {
    let mut writer =
        Writer { written: Written { system: Vec::new(), messages: Vec::new() }, ids: Ids::default(), report };
    for (index, message) in messages.iter().enumerate() {
        writer.message(index, message)?;
    }
    Ok(writer.written)
}

struct Writer<'a, 'r> {
    written: Written,
    ids: Ids<'a>,
    report: &'r mut Report,
}

impl<'a> Writer<'a, '_> {
    fn message(&mut self, index: usize, message: &'a Message) -> Result<(), WireError> {
        match message {
            Message::System(input) | Message::Developer(input) => {
                let content = self.content(index, &input.content)?;
                // The API has system messages between others for some models. Only a message that was read from one goes
                // back there.
                if !self.written.messages.is_empty() && input.content.native(NAME).is_some() {
                    self.push(SYSTEM, content);
                } else {
                    self.written.system.extend(content);
                }
            }
            Message::User(input) => {
                let content = self.content(index, &input.content)?;
                self.push(USER, content);
            }
            Message::Assistant(reply) => self.reply(index, reply)?,
            Message::Tool(result) => {
                let block = self.result(index, result)?;
                self.push(USER, vec![block]);
            }
        }
        Ok(())
    }

    /// Adds blocks to the newest message, if it has this role: the API requires the results of a reply and the text of the
    /// user after them in one message. A message without blocks is left out, since the API rejects it.
    fn push(&mut self, role: &'static str, blocks: Vec<Block>) {
        match self.written.messages.last_mut() {
            Some(last) if last.role == role => last.content.extend(blocks),
            _ if blocks.is_empty() => {}
            _ => self.written.messages.push(WrittenMessage { role, content: blocks }),
        }
    }

    fn reply(&mut self, index: usize, reply: &'a AssistantMessage) -> Result<(), WireError> {
        self.ids.start_reply(&reply.tool_calls);
        let mut blocks = Vec::new();
        for item in reply.items(NAME) {
            match item {
                ReplyItem::Native(json, _) if is_blank_text(json) => {}
                ReplyItem::Native(json, call) => blocks.push(self.native(json, call)?),
                ReplyItem::Content(content) => blocks.extend(self.content(index, content)?),
                ReplyItem::Call(call) => blocks.push(self.call(call)?),
            }
        }
        if let (true, Some(refusal)) = (blocks.is_empty(), reply.refusal()) {
            blocks.push(raw(&text_block(refusal))?);
        }
        report_dropped(index, reply, NAME, true, self.report);
        self.push(ASSISTANT, blocks);
        Ok(())
    }

    /// A block that the provider sent, with another id if its id is taken.
    fn native(&self, json: &str, call: Option<&'a ToolCall>) -> Result<Block, WireError> {
        let unchanged = || RawValue::from_string(json.to_owned()).map_err(not_serializable);
        let Some(call) = call else { return unchanged() };
        let id = self.ids.written(&call.id);
        if id == call.id {
            return unchanged();
        }
        let mut block: Value = serde_json::from_str(json).map_err(not_serializable)?;
        block["id"] = Value::from(&*id);
        raw(&block)
    }

    fn call(&self, call: &'a ToolCall) -> Result<Block, WireError> {
        #[derive(Serialize)]
        struct ToolUse<'a> {
            r#type: &'static str,
            id: Cow<'a, str>,
            name: Cow<'a, str>,
            input: Box<RawValue>,
        }
        let input = RawValue::from_string(written_arguments(call).into_owned()).map_err(not_serializable)?;
        raw(&ToolUse { r#type: "tool_use", id: self.ids.written(&call.id), name: written_name(call), input })
    }

    fn result(&mut self, index: usize, result: &'a ToolMessage) -> Result<Block, WireError> {
        #[derive(Serialize)]
        struct ToolResult<'a> {
            r#type: &'static str,
            tool_use_id: Cow<'a, str>,
            #[serde(skip_serializing_if = "Vec::is_empty")]
            content: Vec<Block>,
            #[serde(skip_serializing_if = "std::ops::Not::not")]
            is_error: bool,
            #[serde(flatten)]
            extra: serde_json::Map<String, Value>,
        }
        let extra = result.extra.on_wire(NAME).map(|(field, value)| (field.clone(), value.clone()));
        let written = ToolResult {
            r#type: "tool_result",
            tool_use_id: self.ids.written(&result.tool_call_id),
            content: self.content(index, &result.content)?,
            is_error: result.is_error(),
            extra: extra.collect(),
        };
        raw(&written)
    }

    fn content(&mut self, index: usize, content: &Content) -> Result<Vec<Block>, WireError> {
        if let Some(Value::Array(blocks)) = content.native(NAME) {
            return blocks.iter().map(raw).collect();
        }
        let mut blocks = Vec::new();
        for part in content.to_parts() {
            match write_part(&part) {
                Some(block) => blocks.push(raw(&block)?),
                None if part.as_text().is_some() => {}
                None => self.report.drop_part(index, part.kind()),
            }
        }
        Ok(blocks)
    }
}

/// Whether a block is text of white space, which models send and the API rejects.
fn is_blank_text(json: &str) -> bool {
    #[derive(Deserialize)]
    struct Text<'a> {
        r#type: &'a str,
        #[serde(borrow)]
        text: Cow<'a, str>,
    }
    serde_json::from_str::<Text<'_>>(json)
        .is_ok_and(|block| block.r#type == "text" && block.text.trim().is_empty())
}

fn raw(value: &impl Serialize) -> Result<Block, WireError> {
    to_raw_value(value).map_err(not_serializable)
}

fn not_serializable(source: serde_json::Error) -> WireError {
    WireError::NotSerializable { source }
}
