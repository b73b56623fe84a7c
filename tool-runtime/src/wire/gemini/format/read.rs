//! Histories: how the contents of a request are read.

use super::item::provider_id;
use super::part::read_content;
use super::{NAME, reply, result};
use crate::message::{InputMessage, Message, Origin};
use crate::wire::error::beginning;
use crate::wire::expected::Expected;
use crate::wire::open_calls::{Turn, with_ids};
use crate::wire::{WireError, chat_completions, detect};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
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
    #[serde(borrow, deserialize_with = "one_or_more")]
    parts: Option<Vec<&'a RawValue>>,
    /// A field of other APIs.
    content: Value,
    r#type: Value,
}

/// An array of parts, or one part, which the API accepts too.
fn one_or_more<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<&'a RawValue>>, D::Error> {
    let Some(raw) = Option::<&'a RawValue>::deserialize(deserializer)? else { return Ok(None) };
    if raw.get().starts_with('{') {
        return Ok(Some(vec![raw]));
    }
    serde_json::from_str(raw.get()).map(Some).map_err(D::Error::custom)
}

/// Reads the body of a request, or its array of contents.
pub(super) fn messages(body: &str) -> Result<Vec<Message>, WireError> {
    let from_list = |contents| Request { system_instruction: Value::Null, contents };
    let Request { system_instruction, contents } = REQUEST.read_or_list(body, from_list)?;
    let mut turns: Vec<Turn> = Vec::with_capacity(contents.len() + 1);
    turns.push(Turn { results: Vec::new(), message: read_system(system_instruction)? });
    for content in joined(contents) {
        turns.push(read_turn(content)?);
    }
    Ok(with_ids(turns, |call| provider_id(call)?.as_str()))
}

/// The contents, of which adjacent ones of the model with calls are one: the API accepts their results together.
fn joined(contents: Vec<ReadContent<'_>>) -> Vec<ReadContent<'_>> {
    let is_call =
        |part: &&RawValue| ["functionCall", "function_call"].iter().any(|name| part.get().contains(name));
    let has_call = |content: &ReadContent<'_>| content.parts.iter().flatten().any(is_call);
    let mut joined: Vec<ReadContent<'_>> = Vec::with_capacity(contents.len());
    for content in contents {
        let is_model = content.role.as_deref() == Some("model");
        match joined.last_mut().filter(|last| is_model && last.role == content.role && has_call(last)) {
            Some(ReadContent { parts: Some(parts), .. }) => parts.extend(content.parts.into_iter().flatten()),
            _ => joined.push(content),
        }
    }
    joined
}

/// A content, its parts, or its text.
fn read_system(mut system: Value) -> Result<Option<Message>, WireError> {
    match system.get_mut("parts").map(Value::take).unwrap_or(system) {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(Message::system(text))),
        Value::Array(parts) => Ok(Some(Message::system(read_content(parts)))),
        part @ Value::Object(_) => Ok(Some(Message::system(read_content(vec![part])))),
        other => {
            let system = other.to_string();
            Err(REQUEST.unexpected(format_args!("the system instruction {}", beginning(&system))))
        }
    }
}

fn read_turn(content: ReadContent<'_>) -> Result<Turn, WireError> {
    let ReadContent { role, parts, content, r#type } = content;
    let Some(parts) = parts else {
        let mut kinds = content.as_array().into_iter().flatten().filter_map(|part| part["type"].as_str());
        let wire = r#type.as_str().filter(|kind| *kind != "message").and_then(detect::wire_of_part);
        return Err(match wire.or_else(|| kinds.find_map(detect::wire_of_part)) {
            Some(wire) => WireError::OtherWire { wire },
            None if !content.is_null() => WireError::OtherWire { wire: chat_completions::NAME },
            None => REQUEST.unexpected("a content without `parts`"),
        });
    };
    match role.as_deref() {
        Some("model") => {
            let mut reply = reply::read_parts(&parts).map_err(|error| REQUEST.unexpected(error))?;
            reply.origin = Some(Origin::new(NAME));
            Ok(Turn { results: Vec::new(), message: Some(reply.into()) })
        }
        // `function` is the role of results in the first version of the API.
        None | Some("" | "user" | "function") => {
            let parts = parts.iter().map(|part| REQUEST.read_part(part.get()));
            Ok(read_user(parts.collect::<Result<_, _>>()?))
        }
        Some(role) => Err(REQUEST.unexpected(format_args!("the role `{}`", beginning(role)))),
    }
}

/// The results of a user content, and a message with its other parts.
fn read_user(parts: Vec<Value>) -> Turn {
    let mut results = Vec::new();
    let mut rest = parts;
    rest.retain(|part| {
        let result = result::read(part);
        let is_result = result.is_some();
        results.extend(result);
        !is_result
    });
    let has_message = !rest.is_empty() || results.is_empty();
    let message = has_message.then(|| Message::User(InputMessage::new(read_content(rest))));
    Turn { results, message }
}
