//! Messages: how they are written.

use super::NAME;
use super::part::{text_block, write_part};
use super::references::References;
use crate::message::{
    AssistantMessage, Content, ERROR, Message, NativeItem, ReplyItem, ToolCall, ToolMessage,
};
use crate::tool_name::SEARCH_TOOLS;
use crate::wire::body::{raw, raw_from, raw_with};
use crate::wire::ids::Ids;
use crate::wire::reasoning::{Kept, report_dropped};
use crate::wire::{IdRules, Report, WireError, written_arguments, written_name};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashSet;

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

/// Writes messages. `references` are those that the request may have, if it has tools.
pub(super) fn write(
    messages: &[Message],
    rules: IdRules,
    references: Option<&References<'_>>,
    report: &mut Report,
) -> Result<Written, WireError> {
    let mut writer = Writer {
        written: Written { system: Vec::new(), messages: Vec::new() },
        is_last: false,
        ids: Ids::new(rules),
        references,
        searches: HashSet::new(),
        report,
    };
    for (index, message) in messages.iter().enumerate() {
        writer.is_last = index + 1 == messages.len();
        writer.message(index, message)?;
    }
    Ok(writer.written)
}

struct Writer<'a, 'r> {
    written: Written,
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
                    self.content(index, &input.content)?
                } else {
                    self.text_blocks(index, &input.content)?
                };
                // The API has system messages between others for some models. Only a message that was read from one goes
                // back there.
                if !self.written.messages.is_empty() && is_read {
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
        let searches = reply.tool_calls.iter().filter(|call| call.name == SEARCH_TOOLS);
        self.searches = searches.map(|call| &*call.id).collect();
        let rejected = rejected_items(reply, self.is_last);
        let mut blocks = Vec::new();
        for item in reply.items(NAME) {
            match item {
                ReplyItem::Native(json, None) if rejected.contains(&json) => {
                    self.report.drop_part(index, native_kind(json));
                }
                ReplyItem::Native(json, call) => {
                    if !item_head(json).is_blank_text() {
                        blocks.push(self.native(json, call)?);
                    }
                }
                ReplyItem::Content(content) => blocks.extend(self.text_blocks(index, content)?),
                ReplyItem::Call(call) => blocks.push(self.call(call)?),
            }
        }
        // "The final block in an assistant message cannot be `thinking`."
        while blocks.last().is_some_and(|block| item_head(block.get()).is_thinking()) {
            blocks.pop();
            self.report.drop_part(index, "thinking");
        }
        let refusal = reply.refusal().filter(|refusal| !refusal.trim().is_empty());
        if let (true, Some(refusal)) = (blocks.is_empty(), refusal) {
            blocks.push(raw(&text_block(refusal))?);
        }
        report_dropped(index, reply, NAME, Kept::Own, self.report);
        self.push(ASSISTANT, blocks);
        Ok(())
    }

    /// A block that the provider sent, with another id if its id is taken.
    fn native(&self, json: &str, call: Option<&'a ToolCall>) -> Result<Block, WireError> {
        let unchanged = || raw_from(json.to_owned());
        let Some(call) = call else { return unchanged() };
        let id = self.ids.written(&call.id);
        if item_head(json).id.as_deref() == Some(&*id) {
            return unchanged();
        }
        raw_with(json, &[("id", Some(&*id))])
    }

    fn call(&self, call: &'a ToolCall) -> Result<Block, WireError> {
        #[derive(Serialize)]
        struct ToolUse<'a> {
            r#type: &'static str,
            id: Cow<'a, str>,
            name: Cow<'a, str>,
            input: Box<RawValue>,
        }
        let input = raw_from(written_arguments(call).into_owned())?;
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
        let written = ToolResult {
            r#type: "tool_result",
            tool_use_id: self.ids.written(&result.tool_call_id),
            content: self.result_content(index, result)?,
            is_error: result.is_error(),
            extra: result.extra.to_map(NAME),
        };
        raw(&written)
    }

    /// The content of an error is text, and not empty: the API rejects any other.
    fn result_content(&mut self, index: usize, result: &'a ToolMessage) -> Result<Vec<Block>, WireError> {
        if !result.is_error() {
            let is_search = self.searches.contains(&*result.tool_call_id);
            let blocks = self.references.and_then(|references| references.blocks(&result.content, is_search));
            if let Some(blocks) = blocks {
                return blocks.iter().map(raw).collect();
            }
            return self.content(index, &result.content);
        }
        let mut blocks = self.text_blocks(index, &result.content)?;
        if blocks.is_empty() {
            blocks.push(raw(&text_block(ERROR.trim_end_matches([':', ' '])))?);
        }
        Ok(blocks)
    }

    /// The text of a content whose place allows no other parts.
    fn text_blocks(&mut self, index: usize, content: &Content) -> Result<Vec<Block>, WireError> {
        let mut blocks = Vec::new();
        for block in self.content(index, content)? {
            if item_head(block.get()).r#type == "text" {
                blocks.push(block);
            } else {
                self.report.drop_part(index, native_kind(block.get()));
            }
        }
        Ok(blocks)
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
                None => self.report.drop_content_part(index, &part),
            }
        }
        Ok(blocks)
    }
}

/// The fields of a block that decide whether the API accepts it.
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

fn item_head(json: &str) -> ItemHead<'_> {
    serde_json::from_str(json).unwrap_or_default()
}

fn native_kind(json: &str) -> String {
    item_head(json).r#type.into_owned()
}

impl ItemHead<'_> {
    /// Whether it is text of white space, which models send and the API rejects.
    fn is_blank_text(&self) -> bool {
        self.r#type == "text" && self.text.as_ref().is_none_or(|text| text.trim().is_empty())
    }

    fn is_thinking(&self) -> bool {
        matches!(&*self.r#type, "thinking" | "redacted_thinking")
    }

    /// Whether it is thinking of an interrupted stream: "Invalid `signature` in `thinking` block".
    fn is_unsigned(&self) -> bool {
        self.r#type == "thinking" && self.signature.as_ref().is_none_or(|signature| signature.is_empty())
    }
}

/// The items of a reply that the API rejects when they go back: unsigned thinking, and calls of the provider's own tools
/// without their results, unless the provider continues the reply.
fn rejected_items(reply: &AssistantMessage, is_last: bool) -> HashSet<&str> {
    let natives = || reply.native.iter().filter(|item| item.is_native_only()).map(NativeItem::json);
    let results: HashSet<String> =
        natives().filter_map(|json| Some(item_head(json).tool_use_id?.into_owned())).collect();
    let is_rejected = |json: &&str| {
        let block = item_head(json);
        let is_open = block.r#type == "server_tool_use" && block.id.is_none_or(|id| !results.contains(&*id));
        (is_open && !is_last) || item_head(json).is_unsigned()
    };
    natives().filter(is_rejected).collect()
}
