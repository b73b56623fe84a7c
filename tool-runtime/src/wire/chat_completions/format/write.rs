//! Messages: how they are written.

use super::call::{Keep, WrittenCall};
use super::content::{text_part, write_part};
use super::message::Role;
use super::{NAME, RULES};
use crate::message::{AssistantMessage, Content, ERROR, InputMessage, Media, Message, Part, ToolMessage};
use crate::wire::ids::Ids;
use crate::wire::reasoning::{Kept, report_dropped};
use crate::wire::{IdRules, Report};
use serde::ser::{SerializeMap, SerializeSeq as _};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::borrow::Cow;

/// The messages of a request. Images and files of tool results, which tool messages cannot have, are in a user message
/// after the last result of a reply.
pub(super) struct WrittenMessages<'a> {
    pub(super) messages: &'a [Message],
    pub(super) keep_reasoning: bool,
    pub(super) rules: IdRules,
}

impl Serialize for WrittenMessages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        let mut media = Vec::new();
        let mut ids = Ids::new(self.rules);
        for (index, message) in self.messages.iter().enumerate() {
            if let Message::Assistant(reply) = message {
                ids.start_reply(&reply.tool_calls);
            }
            let keep_reasoning = self.keep_reasoning;
            list.serialize_element(&WrittenMessage { message, keep_reasoning, ids: Some(&ids) })?;
            let Message::Tool(result) = message else { continue };
            media.extend(media_of(result, &ids.written(&result.tool_call_id)));
            if !media.is_empty() && !matches!(self.messages.get(index + 1), Some(Message::Tool(_))) {
                list.serialize_element(&json!({ "role": "user", "content": std::mem::take(&mut media) }))?;
            }
        }
        list.end()
    }
}

/// Serializes messages with the default settings.
pub(crate) fn serialize_messages<S: Serializer>(
    messages: &[Message],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    WrittenMessages { messages, keep_reasoning: false, rules: RULES }.serialize(serializer)
}

/// The images and files of a result, each after a line that names the call.
fn media_of(result: &ToolMessage, id: &str) -> Vec<Value> {
    if result.content.native(NAME).is_some() {
        return Vec::new();
    }
    let parts = result.content.parts().unwrap_or_default().iter().filter(|part| part.as_text().is_none());
    let parts: Vec<Value> = parts.filter_map(write_part).collect();
    if parts.is_empty() {
        return parts;
    }
    let title = format!("Content of the result of the tool call {id}:");
    std::iter::once(text_part(&title)).chain(parts).collect()
}

struct WrittenMessage<'a> {
    message: &'a Message,
    keep_reasoning: bool,
    /// The written ids of the calls; `None` for a message that is written alone.
    ids: Option<&'a Ids<'a>>,
}

impl Serialize for WrittenMessage<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.message {
            Message::System(input) => write_input(Role::System, input, serializer),
            Message::Developer(input) => write_input(Role::Developer, input, serializer),
            Message::User(input) => write_input(Role::User, input, serializer),
            Message::Assistant(reply) => write_reply(reply, self.keep_reasoning, self.ids, serializer),
            Message::Tool(result) => write_result(result, self.ids, serializer),
        }
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WrittenMessage { message: self, keep_reasoning: false, ids: None }.serialize(serializer)
    }
}

impl Serialize for AssistantMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_reply(self, false, None, serializer)
    }
}

impl Serialize for ToolMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_result(self, None, serializer)
    }
}

fn write_result<S: Serializer>(
    result: &ToolMessage,
    ids: Option<&Ids<'_>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("role", &Role::Tool)?;
    map.serialize_entry("tool_call_id", &written_id(&result.tool_call_id, ids))?;
    map.serialize_entry("content", &ResultContent(result))?;
    for (field, value) in result.extra.on_wire(NAME) {
        map.serialize_entry(field, value)?;
    }
    map.end()
}

fn written_id<'a>(id: &'a str, ids: Option<&Ids<'a>>) -> Cow<'a, str> {
    ids.map_or(Cow::Borrowed(id), |ids| ids.written(id))
}

/// The content of a tool message: OpenAI accepts only text.
struct ResultContent<'a>(&'a ToolMessage);

impl Serialize for ResultContent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ToolMessage { content, .. } = self.0;
        let prefix = if self.0.is_error() && !content.as_str().starts_with(ERROR) { ERROR } else { "" };
        if prefix.is_empty() && (content.native(NAME).is_some() || !content.has_more_than_text()) {
            return content.serialize(serializer);
        }
        serializer.serialize_str(&text_with_notices(prefix, content))
    }
}

/// The text after this prefix, with a notice for each part that a tool message cannot have.
pub(crate) fn text_with_notices(prefix: &str, content: &Content) -> String {
    let mut text = [prefix, content.as_str()].concat();
    for notice in content.parts().unwrap_or_default().iter().filter_map(notice) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&notice);
    }
    text
}

/// The text in place of a part that a tool message cannot have.
fn notice(part: &Part) -> Option<String> {
    match part {
        Part::Image { media: Media::Data { mime_type, .. } } => Some(format!("[image: {mime_type}]")),
        Part::Image { media: Media::Url { url } } => Some(format!("[image: {url}]")),
        Part::File { media: Media::Url { url }, .. } => Some(format!("[file: {url}]")),
        Part::File { name, media: Media::Data { mime_type, .. } } => {
            Some(format!("[file: {}]", name.as_deref().unwrap_or(mime_type)))
        }
        Part::Text { .. } | Part::Json { .. } | Part::ToolReference { .. } | Part::Other { .. } => None,
    }
}

fn write_input<S: Serializer>(role: Role, input: &InputMessage, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("role", &role)?;
    map.serialize_entry("content", &input.content)?;
    for (field, value) in input.extra.on_wire(NAME) {
        map.serialize_entry(field, value)?;
    }
    map.end()
}

fn write_reply<S: Serializer>(
    reply: &AssistantMessage,
    keep_reasoning: bool,
    ids: Option<&Ids<'_>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    // A message without an origin was read from a history, so a request contained its fields.
    let keep = match (&reply.origin, keep_reasoning) {
        (None, _) => Keep::All,
        (Some(_), true) => Keep::Reasoning,
        (Some(_), false) => Keep::None,
    };
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("role", &Role::Assistant)?;
    match &reply.content {
        // Servers reject null without calls.
        None if reply.tool_calls.is_empty() && reply.origin.is_some() => {
            map.serialize_entry("content", "")?;
        }
        content => map.serialize_entry("content", content)?,
    }
    if !reply.tool_calls.is_empty() {
        let calls: Vec<_> = reply
            .tool_calls
            .iter()
            .map(|call| WrittenCall { call, id: written_id(&call.id, ids), keep })
            .collect();
        map.serialize_entry("tool_calls", &calls)?;
    }
    if let Some(refusal) = &reply.refusal {
        map.serialize_entry("refusal", refusal)?;
    }
    for (field, value) in reply.extra.on_wire(NAME).filter(|(field, value)| keep.keeps(field, value)) {
        map.serialize_entry(field, value)?;
    }
    map.end()
}

/// Reports the parts of messages that are not written.
pub(super) fn report(messages: &[Message], keep_reasoning: bool) -> Report {
    let mut report = Report::default();
    for (index, message) in messages.iter().enumerate() {
        match message {
            Message::System(input) | Message::Developer(input) | Message::User(input) => {
                report_content(index, &input.content, &mut report);
            }
            Message::Tool(result) => report_content(index, &result.content, &mut report),
            Message::Assistant(reply) => report_reply(index, reply, keep_reasoning, &mut report),
        }
    }
    report
}

fn report_content(index: usize, content: &Content, report: &mut Report) {
    if content.native(NAME).is_none() {
        let parts = content.parts().unwrap_or_default().iter();
        for part in parts.filter(|part| write_part(part).is_none()) {
            report.drop_content_part(index, part);
        }
    }
}

fn report_reply(index: usize, reply: &AssistantMessage, keep_reasoning: bool, report: &mut Report) {
    if let Some(content) = &reply.content {
        report_content(index, content, report);
    }
    let kept = if keep_reasoning { Kept::Own } else { Kept::None };
    report_dropped(index, reply, NAME, kept, report);
}
