//! The input of an interaction: how messages are written.

use super::content::{text_content, write_part};
use super::step::StepHead;
use super::{GeminiInteractions, NAME, SKIP_VALIDATION, names};
use crate::message::{AssistantMessage, Content, Message, ReplyItem, ToolCall, ToolMessage};
use crate::tool_name;
use crate::wire::content_parts::{TextOrParts, write_parts};
use crate::wire::element::{Element, arguments_object, items_with_heads};
use crate::wire::newest_response::newest_response;
use crate::wire::reasoning::{Kept, report_dropped};
use crate::wire::report::{ADDED_START, MOVED_TO_START, ReportedPart};
use crate::wire::{Body, Report, WireError, written_name};
use serde_json::json;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;

pub(super) fn write(
    body: &mut Body,
    wire: &GeminiInteractions,
    messages: &[Message],
) -> Result<(), WireError> {
    let previous = newest_response(messages, NAME).filter(|_| wire.previous_interaction && wire.store);
    let first = previous.map_or(0, |(index, _)| index + 1);
    let mut writer = Writer {
        instructions: Vec::new(),
        steps: Vec::new(),
        names: HashMap::new(),
        report: &mut body.report,
    };
    for (index, message) in messages.iter().enumerate() {
        let is_instruction = matches!(message, Message::System(_) | Message::Developer(_));
        if index >= first || is_instruction {
            // The server does not keep instructions.
            writer.message(index, message)?;
        }
    }
    if let (true, None, Some(last)) = (writer.steps.is_empty(), previous, messages.len().checked_sub(1)) {
        writer.steps.push(json!({ "type": "user_input", "content": [text_content(".")] }).into());
        writer.report.change(last, ADDED_START);
    }
    let Writer { instructions, steps, .. } = writer;
    if !instructions.is_empty() {
        body.write("system_instruction", &instructions.join("\n\n"))?;
    }
    body.write("input", &steps)?;
    if let Some((_, id)) = previous {
        body.write("previous_interaction_id", &id)?;
    }
    Ok(())
}

struct Writer<'a, 'r> {
    instructions: Vec<&'a str>,
    steps: Vec<Element<'a>>,
    /// The written names of the calls of the newest reply, by their ids.
    names: HashMap<&'a str, String>,
    report: &'r mut Report,
}

impl<'a> Writer<'a, '_> {
    fn message(&mut self, index: usize, message: &'a Message) -> Result<(), WireError> {
        match message {
            Message::System(input) | Message::Developer(input) => {
                self.report_media(index, &input.content);
                self.instructions.extend(Some(input.text()).filter(|text| !text.is_empty()));
                if !self.steps.is_empty() {
                    self.report.change(index, MOVED_TO_START);
                }
            }
            Message::User(input) => {
                let report = |part: ReportedPart<'_>| self.report.content_part(index, part);
                let contents = write_parts(NAME, &input.content, write_part, report);
                if !contents.is_empty() {
                    self.steps.push(json!({ "type": "user_input", "content": contents }).into());
                }
            }
            Message::Assistant(reply) => self.reply(index, reply)?,
            Message::Tool(result) => self.result(index, result)?,
        }
        Ok(())
    }

    /// Reports what is not text, for a place that allows nothing else.
    fn report_media(&mut self, index: usize, content: &Content) {
        for part in content.parts().unwrap_or_default().iter().filter(|part| part.as_text().is_none()) {
            self.report.content_part(index, ReportedPart::Dropped(part));
        }
    }

    fn reply(&mut self, index: usize, reply: &'a AssistantMessage) -> Result<(), WireError> {
        self.names.clear();
        let first = self.steps.len();
        let mut has_thought = false;
        for (item, head) in items_with_heads::<StepHead<'_>>(reply, NAME) {
            let is_call = matches!(item, ReplyItem::Native(_, Some(_)) | ReplyItem::Call(_));
            if is_call && !has_thought {
                // The API rejects a call without a thought before it in its reply.
                self.steps.push(json!({ "type": "thought", "signature": SKIP_VALIDATION }).into());
            }
            has_thought |= is_call || head.r#type == "thought";
            match item {
                ReplyItem::Native(json, Some(call)) => {
                    self.names.insert(&call.id, head.name.as_str().unwrap_or_default().to_owned());
                    // The id that came may be that of an earlier call.
                    let changes = [("id", Some(&*call.id))];
                    let is_same = head.id == *call.id;
                    self.steps.push(Element::native(json, if is_same { &[] } else { &changes })?);
                }
                ReplyItem::Native(json, None) => self.steps.push(Element::native(json, &[])?),
                ReplyItem::Content(content) => {
                    self.report_media(index, content);
                    self.text(content.as_str());
                }
                ReplyItem::Call(call) => self.call(call)?,
            }
        }
        if let Some(refusal) = reply.refusal().filter(|_| self.steps.len() == first) {
            self.text(refusal);
        }
        report_dropped(index, reply, NAME, Kept::Own, self.report);
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.steps.push(json!({ "type": "model_output", "content": [text_content(text)] }).into());
        }
    }

    fn call(&mut self, call: &'a ToolCall) -> Result<(), WireError> {
        let name = names::written(&written_name(call)).into_owned();
        self.steps.push(Element::object([
            ("type", "function_call".into()),
            ("id", (&*call.id).into()),
            ("name", (&*name).into()),
            ("arguments", Element::Raw(arguments_object(call)?)),
        ])?);
        self.names.insert(&call.id, name);
        Ok(())
    }

    /// The API requires the name of the tool, although its documentation does not.
    fn result(&mut self, index: usize, result: &'a ToolMessage) -> Result<(), WireError> {
        let content = &result.content;
        let object = Some(content.as_str()).filter(|text| content.is_json() && text.starts_with('{'));
        let object: Option<&RawValue> = object.and_then(|text| serde_json::from_str(text).ok());
        let is_object = content.native(NAME).is_none() && !result.is_error();
        let written = if let Some(object) = object.filter(|_| is_object) {
            Element::Raw(Cow::Borrowed(object))
        } else {
            let report = |part: ReportedPart<'_>| self.report.content_part(index, part);
            TextOrParts::new(NAME, content, write_part, report).into_value().into()
        };
        let other_name =
            || names::written(&tool_name::sanitize(result.tool().unwrap_or("unknown"))).into_owned();
        let name = self.names.get(&*result.tool_call_id).cloned().unwrap_or_else(other_name);
        let fields = [
            ("type", "function_result".into()),
            ("call_id", (&*result.tool_call_id).into()),
            ("name", (&*name).into()),
            ("result", written),
        ];
        let is_error = result.is_error().then(|| ("is_error", json!(true).into()));
        let extra = result.extra.on_wire(NAME).map(|(field, value)| (&**field, value.into()));
        self.steps.push(Element::object(fields.into_iter().chain(is_error).chain(extra))?);
        Ok(())
    }
}
