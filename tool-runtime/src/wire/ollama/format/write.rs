//! Messages: how they are written. <https://docs.ollama.com/capabilities/tool-calling> has examples.

use super::{NAME, RULES};
use crate::message::{AssistantMessage, Content, ERROR, Media, Message, Part, ToolMessage};
use crate::wire::element::{Element, arguments_object};
use crate::wire::ids::Ids;
use crate::wire::images::{self, Image};
use crate::wire::reasoning::{Kept, report_dropped};
use crate::wire::report::ReportedPart;
use crate::wire::{Report, WireError, text_with_notices, written_name};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashMap;

/// A message of a request.
#[derive(Default, Serialize)]
pub(super) struct WrittenMessage<'a> {
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<Cow<'a, str>>,
    content: Cow<'a, str>,
    /// In base64.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    images: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Element<'a>>,
}

/// The messages of a request. Images of tool results are in a user message after the last result of a reply.
pub(super) fn write<'a>(
    messages: &'a [Message],
    report: &mut Report,
) -> Result<Vec<WrittenMessage<'a>>, WireError> {
    let mut writer = Writer { ids: Ids::new(RULES), names: HashMap::new(), report };
    let mut written = Vec::with_capacity(messages.len());
    let mut images = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        written.push(writer.message(index, message)?);
        let Message::Tool(result) = message else { continue };
        images.extend(writer.images(index, &result.content));
        if !images.is_empty() && !matches!(messages.get(index + 1), Some(Message::Tool(_))) {
            let (content, images) = ("Images of the tool results:".into(), std::mem::take(&mut images));
            written.push(WrittenMessage { role: "user", content, images, ..WrittenMessage::default() });
        }
    }
    Ok(written)
}

struct Writer<'a, 'r> {
    ids: Ids<'a>,
    /// The written names of the calls of the newest reply, by their ids.
    names: HashMap<&'a str, Cow<'a, str>>,
    report: &'r mut Report,
}

impl<'a> Writer<'a, '_> {
    fn message(&mut self, index: usize, message: &'a Message) -> Result<WrittenMessage<'a>, WireError> {
        let (role, input) = match message {
            // Templates of models know no other role for instructions.
            Message::System(input) | Message::Developer(input) => ("system", input),
            Message::User(input) => ("user", input),
            Message::Assistant(reply) => return self.reply(index, reply),
            Message::Tool(result) => return Ok(self.result(result)),
        };
        let (content, images) = (input.content.as_str().into(), self.images(index, &input.content));
        Ok(WrittenMessage { role, content, images, ..WrittenMessage::default() })
    }

    fn reply(&mut self, index: usize, reply: &'a AssistantMessage) -> Result<WrittenMessage<'a>, WireError> {
        self.ids.start_reply(&reply.tool_calls);
        self.names = reply.tool_calls.iter().map(|call| (&*call.id, written_name(call))).collect();
        report_dropped(index, reply, NAME, Kept::Text, self.report);
        // A reply has text only.
        let parts = reply.content.as_ref().and_then(Content::parts).unwrap_or_default().iter();
        for part in parts.filter(|part| part.as_text().is_none()) {
            self.report.content_part(index, ReportedPart::Dropped(part));
        }
        let mut tool_calls = Vec::with_capacity(reply.tool_calls.len());
        for call in &reply.tool_calls {
            let arguments = Element::Raw(arguments_object(call)?);
            let function =
                Element::object([("name", (&*written_name(call)).into()), ("arguments", arguments)])?;
            let id = (&*self.ids.written(&call.id)).into();
            tool_calls.push(Element::object([
                ("id", id),
                ("type", "function".into()),
                ("function", function),
            ])?);
        }
        let refusal = reply.refusal().filter(|_| reply.text().is_empty() && reply.tool_calls.is_empty());
        let (content, thinking) = (refusal.unwrap_or(reply.text()).into(), reply.reasoning_field());
        Ok(WrittenMessage { role: "assistant", content, thinking, tool_calls, ..WrittenMessage::default() })
    }

    fn result(&self, result: &'a ToolMessage) -> WrittenMessage<'a> {
        let prefix = if result.is_error() && !result.text().starts_with(ERROR) { ERROR } else { "" };
        let name = self.names.get(&*result.tool_call_id).cloned();
        WrittenMessage {
            role: "tool",
            tool_name: name.or_else(|| result.tool().map(Cow::Borrowed)),
            tool_call_id: Some(self.ids.written(&result.tool_call_id)),
            content: text_with_notices(prefix, &result.content).into(),
            ..WrittenMessage::default()
        }
    }

    /// Whether it is an image of a type that models do not take. The API detects the type in the data.
    fn is_rejected(part: &Part) -> bool {
        matches!(images::accepted(NAME, part), Some(Image::Rejected(_)))
    }

    /// The images of a content. All other parts are dropped.
    fn images(&mut self, index: usize, content: &'a Content) -> Vec<&'a str> {
        let mut images = Vec::new();
        for part in content.parts().unwrap_or_default() {
            match part {
                Part::Image { media: Media::Data { base64, .. } } if !Self::is_rejected(part) => {
                    images.push(&**base64);
                }
                part if part.as_text().is_none() => {
                    self.report.content_part(index, ReportedPart::Dropped(part));
                }
                _ => {}
            }
        }
        images
    }
}
