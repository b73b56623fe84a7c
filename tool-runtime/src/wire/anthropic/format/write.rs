//! Messages: how they are written.

use super::cache::{mark_messages, remove_breakpoints};
use super::client_tools::provider_name;
use super::part::{text_block, write_part};
use super::references::References;
use super::tools::inline_definition;
use super::{Anthropic, NAME};
use crate::message::{
    AssistantMessage, Completeness, Content, ERROR, Message, ReplyItem, ToolCall, ToolMessage,
};
use crate::tool_name::SEARCH_TOOLS;
use crate::wire::content_parts::write_parts;
use crate::wire::element::{Element, items_with_heads};
use crate::wire::ids::Ids;
use crate::wire::reasoning::{Kept, report_dropped};
use crate::wire::rejected_keys::RejectedKeys;
use crate::wire::report::MOVED_TO_START;
use crate::wire::role_messages::{ASSISTANT, RoleMessages, USER};
use crate::wire::tool_additions::ToolAdditions;
use crate::wire::{Body, Report, RequestParts, Wire as _, WireError, written_name};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

const SYSTEM: &str = "system";

/// Writes messages. `references` are those that the request may have, if it has tools.
pub(super) fn write(
    body: &mut Body,
    parts: &RequestParts<'_>,
    wire: &Anthropic,
    references: Option<&References<'_>>,
    additions: &ToolAdditions<'_>,
) -> Result<(), WireError> {
    let messages = parts.messages;
    let mut writer = Writer {
        system: Vec::new(),
        messages: RoleMessages::default(),
        server_calls: ServerCalls::new(messages),
        ids: Ids::new(wire.id_rules()),
        wire,
        additions,
        references,
        keys: RejectedKeys::new(parts),
        searches: HashSet::new(),
        report: &mut body.report,
    };
    for (index, message) in messages.iter().enumerate() {
        writer.message(index, message)?;
    }
    if let (true, Some(last)) = (writer.messages.is_empty(), messages.len().checked_sub(1)) {
        // "messages: at least one message is required"
        writer.messages.start(last, text_block("."), writer.report);
    }
    let Writer { mut system, mut messages, .. } = writer;
    mark_messages(&mut system, &mut messages, wire.cache, parts.has_tools())?;
    messages.write(&system, body)
}

struct Writer<'a, 'r> {
    system: Vec<Element<'a>>,
    messages: RoleMessages<'a>,
    server_calls: ServerCalls<'a>,
    ids: Ids<'a>,
    wire: &'r Anthropic,
    additions: &'r ToolAdditions<'r>,
    references: Option<&'r References<'r>>,
    keys: RejectedKeys<'a>,
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
                // The API has system messages between others for some models only. A message that was read from one goes
                // back there.
                let is_start = self.additions.is_start(index);
                if self.wire.mid_conversation_changes && !is_start {
                    self.change(index, &input.content, content)?;
                } else if is_read && !self.messages.is_empty() {
                    self.push(index, SYSTEM, content);
                } else {
                    if !is_start {
                        self.report.change(index, MOVED_TO_START);
                    }
                    self.system.extend(content);
                }
            }
            Message::User(input) => {
                let content = self.content(index, &input.content);
                self.push(index, USER, content);
            }
            Message::Assistant(reply) => self.reply(index, reply)?,
            Message::Tool(result) => {
                let block = self.result(index, result)?;
                self.push(index, USER, vec![block]);
            }
        }
        Ok(())
    }

    /// A system message after the start: the tools that it adds, and its text. The API has it only after a message of the user.
    fn change(
        &mut self,
        index: usize,
        content: &'a Content,
        mut blocks: Vec<Element<'a>>,
    ) -> Result<(), WireError> {
        let added = self.additions.in_message(index, content).into_iter().map(|tool| {
            let definition = ("definition", inline_definition(tool, self.wire)?);
            let tool = Element::object([("type", "tool_definition".into()), definition])?;
            Element::object([("type", "tool_addition".into()), ("tool", tool)])
        });
        let added = added.collect::<Result<Vec<_>, WireError>>()?;
        blocks.splice(0..0, added);
        if blocks.is_empty() {
            return Ok(());
        }
        if self.messages.is_empty() || self.messages.ends_with(ASSISTANT) {
            self.messages.push(USER, vec![text_block(".").into()]);
            self.report.change(index, "added a text of the user before it, which the API requires");
        }
        self.push(index, SYSTEM, blocks);
        Ok(())
    }

    /// Adds blocks. A conversation with the user that starts with a reply gets a text before it:
    /// <https://github.com/NousResearch/hermes-agent/issues/52160>. The API accepts calls and results alone.
    fn push(&mut self, index: usize, role: &'static str, blocks: Vec<Element<'a>>) {
        let is_start = self.messages.is_empty() && !blocks.is_empty();
        if is_start && role == ASSISTANT && self.server_calls.turn > 0 {
            self.messages.start(index, text_block("."), self.report);
        }
        self.messages.push(role, blocks);
    }

    fn reply(&mut self, index: usize, reply: &'a AssistantMessage) -> Result<(), WireError> {
        self.ids.start_reply(&reply.tool_calls);
        let searches = reply.tool_calls.iter().filter(|call| call.name == SEARCH_TOOLS);
        self.searches = searches.map(|call| &*call.id).collect();
        let items: Vec<(_, ItemHead<'_>)> = items_with_heads(reply, NAME);
        let mut blocks = Vec::new();
        // The number of blocks without the thinking at the end.
        let mut end = 0;
        for (item, head) in &items {
            let start = blocks.len();
            match *item {
                ReplyItem::Native(_, None) if self.server_calls.rejects(index, reply, head) => {
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
        self.push(index, ASSISTANT, blocks);
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
        Element::object([
            ("type", "tool_use".into()),
            ("id", (&*self.ids.written(&call.id)).into()),
            ("name", provider_name(&self.wire.tools, &written_name(call)).into()),
            ("input", Element::Raw(self.keys.written_arguments(call)?)),
        ])
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
        let mut content = self.result_content(index, result);
        if !self.wire.cache.is_empty() {
            remove_breakpoints(&mut content)?;
        }
        Element::new(&ToolResult {
            r#type: "tool_result",
            tool_use_id: self.ids.written(&result.tool_call_id),
            content,
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
        let mut blocks = write_parts(NAME, content, write_part, |part| self.report.content_part(index, part));
        blocks.retain(|block| {
            let is_blank = ItemHead::deserialize(&**block).is_ok_and(|head| head.is_blank_text());
            if is_blank {
                self.report.drop_part(index, "text");
            }
            !is_blank
        });
        blocks
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

    /// Whether it is thinking of an interrupted stream, which the API rejects: "Invalid `signature` in `thinking` block".
    fn is_unsigned(&self) -> bool {
        self.r#type == "thinking" && self.signature.as_ref().is_none_or(|signature| signature.is_empty())
    }
}

/// The calls of the provider's own tools, and their results. The API rejects each without the other, but the result may be in
/// a later reply: <https://github.com/anthropics/anthropic-sdk-typescript/issues/1090>.
struct ServerCalls<'a> {
    /// The indices of the replies with each call.
    calls: HashMap<Cow<'a, str>, usize>,
    results: HashSet<Cow<'a, str>>,
    /// The index after the last message of the user, and that of the last message. The provider continues the complete
    /// replies of this turn, and a last one in any case.
    turn: usize,
    last: usize,
}

impl<'a> ServerCalls<'a> {
    fn new(messages: &'a [Message]) -> Self {
        let is_user = |message: &Message| matches!(message, Message::User(_));
        let turn = messages.iter().rposition(is_user).map_or(0, |index| index + 1);
        let mut server_calls = ServerCalls {
            calls: HashMap::new(),
            results: HashSet::new(),
            turn,
            last: messages.len().saturating_sub(1),
        };
        for (index, message) in messages.iter().enumerate() {
            let Message::Assistant(reply) = message else { continue };
            for (item, head) in items_with_heads::<ItemHead<'_>>(reply, NAME) {
                let ReplyItem::Native(_, None) = item else { continue };
                if let Some(id) = head.id {
                    server_calls.calls.entry(id).or_insert(index);
                }
                // A result before its call is not the result of that call.
                server_calls
                    .results
                    .extend(head.tool_use_id.filter(|id| server_calls.calls.contains_key(id)));
            }
        }
        server_calls
    }

    fn rejects(&self, index: usize, reply: &AssistantMessage, head: &ItemHead<'_>) -> bool {
        let is_whole = !matches!(reply.completeness, Completeness::Truncated | Completeness::Unconfirmed);
        let continues = index == self.last || (index >= self.turn && is_whole);
        let has_call = |id: &Cow<'_, str>| self.calls.get(id).is_some_and(|call| *call <= index);
        match &*head.r#type {
            "server_tool_use" => !continues && !head.id.as_ref().is_some_and(|id| self.results.contains(id)),
            // A list that starts with the result is a part of a history.
            kind if kind.ends_with("_tool_result") && index > 0 => {
                !head.tool_use_id.as_ref().is_some_and(has_call)
            }
            _ => head.is_unsigned(),
        }
    }
}
