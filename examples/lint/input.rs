//! A history, and its place in the text that contains it.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use tool_runtime::message::Message;
use tool_runtime::wire::{self, Wire, WireError};
use tool_runtime_testing::check_request;

pub(crate) const EXPECTED: &str =
    "expected a request with `messages`, `input` or `contents`, or only that array";

/// A history, as messages and as the text that contains it.
pub(crate) struct History<'a> {
    pub(crate) wire: Arc<dyn Wire>,
    /// The field of a request with the array.
    pub(crate) field: &'static str,
    /// The text of the request before the array.
    pub(crate) before: &'a str,
    pub(crate) array: &'a str,
    /// The text of the request after the array.
    pub(crate) after: &'a str,
    /// The elements of the array.
    pub(crate) elements: Vec<&'a RawValue>,
    /// The messages of all groups.
    pub(crate) messages: Vec<Message>,
    pub(crate) groups: Vec<Group>,
    /// Whether the server has earlier messages of the conversation.
    continues: bool,
}

/// The smallest sequence of elements that represents whole messages: an element, or the items of a reply.
pub(crate) struct Group {
    pub(crate) elements: Range<usize>,
    pub(crate) messages: Range<usize>,
}

impl<'a> History<'a> {
    /// Reads a history of this wire, or of the detected wire.
    pub(crate) fn parse(text: &'a str, name: Option<&str>) -> Result<Self, String> {
        let json: &RawValue =
            serde_json::from_str(text).map_err(|error| format!("this is not JSON: {error}; {EXPECTED}"))?;
        let detected = wire::detect(text);
        let known = name.or(detected).unwrap_or("chat_completions");
        let wire = wire::by_name(known).map_err(|error| match name {
            Some(_) => error.to_string(),
            None => format!("this looks like the format of `{known}`: {error}"),
        })?;
        let field = match wire.name() {
            "gemini_interactions" | "responses" => "input",
            "gemini" => "contents",
            _ => "messages",
        };
        let mut continues = false;
        let array = if json.get().starts_with('[') {
            json
        } else if json.get().starts_with('{') {
            let request: HashMap<String, &RawValue> = serde_json::from_str(text)
                .map_err(|error| format!("this cannot be read: {error}; {EXPECTED}"))?;
            let is_set = |field: &str| request.get(field).is_some_and(|value| value.get() != "null");
            let previous = ["previous_response_id", "previous_interaction_id", "conversation"];
            continues = field == "input" && previous.into_iter().any(is_set);
            *request.get(field).ok_or_else(|| match detected.filter(|detected| *detected != wire.name()) {
                Some(detected) => format!(
                    "this has no `{field}`, which the wire `{}` reads: it looks like `{detected}`",
                    wire.name()
                ),
                None => format!("this is an object without `{field}`; {EXPECTED}"),
            })?
        } else {
            return Err(format!("this is JSON, but neither an array nor an object; {EXPECTED}"));
        };
        let start = array.get().as_ptr().addr() - text.as_ptr().addr();
        let mut history = History {
            wire,
            field,
            before: &text[..start],
            array: array.get(),
            after: &text[start + array.get().len()..],
            elements: Vec::new(),
            messages: Vec::new(),
            groups: Vec::new(),
            continues,
        };
        history.read()?;
        Ok(history)
    }

    fn read(&mut self) -> Result<(), String> {
        if self.field == "input" && self.array.starts_with('"') {
            self.messages.push(Message::user(serde_json::from_str::<String>(self.array).unwrap_or_default()));
            return Ok(());
        }
        self.elements = serde_json::from_str(self.array)
            .map_err(|_| format!("`{}` is not an array; {EXPECTED}", self.field))?;
        self.read_groups()?;
        self.messages = self
            .wire
            .read_messages(self.array)
            .map_err(|error| format!("the messages cannot be read: {error}"))?;
        if self.groups.last().map_or(0, |group| group.messages.end) != self.messages.len() {
            // One group of all elements is correct for every wire.
            let (elements, messages) = (0..self.elements.len(), 0..self.messages.len());
            self.groups = vec![Group { elements, messages }];
        }
        self.skip_earlier_results();
        Ok(())
    }

    /// Each element is read alone for its number of messages, and for errors that name it.
    fn read_groups(&mut self) -> Result<(), String> {
        let mut is_in_reply = false;
        let mut next = 0;
        for (index, element) in self.elements.iter().enumerate() {
            let messages = self
                .wire
                .read_messages(&format!("[{}]", element.get()))
                .map_err(|error| self.element_error(index, &error))?;
            // A reply of the Responses API has several items, and one of the Interactions API has several steps.
            let is_of_reply = self.field == "input" && matches!(&*messages, [Message::Assistant(_)]);
            if let Some(reply) = self.groups.last_mut().filter(|_| is_in_reply && is_of_reply) {
                reply.elements.end = index + 1;
            } else {
                let messages = next..next + messages.len();
                next = messages.end;
                self.groups.push(Group { elements: index..index + 1, messages });
            }
            is_in_reply = is_of_reply;
        }
        Ok(())
    }

    fn element_error(&self, index: usize, error: &WireError) -> String {
        let place = format!("{}[{index}]", self.field);
        match error {
            WireError::OtherWire { wire, .. } if wire::by_name(wire).is_ok() => {
                format!("{place} is not in the format of `{}`: use --wire {wire}", self.wire.name())
            }
            WireError::OtherWire { wire, .. } => {
                format!("{place} is in the format of `{wire}`, which has no wire")
            }
            error => format!("{place} cannot be read: {error}"),
        }
    }

    /// The results at the start belong to calls of the messages that the server has.
    fn skip_earlier_results(&mut self) {
        let results = self.messages.iter().take_while(|message| matches!(message, Message::Tool(_))).count();
        if self.continues && results > 0 {
            self.groups.retain(|group| group.messages.start >= results);
            self.messages.drain(..results);
            for group in &mut self.groups {
                group.messages = group.messages.start - results..group.messages.end - results;
            }
        }
    }

    /// The place of a message in the array: for example `contents[2]`.
    pub(crate) fn place(&self, message: usize) -> String {
        let group = self.groups.partition_point(|group| group.messages.end <= message);
        let element = self.groups.get(group).map_or(self.elements.len(), |group| group.elements.start);
        format!("{}[{element}]", self.field)
    }

    /// The error message with which the provider would reject this array. None for Chat Completions, whose providers differ
    /// in the fields that they accept.
    pub(crate) fn rejected(&self, array: &str) -> Option<String> {
        if self.wire.name() == "chat_completions" {
            return None;
        }
        let array: Value = serde_json::from_str(array).ok()?;
        let mut request = Map::from_iter([(self.field.to_owned(), array)]);
        if self.continues {
            let field = if self.wire.name() == "responses" {
                "previous_response_id"
            } else {
                "previous_interaction_id"
            };
            request.insert(field.to_owned(), "resp_1".into());
        }
        if self.wire.name() == "bedrock" {
            // A request with calls must have tools.
            let tool = json!({"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}});
            request.insert("toolConfig".to_owned(), json!({"tools": [tool]}));
        }
        check_request(&self.wire, &request.into()).err().map(|rejected| rejected.message)
    }
}
