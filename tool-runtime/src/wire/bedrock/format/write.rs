//! Messages: how they are written.

use super::cache::add_cache_points;
use super::part::{text_block, write_part};
use super::{ID_RULES, NAME};
use crate::message::{AssistantMessage, Content, ERROR, Message, ReplyItem, ToolCall, ToolMessage};
use crate::wire::content_parts::write_parts;
use crate::wire::element::{Element, items_with_heads};
use crate::wire::ids::Ids;
use crate::wire::reasoning::{Kept, report_dropped};
use crate::wire::rejected_keys::RejectedKeys;
use crate::wire::report::MOVED_TO_START;
use crate::wire::role_messages::{ASSISTANT, RoleMessages, USER};
use crate::wire::{Body, Cache, Report, RequestParts, WireError, written_name};
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::HashMap;

/// Writes the messages.
pub(super) fn write(body: &mut Body, parts: &RequestParts<'_>, cache: Cache) -> Result<(), WireError> {
    let mut writer = Writer {
        system: Vec::new(),
        messages: RoleMessages::default(),
        ids: Ids::new(ID_RULES),
        keys: RejectedKeys::new(parts),
        documents: HashMap::new(),
        report: &mut body.report,
    };
    for (index, message) in parts.messages.iter().enumerate() {
        writer.message(index, message)?;
    }
    if let (true, Some(last)) = (writer.messages.is_empty(), parts.messages.len().checked_sub(1)) {
        writer.messages.start(last, text_block("."), writer.report);
    }
    let Writer { mut system, mut messages, .. } = writer;
    add_cache_points(&mut system, &mut messages, cache, parts.has_tools());
    messages.write(&system, body)
}

struct Writer<'a, 'r> {
    system: Vec<Element<'a>>,
    messages: RoleMessages<'a>,
    ids: Ids<'a>,
    keys: RejectedKeys<'a>,
    /// The names of the documents so far, each with the newest number after it.
    documents: HashMap<String, u32>,
    report: &'r mut Report,
}

impl<'a> Writer<'a, '_> {
    fn message(&mut self, index: usize, message: &'a Message) -> Result<(), WireError> {
        match message {
            Message::System(input) | Message::Developer(input) => {
                let blocks = self.blocks(index, &input.content, &["text", "cachePoint", "guardContent"]);
                self.system.extend(blocks);
                if !self.messages.is_empty() {
                    self.report.change(index, MOVED_TO_START);
                }
            }
            Message::User(input) => {
                let mut blocks = self.blocks(index, &input.content, &[]);
                let has = |kind: &str| blocks.iter().any(|block| has_field(block, kind));
                if has("document") && !has("text") {
                    // "A text block must be included when using documents."
                    // (https://github.com/archestra-ai/archestra/pull/4220)
                    blocks.push(text_block(".").into());
                    self.report.change(index, "a text is after the documents, which the API requires");
                }
                self.push(index, USER, blocks);
            }
            Message::Assistant(reply) => self.reply(index, reply)?,
            Message::Tool(result) => {
                let block = self.result(index, result);
                self.push(index, USER, vec![block]);
            }
        }
        Ok(())
    }

    /// Adds blocks. A conversation that starts with a reply gets a text of the user before it: "A conversation must start with a
    /// user message."
    fn push(&mut self, index: usize, role: &'static str, blocks: Vec<Element<'a>>) {
        if self.messages.is_empty() && role == ASSISTANT && !blocks.is_empty() {
            self.messages.start(index, text_block("."), self.report);
        }
        self.messages.push(role, blocks);
    }

    fn reply(&mut self, index: usize, reply: &'a AssistantMessage) -> Result<(), WireError> {
        self.ids.start_reply(&reply.tool_calls);
        let mut blocks = Vec::new();
        // The number of blocks without the reasoning at the end.
        let mut end = 0;
        for (item, head) in items_with_heads::<ItemHead<'_>>(reply, NAME) {
            let start = blocks.len();
            match item {
                ReplyItem::Native(_, Some(call))
                    if head.tool_use["toolUseId"] != *self.ids.written(&call.id) =>
                {
                    blocks.push(self.call(call)?);
                }
                ReplyItem::Native(..) if head.is_blank_text() => {}
                ReplyItem::Native(..) if head.is_unsigned() => self.report.drop_part(index, REASONING),
                ReplyItem::Native(json, _) => blocks.push(Element::native(json, &[])?),
                ReplyItem::Content(content) => blocks.extend(self.blocks(index, content, &["text"])),
                ReplyItem::Call(call) => blocks.push(self.call(call)?),
            }
            if blocks.len() > start && head.reasoning_content.is_none() {
                end = blocks.len();
            }
        }
        // Anthropic's models: "The final block in an assistant message cannot be `thinking`."
        for _ in blocks.drain(end..) {
            self.report.drop_part(index, REASONING);
        }
        let refusal = reply.refusal().filter(|refusal| !refusal.trim().is_empty());
        if let (true, Some(refusal)) = (blocks.is_empty(), refusal) {
            blocks.push(text_block(refusal).into());
        }
        report_dropped(index, reply, NAME, Kept::Own, self.report);
        self.push(index, ASSISTANT, blocks);
        Ok(())
    }

    fn call(&self, call: &'a ToolCall) -> Result<Element<'a>, WireError> {
        let call = Element::object([
            ("toolUseId", (&*self.ids.written(&call.id)).into()),
            ("name", (&*written_name(call)).into()),
            ("input", Element::Raw(self.keys.written_arguments(call)?)),
        ])?;
        Element::object([("toolUse", call)])
    }

    /// "The content field at messages.2.content.0.toolResult cannot be empty when status value is error."
    /// (<https://github.com/aws-samples/sample-multi-agent-orchestration-chat-on-agentcore/issues/15>)
    fn result(&mut self, index: usize, result: &'a ToolMessage) -> Element<'a> {
        const KINDS: [&str; 6] = ["text", "json", "image", "document", "video", "searchResult"];
        let mut content = self.blocks(index, &result.content, &KINDS);
        if result.is_error() && content.is_empty() {
            content.push(text_block(ERROR.trim_end_matches([':', ' '])).into());
        }
        let id = self.ids.written(&result.tool_call_id);
        let mut written = json!({ "toolUseId": id, "content": content });
        if result.is_error() {
            written["status"] = "error".into();
        }
        for (field, value) in result.extra.on_wire(NAME) {
            written[field] = value.clone();
        }
        json!({ "toolResult": written }).into()
    }

    /// The blocks of a content, if its place allows blocks of these kinds; of any kind if the list is empty.
    fn blocks(&mut self, index: usize, content: &'a Content, kinds: &[&str]) -> Vec<Element<'a>> {
        let blocks = write_parts(NAME, content, write_part, |part| self.report.content_part(index, part));
        let mut written = Vec::with_capacity(blocks.len());
        for mut block in blocks {
            let kind = kind(&block).to_owned();
            let is_blank = block["text"].as_str().is_some_and(|text| text.trim().is_empty());
            if is_blank {
                continue;
            }
            if !kinds.is_empty() && !kinds.contains(&&*kind) {
                self.report.drop_part(index, kind);
                continue;
            }
            if let Some(name) = block["document"]["name"].as_str().and_then(|name| self.other_name(name)) {
                block.to_mut()["document"]["name"] = name.into();
            }
            written.push(Element::Value(block));
        }
        written
    }

    /// Another name for a document if an earlier one has this name: "Messages can't contain duplicate document names."
    /// (<https://github.com/maximhq/bifrost/issues/7003>)
    fn other_name(&mut self, name: &str) -> Option<String> {
        let Some(mut number) = self.documents.get(name).copied() else {
            self.documents.insert(name.to_owned(), 1);
            return None;
        };
        let mut other = name.to_owned();
        while self.documents.contains_key(&other) {
            number += 1;
            other = format!("{name} {number}");
        }
        self.documents.extend([(name.to_owned(), number), (other.clone(), 1)]);
        Some(other)
    }
}

const REASONING: &str = "reasoning";

/// The kind of a block, which is the name of its field.
fn kind(block: &Value) -> &str {
    block.as_object().and_then(|fields| fields.keys().next()).map_or("block", String::as_str)
}

fn has_field(block: &Element<'_>, name: &str) -> bool {
    matches!(block, Element::Value(block) if !block[name].is_null())
}

/// The fields of an item that decide whether the API accepts it. All are empty for what is written anew.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ItemHead<'a> {
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    tool_use: Value,
    reasoning_content: Option<Value>,
}

impl ItemHead<'_> {
    /// The API rejects text of white space: "The text field in the `ContentBlock` object at messages.1.content.0 is blank."
    fn is_blank_text(&self) -> bool {
        self.text.as_ref().is_some_and(|text| text.trim().is_empty())
    }

    /// Whether it is reasoning of an interrupted stream, or of a model that does not sign it. Anthropic's models reject it, and no
    /// other model needs it.
    fn is_unsigned(&self) -> bool {
        self.reasoning_content.as_ref().is_some_and(|reasoning| {
            reasoning["reasoningText"].is_object() && !reasoning["reasoningText"]["signature"].is_string()
        })
    }
}
