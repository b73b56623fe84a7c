//! Contents: how the messages of a request are written.

use super::item::{ItemHead, provider_id};
use super::part::{is_empty_text, text_part, write_part};
use super::result;
use super::{NAME, SKIP_VALIDATION, names};
use crate::message::{AssistantMessage, Content, Message, Part, ReplyItem, ToolCall, ToolMessage};
use crate::tool_name;
use crate::wire::content_parts::{write_media, write_parts};
use crate::wire::element::{Element, arguments_object, items_with_heads};
use crate::wire::reasoning::{Kept, report_dropped};
use crate::wire::report::{ADDED_START, MOVED_TO_START, ReportedPart};
use crate::wire::{Body, Report, WireError, written_name};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

#[derive(Serialize)]
struct WrittenContent<'a> {
    role: &'static str,
    parts: Vec<Element<'a>>,
}

const USER: &str = "user";
const MODEL: &str = "model";

pub(super) fn write(body: &mut Body, messages: &[Message]) -> Result<(), WireError> {
    let mut writer = Writer {
        system: Vec::new(),
        contents: Vec::new(),
        calls: HashMap::new(),
        results: Vec::new(),
        report: &mut body.report,
    };
    for (index, message) in messages.iter().enumerate() {
        writer.message(index, message)?;
    }
    writer.write_results()?;
    if writer.contents.is_empty() {
        // The API rejects a request without contents.
        writer.start(messages.len().saturating_sub(1));
    }
    let Writer { system, contents, .. } = writer;
    if !system.is_empty() {
        body.write("systemInstruction", &BTreeMap::from([("parts", system)]))?;
    }
    body.write("contents", &contents)
}

struct Writer<'a, 'r> {
    /// The parts of the `systemInstruction`.
    system: Vec<Element<'a>>,
    contents: Vec<WrittenContent<'a>>,
    /// The calls of the newest reply, by the ids of the messages.
    calls: HashMap<&'a str, WrittenCall<'a>>,
    /// The results of the newest reply, with the indices of their messages.
    results: Vec<(usize, &'a ToolMessage)>,
    report: &'r mut Report,
}

/// The fields of a written call that its result has too.
struct WrittenCall<'a> {
    position: usize,
    name: String,
    id: Option<&'a Value>,
}

impl<'a> Writer<'a, '_> {
    fn message(&mut self, index: usize, message: &'a Message) -> Result<(), WireError> {
        if let Message::Tool(result) = message {
            self.results.push((index, result));
            return Ok(());
        }
        self.write_results()?;
        match message {
            Message::System(input) | Message::Developer(input) => {
                let parts = self.text_parts(index, &input.content);
                self.system.extend(parts);
                if !self.contents.is_empty() {
                    self.report.change(index, MOVED_TO_START);
                }
            }
            Message::User(input) => {
                let parts = self.parts(index, &input.content, write_part);
                self.push(index, USER, parts);
            }
            Message::Assistant(reply) => self.reply(index, reply)?,
            Message::Tool(_) => {}
        }
        Ok(())
    }

    /// Adds a content. Empty contents are left out, and adjacent contents of the model are joined, since the API rejects them
    /// otherwise ("function call turn comes immediately after a user turn or after a function response turn"). A conversation
    /// that starts with the model gets a text of the user before it, for the same reason.
    fn push(&mut self, index: usize, role: &'static str, parts: Vec<Element<'a>>) {
        match self.contents.last_mut() {
            _ if parts.is_empty() => return,
            Some(last) if last.role == MODEL && role == MODEL => return last.parts.extend(parts),
            None if role == MODEL => self.start(index),
            _ => {}
        }
        self.contents.push(WrittenContent { role, parts });
    }

    /// Adds the text of the user to a conversation that starts without one.
    fn start(&mut self, index: usize) {
        self.contents.push(WrittenContent { role: USER, parts: vec![text_part(".").into()] });
        self.report.change(index, ADDED_START);
    }

    fn reply(&mut self, index: usize, reply: &'a AssistantMessage) -> Result<(), WireError> {
        self.calls.clear();
        let mut parts = Vec::new();
        for (item, head) in items_with_heads::<ItemHead<'_>>(reply, NAME) {
            match item {
                ReplyItem::Native(json, call) => {
                    if let Some(call) = call {
                        self.add_call(call, head.function_name());
                    }
                    if !head.is_empty_text(json) {
                        parts.push(Element::native(json, &[])?);
                    }
                }
                ReplyItem::Content(content) => parts.extend(self.text_parts(index, content)),
                ReplyItem::Call(call) => {
                    let is_first = self.calls.is_empty();
                    parts.push(write_call(call, is_first)?);
                    self.add_call(call, None);
                }
            }
        }
        let refusal = reply.refusal().filter(|refusal| !refusal.is_empty());
        if let (true, Some(refusal)) = (parts.is_empty(), refusal) {
            parts.push(text_part(refusal).into());
        }
        report_dropped(index, reply, NAME, Kept::Own, self.report);
        self.push(index, MODEL, parts);
        Ok(())
    }

    /// Stores a call for its result. `name` is that of a part that is written unchanged.
    fn add_call(&mut self, call: &'a ToolCall, name: Option<String>) {
        let position = self.calls.len();
        let name = name.unwrap_or_else(|| names::written(&written_name(call)).into_owned());
        self.calls.entry(&call.id).or_insert(WrittenCall { position, name, id: provider_id(call) });
    }

    /// Writes the results of the newest reply in the order of its calls, since calls without ids are matched by order. They
    /// are in a content of their own: "the number of function response parts is equal to the number of function call parts".
    fn write_results(&mut self) -> Result<(), WireError> {
        let mut results = std::mem::take(&mut self.results);
        let position = |id: &str| self.calls.get(id).map_or(usize::MAX, |call| call.position);
        results.sort_by_key(|(_, result)| position(&result.tool_call_id));
        let newest = results.last().map_or(0, |(index, _)| *index);
        let (mut parts, mut media) = (Vec::with_capacity(results.len()), Vec::new());
        for (number, (index, result)) in (1..).zip(results) {
            let call = self.calls.get(&*result.tool_call_id);
            let name = call.map_or_else(|| name_without_call(result), |call| call.name.clone());
            if result.content.native(NAME).is_some_and(|response| !response.is_object()) {
                self.report.change(index, "the response of a function is an object");
            }
            parts.push(result::write(result, &name, call.and_then(|call| call.id))?);
            // Older models do not accept images and files in the result.
            let report = |part: ReportedPart<'_>| self.report.content_part(index, part);
            let written = write_media(NAME, &result.content, write_part, report);
            if !written.is_empty() {
                let title = format!("Content of the result of call {number}, `{name}`:");
                media.push(text_part(&title).into());
            }
            media.extend(written.into_iter().map(Element::from));
        }
        self.push(newest, USER, parts);
        self.push(newest, USER, media);
        Ok(())
    }

    /// The text of a content whose place allows no other parts.
    fn text_parts(&mut self, index: usize, content: &'a Content) -> Vec<Element<'a>> {
        self.parts(index, content, |part| write_part(part).filter(|_| part.as_text().is_some()))
    }

    /// The content that was read, or its parts that `write` returns.
    fn parts(
        &mut self,
        index: usize,
        content: &'a Content,
        write: impl Fn(&Part) -> Option<Value>,
    ) -> Vec<Element<'a>> {
        let parts = write_parts(NAME, content, write, |part| self.report.content_part(index, part));
        parts.into_iter().filter(|part| !is_empty_text(part)).map(Element::Value).collect()
    }
}

/// The part of a call that does not come from the model, or not in this form.
fn write_call(call: &ToolCall, is_first: bool) -> Result<Element<'_>, WireError> {
    let name = written_name(call);
    let id = provider_id(call).map(|id| ("id", id.into()));
    let others =
        [("name", (&*names::written(&name)).into()), ("args", Element::Raw(arguments_object(call)?))];
    let function_call = Element::object(id.into_iter().chain(others))?;
    let signature = is_first.then(|| ("thoughtSignature", SKIP_VALIDATION.into()));
    Element::object([("functionCall", function_call)].into_iter().chain(signature))
}

/// The name in a result without a call, which only an invalid history has.
fn name_without_call(result: &ToolMessage) -> String {
    names::written(&tool_name::sanitize(result.tool().unwrap_or("unknown"))).into_owned()
}
