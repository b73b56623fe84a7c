//! Histories: how the contents of a request are read.

use super::item::provider_id;
use super::part::read_content;
use super::{NAME, reply, result};
use crate::message::{AssistantMessage, InputMessage, Message, Origin};
use crate::wire::error::beginning;
use crate::wire::expected::Expected;
use crate::wire::open_calls::OpenCalls;
use crate::wire::{WireError, detect, other_wires};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

const REQUEST: Expected = Expected::request(NAME, "the contents of a request of the Gemini API");

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    #[serde(default, alias = "system_instruction")]
    system_instruction: Value,
    #[serde(borrow)]
    contents: Vec<ReadContent<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ReadContent<'a> {
    role: Option<String>,
    #[serde(borrow)]
    parts: Option<Vec<&'a RawValue>>,
    /// A field of other APIs.
    content: Value,
    r#type: Value,
}

/// Reads the body of a request, or its array of contents.
pub(super) fn messages(body: &str) -> Result<Vec<Message>, WireError> {
    let from_list = |contents| Request { system_instruction: Value::Null, contents };
    let Request { system_instruction, contents } = REQUEST.read_or_list(body, from_list)?;
    let mut reader = Reader::default();
    reader.read_system(system_instruction)?;
    let contents = contents.into_iter().map(read_turn).collect::<Result<Vec<_>, _>>()?;
    for content in &contents {
        if let Turn::Model(reply) = content {
            reader.calls.reserve(&reply.tool_calls);
        }
    }
    for content in contents {
        match content {
            Turn::Model(mut reply) => {
                reader.calls.start_reply(&mut reply, |call| provider_id(call)?.as_str());
                reader.messages.push(Message::Assistant(*reply));
            }
            Turn::User(parts) => reader.read_user(parts),
        }
    }
    Ok(reader.messages)
}

/// A content whose calls and results may lack ids.
enum Turn {
    Model(Box<AssistantMessage>),
    User(Vec<Value>),
}

fn read_turn(content: ReadContent<'_>) -> Result<Turn, WireError> {
    let ReadContent { role, parts, content, r#type } = content;
    let Some(parts) = parts else {
        let mut kinds = content.as_array().into_iter().flatten().filter_map(|part| part["type"].as_str());
        let wire = r#type.as_str().filter(|kind| *kind != "message").and_then(detect::wire_of_part);
        return Err(match wire.or_else(|| kinds.find_map(detect::wire_of_part)) {
            Some(wire) => other_wires::error(wire),
            None if !content.is_null() => other_wires::error("chat_completions"),
            None => REQUEST.unexpected("a content without `parts`"),
        });
    };
    match role.as_deref() {
        Some("model") => {
            let mut reply = reply::read_parts(&parts).map_err(|error| REQUEST.unexpected(error))?;
            reply.origin = Some(Origin::new(NAME));
            Ok(Turn::Model(Box::new(reply)))
        }
        // `function` is the role of results in the first version of the API.
        None | Some("" | "user" | "function") => {
            let parts = parts.iter().map(|part| REQUEST.read_part(part.get()));
            Ok(Turn::User(parts.collect::<Result<_, _>>()?))
        }
        Some(role) => Err(REQUEST.unexpected(format_args!("the role `{}`", beginning(role)))),
    }
}

#[derive(Default)]
struct Reader {
    messages: Vec<Message>,
    calls: OpenCalls,
}

impl Reader {
    /// A content, its parts, or its text.
    fn read_system(&mut self, mut system: Value) -> Result<(), WireError> {
        let content = match system.get_mut("parts").map(Value::take).unwrap_or(system) {
            Value::Null => return Ok(()),
            Value::String(text) => text.into(),
            Value::Array(parts) => read_content(parts),
            other => {
                return Err(REQUEST
                    .unexpected(format_args!("the system instruction {}", beginning(&other.to_string()))));
            }
        };
        self.messages.push(Message::system(content));
        Ok(())
    }

    /// Adds the results of a user content, and then a message with its other parts.
    fn read_user(&mut self, parts: Vec<Value>) {
        let mut rest = Vec::with_capacity(parts.len());
        let mut results = Vec::new();
        for part in parts {
            match result::read(&part) {
                Some(result) => results.push(result),
                None => rest.push(part),
            }
        }
        let has_results = !results.is_empty();
        self.messages.extend(self.calls.take_results(results).into_iter().map(Message::from));
        if !rest.is_empty() || !has_results {
            self.messages.push(Message::User(InputMessage::new(read_content(rest))));
        }
    }
}
