//! Contents: how the messages of a request are written.

use super::item::{ItemHead, provider_id};
use super::part::{text_part, write_part};
use super::result::{self, WrittenResult};
use super::{NAME, names};
use crate::message::{AssistantMessage, Content, Message, ReplyItem, ToolCall, ToolMessage};
use crate::tool_name;
use crate::wire::body::{raw, raw_from};
use crate::wire::reasoning::{Kept, report_dropped};
use crate::wire::{Report, WireError, written_arguments, written_name};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// The contents of a request, and the parts of its `systemInstruction`.
#[derive(Default)]
pub(super) struct Written {
    pub(super) system: Vec<Json>,
    pub(super) contents: Vec<WrittenContent>,
}

type Json = Box<RawValue>;

#[derive(Serialize)]
pub(super) struct WrittenContent {
    role: &'static str,
    parts: Vec<Json>,
}

const USER: &str = "user";
const MODEL: &str = "model";

/// The signature of a call that does not come from the model. The API requires a signature in the first call of each reply:
/// <https://ai.google.dev/gemini-api/docs/thought-signatures#faqs>.
const SKIP_VALIDATION: &str = "skip_thought_signature_validator";

pub(super) fn write(messages: &[Message], report: &mut Report) -> Result<Written, WireError> {
    let mut writer =
        Writer { written: Written::default(), calls: HashMap::new(), results: Vec::new(), report };
    for (index, message) in messages.iter().enumerate() {
        writer.message(index, message)?;
    }
    writer.write_results()?;
    if writer.written.contents.is_empty() {
        // The API rejects a request without contents.
        writer.push(USER, vec![start()?])?;
    }
    Ok(writer.written)
}

struct Writer<'a, 'r> {
    written: Written,
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
                let parts = self.text_parts(index, &input.content)?;
                self.written.system.extend(parts);
            }
            Message::User(input) => {
                let parts = self.content(index, &input.content)?;
                self.push(USER, parts)?;
            }
            Message::Assistant(reply) => self.reply(index, reply)?,
            Message::Tool(_) => {}
        }
        Ok(())
    }

    /// Adds a content. Empty contents are left out, and adjacent contents of the model are joined, since the API rejects them
    /// otherwise ("function call turn comes immediately after a user turn or after a function response turn"). A conversation
    /// that starts with the model gets a text of the user before it, for the same reason.
    fn push(&mut self, role: &'static str, parts: Vec<Json>) -> Result<(), WireError> {
        let contents = &mut self.written.contents;
        match contents.last_mut() {
            _ if parts.is_empty() => return Ok(()),
            Some(last) if last.role == MODEL && role == MODEL => {
                last.parts.extend(parts);
                return Ok(());
            }
            None if role == MODEL => {
                contents.push(WrittenContent { role: USER, parts: vec![start()?] });
            }
            _ => {}
        }
        contents.push(WrittenContent { role, parts });
        Ok(())
    }

    fn reply(&mut self, index: usize, reply: &'a AssistantMessage) -> Result<(), WireError> {
        self.calls.clear();
        let mut parts = Vec::new();
        for item in reply.items(NAME) {
            match item {
                ReplyItem::Native(json, call) => {
                    let part = ItemHead::read(json).unwrap_or_default();
                    if let Some(call) = call {
                        let name = part.function_name();
                        self.add_call(call, name);
                    }
                    if !part.is_empty_text() {
                        parts.push(raw_from(json.to_owned())?);
                    }
                }
                ReplyItem::Content(content) => parts.extend(self.text_parts(index, content)?),
                ReplyItem::Call(call) => {
                    let is_first = self.calls.is_empty();
                    parts.push(write_call(call, is_first)?);
                    self.add_call(call, None);
                }
            }
        }
        let refusal = reply.refusal().filter(|refusal| !refusal.is_empty());
        if let (true, Some(refusal)) = (parts.is_empty(), refusal) {
            parts.push(raw(&text_part(refusal))?);
        }
        report_dropped(index, reply, NAME, Kept::Own, self.report);
        self.push(MODEL, parts)
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
        let (mut parts, mut media) = (Vec::with_capacity(results.len()), Vec::new());
        for (number, (index, result)) in (1..).zip(results) {
            let call = self.calls.get(&*result.tool_call_id);
            let name = call.map_or_else(|| name_without_call(result), |call| call.name.clone());
            parts.push(raw(&WrittenResult::new(result, &name, call.and_then(|call| call.id)))?);
            let (written, dropped) = result::media(result);
            if !written.is_empty() {
                let title = format!("Content of the result of call {number}, `{name}`:");
                media.push(raw(&text_part(&title))?);
            }
            for part in written {
                media.push(raw(&part)?);
            }
            for kind in dropped {
                self.report.drop_part(index, kind);
            }
        }
        self.push(USER, parts)?;
        self.push(USER, media)
    }

    /// The text of a content whose place allows no other parts.
    fn text_parts(&mut self, index: usize, content: &Content) -> Result<Vec<Json>, WireError> {
        if content.native(NAME).is_some() {
            return self.content(index, content);
        }
        let mut written = Vec::new();
        for part in content.to_parts() {
            match part.as_text() {
                Some(text) if text.is_empty() => {}
                Some(text) => written.push(raw(&text_part(&text))?),
                None => self.report.drop_content_part(index, &part),
            }
        }
        Ok(written)
    }

    fn content(&mut self, index: usize, content: &Content) -> Result<Vec<Json>, WireError> {
        let mut written = Vec::new();
        if let Some(Value::Array(parts)) = content.native(NAME) {
            for part in parts {
                let json = raw(part)?;
                if !ItemHead::read(json.get()).unwrap_or_default().is_empty_text() {
                    written.push(json);
                }
            }
            return Ok(written);
        }
        for part in content.to_parts() {
            match write_part(&part) {
                Some(part) => written.push(raw(&part)?),
                None if part.as_text().is_some() => {}
                None => self.report.drop_content_part(index, &part),
            }
        }
        Ok(written)
    }
}

/// The part of a call that does not come from the model, or not in this form.
fn write_call(call: &ToolCall, is_first: bool) -> Result<Json, WireError> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct CallPart<'a> {
        function_call: FunctionCall<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        thought_signature: Option<&'static str>,
    }
    #[derive(Serialize)]
    struct FunctionCall<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a Value>,
        name: &'a str,
        args: Json,
    }
    let args = raw_from(written_arguments(call).into_owned())?;
    let name = written_name(call);
    raw(&CallPart {
        function_call: FunctionCall { id: provider_id(call), name: &names::written(&name), args },
        thought_signature: is_first.then_some(SKIP_VALIDATION),
    })
}

/// The text of the user in a conversation that starts without one.
fn start() -> Result<Json, WireError> {
    raw(&text_part("."))
}

/// The name in a result without a call, which only an invalid history has.
fn name_without_call(result: &ToolMessage) -> String {
    names::written(&tool_name::sanitize(result.tool().unwrap_or("unknown"))).into_owned()
}
