//! Messages: how they are written.

use super::NAME;
use super::part::{text_block, write_part};
use super::references::References;
use crate::message::{AssistantMessage, Content, ERROR, Message, ReplyItem, ToolCall, ToolMessage};
use crate::tool_name::SEARCH_TOOLS;
use crate::wire::content_parts::write_parts;
use crate::wire::element::{Element, arguments_object, items_with_heads};
use crate::wire::ids::Ids;
use crate::wire::reasoning::{Kept, report_dropped};
use crate::wire::{Body, IdRules, Report, WireError, written_name};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashSet;

#[derive(Serialize)]
struct WrittenMessage<'a> {
    role: &'static str,
    content: Vec<Element<'a>>,
}

const USER: &str = "user";
const ASSISTANT: &str = "assistant";
const SYSTEM: &str = "system";

/// Writes messages. `references` are those that the request may have, if it has tools.
pub(super) fn write(
    body: &mut Body,
    messages: &[Message],
    rules: IdRules,
    references: Option<&References<'_>>,
) -> Result<(), WireError> {
    let mut writer = Writer {
        system: Vec::new(),
        messages: Vec::new(),
        is_last: false,
        ids: Ids::new(rules),
        references,
        searches: HashSet::new(),
        report: &mut body.report,
    };
    for (index, message) in messages.iter().enumerate() {
        writer.is_last = index + 1 == messages.len();
        writer.message(index, message)?;
    }
    let Writer { system, messages, .. } = writer;
    if !system.is_empty() {
        body.write("system", &system)?;
    }
    body.write("messages", &messages)
}

struct Writer<'a, 'r> {
    system: Vec<Element<'a>>,
    messages: Vec<WrittenMessage<'a>>,
    /// Whether the message is the last one.
    is_last: bool,
    ids: Ids<'a>,
    references: Option<&'r References<'r>>,
    /// The ids of the calls of `search_tools` in the newest reply.
    searches: HashSet<&'a str>,
    report: &'r mut Report,
}

impl<'a> Writer<'a, '_> {
    fn message(&mut self, index: usize, message: &'a Message) -> Result<(), WireError> {
        match message {
            Message::System(input) | Message::Developer(input) => {
                let is_read = input.content.native(NAME).is_some();
                let content = if is_read {
                    self.content(index, &input.content)
                } else {
                    self.text_blocks(index, &input.content)
                };
                // The API has system messages between others for some models. Only a message that was read from one goes
                // back there.
                if is_read && !self.messages.is_empty() {
                    self.push(SYSTEM, content);
                } else {
                    self.system.extend(content);
                }
            }
            Message::User(input) => {
                let content = self.content(index, &input.content);
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
    fn push(&mut self, role: &'static str, blocks: Vec<Element<'a>>) {
        match self.messages.last_mut() {
            Some(last) if last.role == role => last.content.extend(blocks),
            _ if blocks.is_empty() => {}
            _ => self.messages.push(WrittenMessage { role, content: blocks }),
        }
    }

    fn reply(&mut self, index: usize, reply: &'a AssistantMessage) -> Result<(), WireError> {
        self.ids.start_reply(&reply.tool_calls);
        let searches = reply.tool_calls.iter().filter(|call| call.name == SEARCH_TOOLS);
        self.searches = searches.map(|call| &*call.id).collect();
        let items: Vec<(_, ItemHead<'_>)> = items_with_heads(reply, NAME);
        let results: HashSet<&str> =
            items.iter().filter_map(|(_, head)| head.tool_use_id.as_deref()).collect();
        let mut blocks = Vec::new();
        // The number of blocks without the thinking at the end.
        let mut end = 0;
        for (item, head) in &items {
            let start = blocks.len();
            match *item {
                ReplyItem::Native(_, None) if head.is_rejected(&results, self.is_last) => {
                    self.report.drop_part(index, &*head.r#type);
                }
                ReplyItem::Native(..) if head.is_blank_text() => {}
                ReplyItem::Native(json, call) => blocks.push(self.native(json, head, call)?),
                ReplyItem::Content(content) => blocks.extend(self.text_blocks(index, content)),
                ReplyItem::Call(call) => blocks.push(self.call(call)?),
            }
            if blocks.len() > start && !head.is_thinking() {
                end = blocks.len();
            }
        }
        // "The final block in an assistant message cannot be `thinking`."
        for _ in blocks.drain(end..) {
            self.report.drop_part(index, "thinking");
        }
        let refusal = reply.refusal().filter(|refusal| !refusal.trim().is_empty());
        if let (true, Some(refusal)) = (blocks.is_empty(), refusal) {
            blocks.push(text_block(refusal).into());
        }
        report_dropped(index, reply, NAME, Kept::Own, self.report);
        self.push(ASSISTANT, blocks);
        Ok(())
    }

    /// A block that the provider sent, with another id if its id is taken.
    fn native(
        &self,
        json: &'a str,
        head: &ItemHead<'_>,
        call: Option<&'a ToolCall>,
    ) -> Result<Element<'a>, WireError> {
        match call.map(|call| self.ids.written(&call.id)) {
            Some(id) if head.id.as_ref() != Some(&id) => Element::native(json, &[("id", Some(&id))]),
            _ => Element::native(json, &[]),
        }
    }

    fn call(&self, call: &'a ToolCall) -> Result<Element<'a>, WireError> {
        #[derive(Serialize)]
        struct ToolUse<'a> {
            r#type: &'static str,
            id: Cow<'a, str>,
            name: Cow<'a, str>,
            input: Cow<'a, RawValue>,
        }
        let (id, name, input) = (self.ids.written(&call.id), written_name(call), arguments_object(call)?);
        Element::new(&ToolUse { r#type: "tool_use", id, name, input })
    }

    fn result(&mut self, index: usize, result: &'a ToolMessage) -> Result<Element<'a>, WireError> {
        #[derive(Serialize)]
        struct ToolResult<'a> {
            r#type: &'static str,
            tool_use_id: Cow<'a, str>,
            #[serde(skip_serializing_if = "Vec::is_empty")]
            content: Vec<Element<'a>>,
            #[serde(skip_serializing_if = "std::ops::Not::not")]
            is_error: bool,
            #[serde(flatten)]
            extra: serde_json::Map<String, Value>,
        }
        Element::new(&ToolResult {
            r#type: "tool_result",
            tool_use_id: self.ids.written(&result.tool_call_id),
            content: self.result_content(index, result),
            is_error: result.is_error(),
            extra: result.extra.to_map(NAME),
        })
    }

    /// The content of an error is text, and not empty: the API rejects any other.
    fn result_content(&mut self, index: usize, result: &'a ToolMessage) -> Vec<Element<'a>> {
        if !result.is_error() {
            let is_search = self.searches.contains(&*result.tool_call_id);
            let blocks = self.references.and_then(|references| references.blocks(&result.content, is_search));
            return match blocks {
                Some(blocks) => blocks.into_iter().map(Element::from).collect(),
                None => self.content(index, &result.content),
            };
        }
        let mut blocks = self.text_blocks(index, &result.content);
        if blocks.is_empty() {
            blocks.push(text_block(ERROR.trim_end_matches([':', ' '])).into());
        }
        blocks
    }

    /// The text of a content whose place allows no other parts.
    fn text_blocks(&mut self, index: usize, content: &'a Content) -> Vec<Element<'a>> {
        let (texts, others): (Vec<_>, Vec<_>) =
            self.blocks(index, content).into_iter().partition(|block| kind(block) == "text");
        for block in others {
            self.report.drop_part(index, kind(&block));
        }
        texts.into_iter().map(Element::Value).collect()
    }

    fn content(&mut self, index: usize, content: &'a Content) -> Vec<Element<'a>> {
        self.blocks(index, content).into_iter().map(Element::Value).collect()
    }

    fn blocks(&mut self, index: usize, content: &'a Content) -> Vec<Cow<'a, Value>> {
        write_parts(NAME, content, write_part, |part| self.report.drop_content_part(index, part))
    }
}

fn kind(block: &Value) -> Cow<'_, str> {
    ItemHead::deserialize(block).unwrap_or_default().r#type
}

/// The fields of an item that decide whether the API accepts it. All are empty for what is written anew.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ItemHead<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    signature: Option<Cow<'a, str>>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    tool_use_id: Option<Cow<'a, str>>,
}

impl ItemHead<'_> {
    /// Whether it is text of white space, which models send and the API rejects.
    fn is_blank_text(&self) -> bool {
        self.r#type == "text" && self.text.as_ref().is_none_or(|text| text.trim().is_empty())
    }

    fn is_thinking(&self) -> bool {
        matches!(&*self.r#type, "thinking" | "redacted_thinking")
    }

    /// Whether the API rejects the item when it goes back: thinking of an interrupted stream ("Invalid `signature` in
    /// `thinking` block"), and a call of the provider's own tools without its result, unless the provider continues the reply.
    fn is_rejected(&self, results: &HashSet<&str>, is_last: bool) -> bool {
        let is_unsigned = self.signature.as_ref().is_none_or(|signature| signature.is_empty());
        let is_open = self.id.as_ref().is_none_or(|id| !results.contains(&**id));
        match &*self.r#type {
            "thinking" => is_unsigned,
            "server_tool_use" => is_open && !is_last,
            _ => false,
        }
    }
}
