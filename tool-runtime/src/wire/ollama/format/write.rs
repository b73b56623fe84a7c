//! Messages: how they are written. <https://docs.ollama.com/capabilities/tool-calling> has examples.

use super::{NAME, RULES};
use crate::message::{
    AssistantMessage, Content, ERROR, InputMessage, Media, Message, Part, ToolCall, ToolMessage,
};
use crate::wire::ids::Ids;
use crate::wire::reasoning::{Kept, report_dropped};
use crate::wire::{Report, text_with_notices, written_arguments, written_name};
use serde::ser::{Error as _, SerializeMap, SerializeSeq as _};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;

/// The messages of a request. Images of tool results are in a user message after the last result of a reply.
pub(super) struct WrittenMessages<'a>(pub(super) &'a [Message]);

impl Serialize for WrittenMessages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        let mut images = Vec::new();
        let mut calls = Calls { ids: Ids::new(RULES), names: HashMap::new() };
        for (index, message) in self.0.iter().enumerate() {
            if let Message::Assistant(reply) = message {
                calls.ids.start_reply(&reply.tool_calls);
                calls.names = reply.tool_calls.iter().map(|call| (&*call.id, written_name(call))).collect();
            }
            list.serialize_element(&WrittenMessage { message, calls: &calls })?;
            let Message::Tool(result) = message else { continue };
            images.extend(images_of(&result.content));
            if !images.is_empty() && !matches!(self.0.get(index + 1), Some(Message::Tool(_))) {
                let content = Content::from("Images of the tool results:");
                list.serialize_element(&WrittenInput { role: "user", content: &content, images: &images })?;
                images.clear();
            }
        }
        list.end()
    }
}

/// The calls of the newest reply.
struct Calls<'a> {
    ids: Ids<'a>,
    /// The written names, by the ids of the calls.
    names: HashMap<&'a str, Cow<'a, str>>,
}

struct WrittenMessage<'a> {
    message: &'a Message,
    calls: &'a Calls<'a>,
}

impl Serialize for WrittenMessage<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.message {
            // Templates of models know no other role for instructions.
            Message::System(input) | Message::Developer(input) => write_input("system", input, serializer),
            Message::User(input) => write_input("user", input, serializer),
            Message::Assistant(reply) => self.write_reply(reply, serializer),
            Message::Tool(result) => self.write_result(result, serializer),
        }
    }
}

impl WrittenMessage<'_> {
    fn write_reply<S: Serializer>(&self, reply: &AssistantMessage, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", "assistant")?;
        let refusal = reply.refusal().filter(|_| reply.text().is_empty() && reply.tool_calls.is_empty());
        map.serialize_entry("content", refusal.unwrap_or(reply.text()))?;
        if let Some(thinking) = reply.reasoning_field() {
            map.serialize_entry("thinking", thinking)?;
        }
        if !reply.tool_calls.is_empty() {
            let ids = &self.calls.ids;
            let calls: Vec<_> = reply.tool_calls.iter().map(|call| WrittenCall { call, ids }).collect();
            map.serialize_entry("tool_calls", &calls)?;
        }
        map.end()
    }

    fn write_result<S: Serializer>(&self, result: &ToolMessage, serializer: S) -> Result<S::Ok, S::Error> {
        let prefix = if result.is_error() && !result.text().starts_with(ERROR) { ERROR } else { "" };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", "tool")?;
        let name = self.calls.names.get(&*result.tool_call_id).map(|name| &**name);
        if let Some(name) = name.or_else(|| result.tool()) {
            map.serialize_entry("tool_name", name)?;
        }
        map.serialize_entry("tool_call_id", &self.calls.ids.written(&result.tool_call_id))?;
        map.serialize_entry("content", &text_with_notices(prefix, &result.content))?;
        map.end()
    }
}

struct WrittenCall<'a> {
    call: &'a ToolCall,
    ids: &'a Ids<'a>,
}

impl Serialize for WrittenCall<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Function<'a> {
            name: &'a str,
            arguments: &'a RawValue,
        }
        let (name, arguments) = (written_name(self.call), written_arguments(self.call));
        let arguments = serde_json::from_str(arguments.trim()).map_err(S::Error::custom)?;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.ids.written(&self.call.id))?;
        map.serialize_entry("type", "function")?;
        map.serialize_entry("function", &Function { name: &name, arguments })?;
        map.end()
    }
}

/// A message of text and images.
struct WrittenInput<'a> {
    role: &'a str,
    content: &'a Content,
    images: &'a [&'a str],
}

fn write_input<S: Serializer>(role: &str, input: &InputMessage, serializer: S) -> Result<S::Ok, S::Error> {
    let images: Vec<&str> = images_of(&input.content).collect();
    WrittenInput { role, content: &input.content, images: &images }.serialize(serializer)
}

impl Serialize for WrittenInput<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", self.role)?;
        map.serialize_entry("content", self.content.as_str())?;
        if !self.images.is_empty() {
            map.serialize_entry("images", self.images)?;
        }
        map.end()
    }
}

/// The images in base64.
fn images_of(content: &Content) -> impl Iterator<Item = &str> {
    content.parts().unwrap_or_default().iter().filter_map(image)
}

fn image(part: &Part) -> Option<&str> {
    match part {
        Part::Image { media: Media::Data { base64, .. } } => Some(base64),
        _ => None,
    }
}

/// Reports the parts of messages that are not written.
pub(super) fn report(messages: &[Message]) -> Report {
    let mut report = Report::default();
    for (index, message) in messages.iter().enumerate() {
        let content = match message {
            Message::System(input) | Message::Developer(input) | Message::User(input) => &input.content,
            Message::Tool(result) => &result.content,
            Message::Assistant(reply) => {
                report_dropped(index, reply, NAME, Kept::Text, &mut report);
                // A reply has text only.
                let parts = reply.content.as_ref().and_then(Content::parts).unwrap_or_default().iter();
                for part in parts.filter(|part| part.as_text().is_none()) {
                    report.drop_content_part(index, part);
                }
                continue;
            }
        };
        let parts = content.parts().unwrap_or_default().iter();
        for part in parts.filter(|part| part.as_text().is_none() && image(part).is_none()) {
            report.drop_content_part(index, part);
        }
    }
    report
}
