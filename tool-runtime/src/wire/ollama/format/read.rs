//! Histories: how the messages of a request are read.

use super::NAME;
use super::message::ReadMessage;
use crate::message::{Content, ERROR, Extra, InputMessage, Media, Message, Part, ToolMessage};
use crate::wire::WireError;
use crate::wire::error::beginning;
use crate::wire::expected::Expected;
use crate::wire::open_calls::{ReadResult, Turn, with_ids};
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
    let mut turns = Vec::with_capacity(messages.len() + 1);
    let mut results = Vec::new();
    for message in messages {
        if message.role == "tool" {
            results.push(read_result(message));
        } else {
            let message = read_message(message).map_err(|problem| REQUEST.wrong_body(body, problem))?;
            turns.push(Turn { results: std::mem::take(&mut results), message: Some(message) });
        }
    }
    turns.push(Turn { results, message: None });
    Ok(with_ids(turns, |call| Some(&call.id)))
}

fn read_message(read: ReadMessage<'_>) -> Result<Message, String> {
    let new = match &*read.role {
        "system" => Message::System,
        "developer" => Message::Developer,
        "user" => Message::User,
        "assistant" => return Ok(read.into_reply().into()),
        "" => return Err("a message without `role`".to_owned()),
        role => return Err(format!("the role `{}`", beginning(role))),
    };
    Ok(new(InputMessage::new(read_content(read))))
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
