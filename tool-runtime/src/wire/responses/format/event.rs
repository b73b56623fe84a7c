//! Events of a streamed reply: <https://platform.openai.com/docs/api-reference/responses-streaming>.

use super::item::{Item, is_custom, may_end_in_text, read_items, text};
use super::reply::{Response, read_usage};
use super::tool_search::is_search;
use super::{FORMAT, NAME, Responses};
use crate::message::{
    Arguments, CallPiece, Chunk, Finish, ItemContent, Origin, Piece, StreamError, ToolCall, Truncation,
    is_object,
};
use crate::wire::error::{beginning, server_message};
use crate::wire::event_data::read_data;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

#[derive(Default, Deserialize)]
#[serde(default)]
struct Event<'a> {
    r#type: String,
    output_index: Option<i64>,
    item_id: Value,
    #[serde(borrow)]
    item: Option<&'a RawValue>,
    delta: Value,
    arguments: Value,
    #[serde(borrow)]
    response: Option<Response<'a>>,
    // The fields of an error. Some servers wrap them in `error`.
    error: Value,
    message: Value,
    code: Value,
}

/// Reads the text after `data:` of a server-sent event.
pub(super) fn read(data: &str, wire: &Responses) -> Chunk {
    read_data(data, NAME, FORMAT, |text| read_event(serde_json::from_str(text)?, text, wire))
}

fn read_event(event: Event<'_>, text: &str, wire: &Responses) -> serde_json::Result<Vec<Piece>> {
    let delta = || event.delta.as_str().unwrap_or_default().to_owned();
    let piece = match &*event.r#type {
        "response.output_text.delta" => Some(Piece::Text(delta())),
        "response.refusal.delta" => Some(Piece::Refusal(delta())),
        "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
            Some(Piece::Reasoning(delta()))
        }
        "response.function_call_arguments.delta" => {
            Some(call_piece(event.output_index, event.item_id, Arguments::Piece(delta())))
        }
        // Some servers send no pieces before it. Without an item, its call is unknown.
        "response.function_call_arguments.done" => match event.arguments {
            Value::String(text) if event.output_index.is_some() || event.item_id.is_string() => {
                Some(call_piece(event.output_index, event.item_id, Arguments::Whole(text)))
            }
            _ => None,
        },
        // The id of a search is another one in the complete item.
        "response.output_item.added" => match event.item.filter(|item| !is_search(item.get())) {
            Some(item) => started(Item::read(item, wire)?, event.output_index),
            None => None,
        },
        "response.output_item.done" => {
            event.item.map(|item| complete(item, event.output_index, wire)).transpose()?
        }
        "response.created" | "response.queued" | "response.in_progress" => {
            let mut pieces = vec![Piece::Reply(None)];
            if let Some(response) = event.response {
                if event.r#type == "response.created" {
                    pieces.push(Piece::Beginning(response.origin().response_id));
                }
                add_origin(&response, &mut pieces);
            }
            return Ok(pieces);
        }
        "response.completed" => return Ok(ended(event.response, None, wire)),
        "response.incomplete" => return Ok(ended(event.response, Some("incomplete"), wire)),
        "response.failed" | "error" => {
            let nested = event.response.map(|response| response.error).unwrap_or_default();
            let fields = json!({ "message": event.message, "code": event.code });
            let error = [nested, event.error].into_iter().find(|error| server_message(error).is_some());
            let error = error.unwrap_or(fields);
            let message = server_message(&error).unwrap_or_else(|| error.to_string());
            return Ok(vec![Piece::Error(StreamError::Server { message, error })]);
        }
        // The complete text after its pieces, parts of messages, and calls that the provider runs.
        kind if kind.starts_with("response.") => return Ok(Vec::new()),
        _ => {
            return Ok(vec![match server_message(&event.error) {
                Some(message) => Piece::Error(StreamError::Server { message, error: event.error }),
                None => Piece::Skipped(beginning(text)),
            }]);
        }
    };
    Ok([Piece::Reply(None)].into_iter().chain(piece).collect())
}

/// A piece of the arguments of a call.
fn call_piece(index: Option<i64>, item_id: Value, arguments: Arguments) -> Piece {
    Piece::Call(CallPiece { index, item_id: text(item_id), arguments, ..CallPiece::default() })
}

/// The start of a call. Its arguments follow.
fn started(item: Item, index: Option<i64>) -> Option<Piece> {
    let ItemContent::Call(ToolCall { id, name, .. }) = item.read.content else { return None };
    Some(Piece::Call(CallPiece { index, item_id: item.id, id, name, ..CallPiece::default() }))
}

/// A complete item, whose text may have arrived in pieces. Of a truncated call, only the call: its item does not go back.
fn complete(item: &RawValue, index: Option<i64>, wire: &Responses) -> serde_json::Result<Piece> {
    let Item { mut read, id: item_id, .. } = Item::read(item, wire)?;
    let mut whole_call = None;
    if let ItemContent::Call(call) = &mut read.content {
        if call.is_truncated && is_object(&call.arguments) {
            // Arguments that are an object would complete the call.
            call.arguments.clear();
        }
        let mut piece = CallPiece {
            index,
            is_whole_call: false,
            item_id,
            takes_text: is_custom(call),
            ..CallPiece::from_call(call, NAME)
        };
        if call.is_truncated {
            return Ok(Piece::Call(piece));
        }
        if may_end_in_text(&[item]) {
            piece.truncation = Truncation::Possible;
        }
        whole_call = Some(piece);
    }
    Ok(Piece::Item { index, item: read, call: whole_call })
}

/// The end of the response, which contains all items again. `status` is that of a response without one.
fn ended(response: Option<Response<'_>>, status: Option<&str>, wire: &Responses) -> Vec<Piece> {
    let finish = |reason: String| Piece::Finish(Finish::new(reason));
    let Some(response) = response else {
        let finished = status.map(|status| [Piece::Reply(None), finish(status.to_owned())]);
        return finished.into_iter().flatten().chain([Piece::Done]).collect();
    };
    let mut pieces = vec![Piece::Reply(None)];
    add_origin(&response, &mut pieces);
    pieces.extend(read_usage(&response.usage).map(Piece::Usage));
    let output = response.output.as_deref();
    pieces.extend(output.and_then(|output| whole(output, wire)).map(Piece::Whole));
    let reason = response.finish_reason().or_else(|| status.map(str::to_owned));
    pieces.extend(reason.map(finish));
    pieces.push(Piece::Done);
    pieces
}

fn add_origin(response: &Response<'_>, pieces: &mut Vec<Piece>) {
    let Origin { model, response_id, .. } = response.origin();
    pieces.extend(model.map(Piece::Model));
    pieces.extend(response_id.map(Piece::ResponseId));
}

/// All pieces of the response again, since a server may have sent no events for its items.
fn whole(output: &[&RawValue], wire: &Responses) -> Option<Vec<Piece>> {
    let reply = read_items(output, wire).ok()?;
    let mut pieces = Vec::with_capacity(output.len() + 2);
    pieces.extend(reply.refusal.map(Piece::Refusal));
    pieces.extend(reply.content.map(|text| Piece::Text(text.as_str().to_owned())));
    for (index, item) in (0..).zip(output) {
        pieces.push(complete(item, Some(index), wire).ok()?);
    }
    Some(pieces)
}
