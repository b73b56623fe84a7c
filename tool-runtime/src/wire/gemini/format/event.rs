//! Events of a streamed reply: each is a response with some of the parts.

use super::item::ItemHead;
use super::reply::{Candidate, Response, blocked, is_valid, read_error, read_usage};
use super::{FORMAT, NAME};
use crate::message::{
    Arguments, CallPiece, Completeness, ContentPiece, Delta, Finish, ItemContent, ItemPiece, ReplyPiece,
    StreamError, WholeItem,
};
use crate::wire::error::{beginning, server_message};
use crate::wire::event_data::read_data;
use serde_json::Value;
use serde_json::value::RawValue;

/// Reads the text after `data:` of a server-sent event.
pub(super) fn read(data: &str) -> Delta {
    read_data(data, NAME, FORMAT, |text| {
        read_event(text).or_else(|source| {
            let message = read_error(text).ok_or(source)?;
            let error = server_error(message, serde_json::from_str(text).unwrap_or_default());
            Ok(Delta { error: Some(error), ..Delta::default() })
        })
    })
}

/// `body` is the error, or an array with an object that has it.
fn server_error(message: String, body: Value) -> StreamError {
    let first = body.as_array().and_then(|list| list.first()).map(|first| first["error"].clone());
    StreamError::Server { message, error: first.unwrap_or(body) }
}

fn read_event(text: &str) -> serde_json::Result<Delta> {
    if text.starts_with('[') {
        let problem = "an array: request the stream with `alt=sse`, and read its events";
        return Err(serde::de::Error::custom(problem));
    }
    let mut response: Response<'_> = serde_json::from_str(text)?;
    let error = response.error.take();
    if let Some(message) = server_message(&error) {
        return Ok(Delta { error: Some(server_error(message, error)), ..Delta::default() });
    }
    let candidates = response.candidates.unwrap_or_default();
    let pieces = (0..).zip(candidates).map(|(position, candidate)| read_candidate(position, candidate));
    let mut replies = pieces.collect::<serde_json::Result<Vec<_>>>()?;
    if let (true, Some((reason, refusal))) = (replies.is_empty(), blocked(&response.prompt_feedback)) {
        let finish =
            Some(Finish { reason, completeness: Completeness::Truncated, may_truncate_objects: false });
        let content = ContentPiece { refusal: Some(refusal), ..ContentPiece::default() };
        replies.push(ReplyPiece { content, finish, ..ReplyPiece::default() });
    }
    Ok(Delta {
        skipped: replies.is_empty().then(|| beginning(text)),
        replies,
        model: response.model_version,
        response_id: response.id,
        usage: read_usage(&response.usage_metadata),
        ..Delta::default()
    })
}

fn read_candidate(position: i64, mut candidate: Candidate<'_>) -> serde_json::Result<ReplyPiece> {
    let mut content = ContentPiece::default();
    for part in candidate.parts() {
        read_part(part, &mut content)?;
    }
    content.extra = candidate.extra();
    // The calls of the reply may be in earlier chunks.
    let finish = candidate.finish(true);
    // The index 0 may be absent.
    let choice = Some(candidate.index.unwrap_or(position));
    Ok(ReplyPiece { choice, content, finish, ..ReplyPiece::default() })
}

fn read_part(raw: &RawValue, piece: &mut ContentPiece) -> serde_json::Result<()> {
    let part = ItemHead::read(raw.get())?;
    let is_signed = part.is_signed();
    if let Some(thought) = part.thought() {
        piece.reasoning.get_or_insert_default().push_str(thought);
    }
    let Some(content) = part.into_content()? else { return Ok(()) };
    match &content {
        // A chunk may have text before and after another part.
        ItemContent::Text(text) if !text.is_empty() => piece.text.get_or_insert_default().push_str(text),
        ItemContent::Call(call) => piece.calls.push(CallPiece {
            index: None,
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: Arguments::OfNewCall(call.arguments.clone()),
            takes_text: false,
            extra: call.extra.to_map(NAME),
        }),
        _ => {}
    }
    piece.items.push(match content {
        ItemContent::Text(_) | ItemContent::Reasoning if !is_signed => {
            ItemPiece::Joinable { item: serde_json::from_str(raw.get())?, kind: content.kind() }
        }
        content => {
            let is_valid = is_valid(&content);
            ItemPiece::Whole(WholeItem { index: None, json: raw.get().to_owned(), content, is_valid })
        }
    });
    Ok(())
}
