//! A reply in chunks, as a server streams it, for tests of programs.

use crate::message::{
    Arguments, AssistantMessage, CallPiece, Chunk, Finish, ItemContent, Piece, ReadItem, StandsFor, ToolCall,
};
use crate::wire::provider_or_chat_completions;
use serde_json::Value;

/// The number of characters in a piece of arguments.
const PIECE_CHARACTERS: usize = 6;

/// The chunks of a reply: its further fields, pieces of its text or of the reason why the model declines, the calls with
/// pieces of their arguments, and the end.
pub(crate) fn chunks_of(reply: &AssistantMessage, wire: &'static str) -> Vec<Chunk> {
    let mut chunks = vec![start(reply, wire)];
    if reply.content.as_ref().is_some_and(|content| content.without_tool_references().parts().is_some()) {
        let Ok(Value::Array(parts)) = serde_json::to_value(&reply.content) else { return Vec::new() };
        chunks.push(vec![Piece::Parts(parts, reply.text().to_owned())]);
    } else {
        chunks.extend(words(reply.text()).map(|word| vec![Piece::Text(word)]));
    }
    chunks.extend(words(reply.refusal().unwrap_or_default()).map(|word| vec![Piece::Refusal(word)]));
    // Another wire has no such items.
    let has_items = reply.origin().is_none_or(|origin| origin.wire == wire) && !reply.native.is_empty();
    let (call_items, items) = if has_items { items(reply) } else { (Vec::new(), Vec::new()) };
    if has_items {
        chunks.push(items);
    }
    let mut call_items = call_items.into_iter();
    for (call, index) in reply.tool_calls.iter().zip(0..) {
        push_call(call, call_items.next(), index, wire, &mut chunks);
    }
    chunks.push(end(reply));
    let with_reply = |pieces: Vec<Piece>| [Piece::Reply(None)].into_iter().chain(pieces).collect();
    let chunks = chunks.into_iter().map(with_reply).chain([vec![Piece::Done]]);
    chunks.map(|pieces| Chunk::read(wire, pieces)).collect()
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split_inclusive(' ').map(str::to_owned)
}

/// The pieces that arrive before the text.
fn start(reply: &AssistantMessage, wire: &str) -> Vec<Piece> {
    let mut pieces = vec![Piece::Extra(reply.extra.to_map(wire)), Piece::Reasoning(reply.reasoning())];
    if let Some(origin) = reply.origin() {
        pieces.extend(origin.model.clone().map(Piece::Model));
        pieces.extend(origin.response_id.clone().map(Piece::ResponseId));
    }
    pieces.extend(reply.refusal.as_ref().map(|_| Piece::Refusal(String::new())));
    pieces.extend(reply.content.as_ref().map(|_| Piece::Text(String::new())));
    pieces
}

/// The provider's items: those of the calls, which arrive with them, and the others. Each has its index.
fn items(reply: &AssistantMessage) -> (Vec<(i64, ReadItem)>, Vec<Piece>) {
    let mut calls = reply.tool_calls.iter();
    let mut text = Some(reply.text());
    let (mut call_items, mut items) = (Vec::new(), Vec::new());
    for (index, native) in (0..).zip(&reply.native) {
        let content = match native.stands_for {
            StandsFor::Nothing => ItemContent::Native,
            StandsFor::Reasoning => ItemContent::Reasoning,
            // The items with text contain the text together.
            StandsFor::Text(_) => ItemContent::Text(text.take().unwrap_or_default().to_owned()),
            StandsFor::Call(_) | StandsFor::RejectedCall => {
                calls.next().cloned().map_or(ItemContent::Native, ItemContent::Call)
            }
        };
        let is_valid = native.stands_for != StandsFor::RejectedCall;
        let item = ReadItem { json: native.item.clone(), content, is_valid };
        match item.content {
            ItemContent::Call(_) => call_items.push((index, item)),
            _ => items.push(Piece::Item { index: Some(index), item, call: None }),
        }
    }
    (call_items, items)
}

fn push_call(
    call: &ToolCall,
    item: Option<(i64, ReadItem)>,
    index: i64,
    wire: &str,
    chunks: &mut Vec<Vec<Piece>>,
) {
    let head = CallPiece {
        index: Some(index),
        is_whole_call: false,
        arguments: Arguments::default(),
        ..CallPiece::from_call(call, wire)
    };
    chunks.push(vec![match item {
        Some((position, item)) => Piece::Item { index: Some(position), item, call: Some(head) },
        None => Piece::Call(head),
    }]);
    // The end of a truncated call did not arrive.
    let arguments = if call.is_truncated { call.arguments.trim_end_matches('}') } else { &*call.arguments };
    let characters: Vec<char> = arguments.chars().collect();
    let pieces = characters.chunks(PIECE_CHARACTERS).map(|piece| piece.iter().collect());
    chunks.extend(pieces.map(|piece| vec![Piece::Call(CallPiece::from_arguments(index, piece))]));
    let sends_complete_calls = provider_or_chat_completions(wire).call_rules.sends_complete_calls;
    if let (true, false, Some(last)) = (sends_complete_calls, call.is_truncated, chunks.last_mut()) {
        let index = Some(index);
        last.push(Piece::Call(CallPiece { index, is_whole_call: false, ..CallPiece::from_call(call, wire) }));
    }
}

fn end(reply: &AssistantMessage) -> Vec<Piece> {
    let completeness = reply.completeness;
    let finish = reply.finish_reason.clone().map(|reason| {
        // The calls of a scripted reply are marked already.
        Piece::Finish(Finish { reason, completeness })
    });
    reply.usage.map(Piece::Usage).into_iter().chain(finish).collect()
}
