//! Events of a streamed reply: each is a response with some of the parts.

use super::item::ItemHead;
use super::reply::{Response, blocked, read_item, read_usage};
use super::{FORMAT, NAME};
use crate::message::{CallPiece, Chunk, Completeness, Finish, ItemContent, Piece, StreamError};
use crate::wire::error::{beginning, read_error, server_message};
use crate::wire::event_data::read_data;
use serde_json::Value;
use serde_json::value::RawValue;
use std::convert::identity;

/// Reads the text after `data:` of a server-sent event.
pub(super) fn read(data: &str) -> Chunk {
    read_data(data, NAME, FORMAT, |text| {
        read_event(text).or_else(|source| {
            let message = read_error(text).ok_or(source)?;
            Ok(vec![server_error(message, serde_json::from_str(text).unwrap_or_default())])
        })
    })
}

/// `body` is the error, or an array with an object that has it.
fn server_error(message: String, body: Value) -> Piece {
    let first = body.as_array().and_then(|list| list.first()).map(|first| first["error"].clone());
    Piece::Error(StreamError::Server { message, error: first.unwrap_or(body) })
}

fn read_event(text: &str) -> serde_json::Result<Vec<Piece>> {
    if text.starts_with('[') {
        let problem = "an array: request the stream with `alt=sse`, and read its events";
        return Err(serde::de::Error::custom(problem));
    }
    let mut response: Response<'_> = serde_json::from_str(text)?;
    let error = response.error.take();
    if let Some(message) = server_message(&error) {
        return Ok(vec![server_error(message, error)]);
    }
    let mut pieces = Vec::new();
    pieces.extend(response.model_version.map(Piece::Model));
    pieces.extend(response.id.map(Piece::ResponseId));
    pieces.extend(read_usage(&response.usage_metadata).map(Piece::Usage));
    let candidates = response.candidates.unwrap_or_default();
    match blocked(&response.prompt_feedback).filter(|_| candidates.is_empty()) {
        Some((reason, refusal)) => {
            let completeness = Completeness::Truncated;
            pieces.extend([Piece::Reply(None), Piece::Refusal(refusal)]);
            pieces.push(Piece::Finish(Finish { reason, completeness }));
        }
        None if candidates.is_empty() => pieces.push(Piece::Skipped(beginning(text))),
        None => {}
    }
    for (position, mut candidate) in (0..).zip(candidates) {
        // The index 0 may be absent.
        pieces.push(Piece::Reply(Some(candidate.index.unwrap_or(position))));
        pieces.push(Piece::Extra(candidate.extra()));
        for part in candidate.parts() {
            add_part(part, &mut pieces)?;
        }
        // The calls of the reply may be in earlier chunks.
        let has_calls = true;
        pieces.extend(candidate.finish(has_calls).map(Piece::Finish));
    }
    Ok(pieces)
}

fn add_part(raw: &RawValue, pieces: &mut Vec<Piece>) -> serde_json::Result<()> {
    let part: ItemHead<'_> = serde_json::from_str(raw.get())?;
    let is_signed = part.is_signed();
    pieces.extend(part.thought().map(|thought| Piece::Reasoning(thought.to_owned())));
    let Some(content) = part.into_content(raw.get())? else { return Ok(()) };
    let mut call_piece = None;
    match &content {
        ItemContent::Text(text) if !text.is_empty() => pieces.push(Piece::Text(text.clone())),
        ItemContent::Call(call) => call_piece = Some(CallPiece::from_call(call, NAME)),
        _ => {}
    }
    pieces.push(match content {
        ItemContent::Text(_) | ItemContent::Reasoning if !is_signed => {
            let item = serde_json::from_str(raw.get())?;
            Piece::JoinableItem { item, kind: content.kind(), wrap: identity }
        }
        content => Piece::Item { index: None, item: read_item(raw, content), call: call_piece },
    });
    Ok(())
}
