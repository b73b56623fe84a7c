//! Histories: how the messages of a request are read.

use super::NAME;
use super::message::ReadMessage;
use crate::message::{Content, ERROR, Extra, InputMessage, Media, Message, Part, ToolMessage};
use crate::wire::WireError;
use crate::wire::error::beginning;
use crate::wire::expected::Expected;
use crate::wire::open_calls::{OpenCalls, ReadResult};
use serde::Deserialize;

const REQUEST: Expected = Expected::request(NAME, "the messages of a request of Ollama's API");

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    messages: Vec<ReadMessage<'a>>,
}

/// Reads the body of a request, or its array of messages.
pub(super) fn messages(body: &str) -> Result<Vec<Message>, WireError> {
    let Request { messages } = REQUEST.read_or_list(body, |messages| Request { messages })?;
    let messages = messages.into_iter().map(read_message).collect::<Result<Vec<_>, _>>();
    messages.map(with_ids).map_err(|problem| REQUEST.other_body(body, problem))
}

/// A message whose calls or result may lack ids.
enum Read {
    Message(Message),
    Result(ReadResult),
}

fn read_message(mut read: ReadMessage<'_>) -> Result<Read, String> {
    let role = std::mem::take(&mut read.role);
    let make = match &*role {
        "system" => Message::System,
        "developer" => Message::Developer,
        "user" => Message::User,
        "assistant" => return Ok(Read::Message(Message::Assistant(read.into_reply()))),
        "tool" => return Ok(Read::Result(read_result(read))),
        "" => return Err("a message without `role`".to_owned()),
        role => return Err(format!("the role `{}`", beginning(role))),
    };
    Ok(Read::Message(make(InputMessage::new(read_content(read)))))
}

fn read_result(read: ReadMessage<'_>) -> ReadResult {
    let is_some = |text: &String| !text.is_empty();
    let (id, tool) = (read.tool_call_id.clone().filter(is_some), read.tool_name.clone().filter(is_some));
    let content = read_content(read);
    let (is_error, tool_of_call) = (content.as_str().starts_with(ERROR), tool.clone().unwrap_or_default());
    let message = ToolMessage::read("", tool_of_call, content, is_error, Extra::default());
    ReadResult { id, tool, message }
}

/// The text, and the images after it.
fn read_content(read: ReadMessage<'_>) -> Content {
    let content = read.content.unwrap_or_default();
    let images = read.images.unwrap_or_default();
    if images.is_empty() {
        return content;
    }
    let text = (!content.as_str().is_empty()).then(|| Part::text(content.as_str()));
    Content::from_parts(text.into_iter().chain(images.into_iter().map(read_image)))
}

/// The API sends no type, and detects it in the data.
fn read_image(base64: String) -> Part {
    const BEGINNINGS: [(&str, &str); 3] =
        [("/9j/", "image/jpeg"), ("R0lGOD", "image/gif"), ("UklGR", "image/webp")];
    let known = BEGINNINGS.iter().find(|(beginning, _)| base64.starts_with(beginning));
    let mime_type = known.map_or("image/png", |(_, mime_type)| mime_type).to_owned();
    Part::Image { media: Media::Data { mime_type, base64 } }
}

/// The messages, in which each call has an id, and each result that of its call.
fn with_ids(read: Vec<Read>) -> Vec<Message> {
    let mut calls = OpenCalls::default();
    for message in &read {
        if let Read::Message(Message::Assistant(reply)) = message {
            calls.reserve(&reply.tool_calls);
        }
    }
    let mut messages = Vec::with_capacity(read.len());
    let mut results = Vec::new();
    for message in read {
        match message {
            Read::Result(result) => results.push(result),
            Read::Message(mut message) => {
                messages
                    .extend(calls.take_results(std::mem::take(&mut results)).into_iter().map(Message::from));
                if let Message::Assistant(reply) = &mut message {
                    calls.start_reply(reply, |call| Some(&call.id));
                }
                messages.push(message);
            }
        }
    }
    messages.extend(calls.take_results(results).into_iter().map(Message::from));
    messages
}
