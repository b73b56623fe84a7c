//! Messages: how they are written.

use super::call::{Keep, WrittenCall};
use super::content::{text_part, write_part};
use super::message::Role;
use super::{NAME, RULES};
use crate::json::Entries;
use crate::message::{
    AssistantMessage, Content, ERROR, Extra, InputMessage, Media, Message, Part, ToolMessage,
};
use crate::wire::content_parts::{TextOrParts, write_media};
use crate::wire::ids::Ids;
use crate::wire::reasoning::{Kept, report_dropped};
use crate::wire::report::ReportedPart;
use crate::wire::{IdRules, Report};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;

/// A message of a request.
#[derive(Serialize)]
pub(super) struct WrittenMessage<'a> {
    role: Role,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<Cow<'a, str>>,
    content: Option<TextOrParts<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<WrittenCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<&'a str>,
    #[serde(flatten)]
    extra: Entries<&'a str, &'a Value>,
}

impl<'a> WrittenMessage<'a> {
    fn new(role: Role, content: Option<TextOrParts<'a>>, extra: Option<&'a Extra>) -> Self {
        let fields = extra.into_iter().flat_map(|extra| extra.on_wire(NAME));
        let extra = Entries(fields.map(|(field, value)| (&**field, value)).collect());
        WrittenMessage { role, tool_call_id: None, content, tool_calls: Vec::new(), refusal: None, extra }
    }
}

/// The messages of a request. Images and files of tool results, which tool messages cannot have, are in a user message
/// after the last result of a reply.
pub(super) fn write<'a>(
    messages: &'a [Message],
    keep_reasoning: bool,
    rules: IdRules,
    report: &mut Report,
) -> Vec<WrittenMessage<'a>> {
    let mut writer = Writer { keep_reasoning, ids: Ids::new(rules), report };
    let mut written = Vec::with_capacity(messages.len());
    let mut media = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        if let Message::Assistant(reply) = message {
            writer.ids.start_reply(&reply.tool_calls);
        }
        written.push(writer.message(index, message));
        let Message::Tool(result) = message else { continue };
        media.extend(writer.media(index, result));
        if !media.is_empty() && !matches!(messages.get(index + 1), Some(Message::Tool(_))) {
            let content = TextOrParts::Parts(std::mem::take(&mut media));
            written.push(WrittenMessage::new(Role::User, Some(content), None));
        }
    }
    written
}

/// Serializes messages with the default settings.
pub(crate) fn serialize_messages<S: Serializer>(
    messages: &[Message],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    write(messages, false, RULES, &mut Report::default()).serialize(serializer)
}

struct Writer<'a, 'r> {
    keep_reasoning: bool,
    /// The written ids of the calls; those of a message that is written alone are its own.
    ids: Ids<'a>,
    report: &'r mut Report,
}

/// Serializes a message alone.
fn serialize_alone<'a, S: Serializer>(
    serializer: S,
    write: impl FnOnce(&mut Writer<'a, '_>) -> WrittenMessage<'a>,
) -> Result<S::Ok, S::Error> {
    let (ids, report) = (Ids::new(IdRules::default()), &mut Report::default());
    write(&mut Writer { keep_reasoning: false, ids, report }).serialize(serializer)
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_alone(serializer, |writer| writer.message(0, self))
    }
}

impl Serialize for AssistantMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_alone(serializer, |writer| writer.reply(0, self))
    }
}

impl Serialize for ToolMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_alone(serializer, |writer| writer.result(self))
    }
}

impl<'a> Writer<'a, '_> {
    fn message(&mut self, index: usize, message: &'a Message) -> WrittenMessage<'a> {
        match message {
            Message::System(input) => self.input(index, Role::System, input),
            Message::Developer(input) => self.input(index, Role::Developer, input),
            Message::User(input) => self.input(index, Role::User, input),
            Message::Assistant(reply) => self.reply(index, reply),
            Message::Tool(result) => self.result(result),
        }
    }

    fn content(&mut self, index: usize, content: &'a Content) -> TextOrParts<'a> {
        TextOrParts::new(NAME, content, write_part, |part| self.report.content_part(index, part))
    }

    fn input(&mut self, index: usize, role: Role, input: &'a InputMessage) -> WrittenMessage<'a> {
        WrittenMessage::new(role, Some(self.content(index, &input.content)), Some(&input.extra))
    }

    fn reply(&mut self, index: usize, reply: &'a AssistantMessage) -> WrittenMessage<'a> {
        // A message without an origin was read from a history, so a request contained its fields.
        let keep = match (&reply.origin, self.keep_reasoning) {
            (None, _) => Keep::All,
            (Some(_), true) => Keep::Reasoning,
            (Some(_), false) => Keep::None,
        };
        let content = match &reply.content {
            // Servers reject null without calls.
            None if reply.tool_calls.is_empty() && reply.origin.is_some() => {
                Some(TextOrParts::Text(Cow::Borrowed("")))
            }
            content => content.as_ref().map(|content| self.content(index, content)),
        };
        let calls = reply.tool_calls.iter();
        let calls = calls.map(|call| WrittenCall { call, id: self.ids.written(&call.id), keep });
        let mut written = WrittenMessage::new(Role::Assistant, content, Some(&reply.extra));
        written.tool_calls = calls.collect();
        written.refusal = reply.refusal.as_deref();
        written.extra.0.retain(|(field, value)| keep.keeps(field, value));
        let kept = if self.keep_reasoning { Kept::Own } else { Kept::None };
        report_dropped(index, reply, NAME, kept, self.report);
        written
    }

    /// A result: OpenAI accepts only text in it.
    fn result(&self, result: &'a ToolMessage) -> WrittenMessage<'a> {
        let content = &result.content;
        let prefix = if result.is_error() && !content.as_str().starts_with(ERROR) { ERROR } else { "" };
        let is_sent = prefix.is_empty() && (content.native(NAME).is_some() || !content.has_more_than_text());
        let content = if is_sent {
            TextOrParts::new(NAME, content, write_part, |_| {})
        } else {
            TextOrParts::Text(text_with_notices(prefix, content).into())
        };
        let mut written = WrittenMessage::new(Role::Tool, Some(content), Some(&result.extra));
        written.tool_call_id = Some(self.ids.written(&result.tool_call_id));
        written
    }

    /// The images and files of a result, after a line that names the call.
    fn media(&mut self, index: usize, result: &'a ToolMessage) -> Vec<Value> {
        let report = |part: ReportedPart<'_>| self.report.content_part(index, part);
        let mut media = write_media(NAME, &result.content, write_part, report);
        if !media.is_empty() {
            let id = self.ids.written(&result.tool_call_id);
            media.insert(0, text_part(&format!("Content of the result of the tool call {id}:")));
        }
        media
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
