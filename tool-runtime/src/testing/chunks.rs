//! A reply in chunks, as a server streams it.

use crate::message::{
    AssistantMessage, CallPiece, Chunk, ContentPiece, Delta, Finish, ItemContent, ItemKind, ItemPiece,
    ReplyPiece, ToolCall, WholeItem,
};
use serde_json::Value;

/// The number of characters in a piece of arguments.
const PIECE_CHARACTERS: usize = 6;

/// The chunks of a reply: its further fields, pieces of its text or of the reason why the model declines, the calls with
/// pieces of their arguments, and the end.
pub(super) fn chunks_of(reply: &AssistantMessage, wire: &'static str) -> Vec<Chunk> {
    let mut deltas = vec![start(reply, wire)];
    if reply.content.as_ref().is_some_and(|content| content.without_tool_references().parts().is_some()) {
        let Ok(Value::Array(parts)) = serde_json::to_value(&reply.content) else { return Vec::new() };
        deltas.push(delta(ContentPiece { parts, ..text(reply.text()) }));
    } else {
        deltas.extend(reply.text().split_inclusive(' ').map(|word| delta(text(word))));
    }
    let refusal = reply.refusal().unwrap_or_default();
    deltas.extend(refusal.split_inclusive(' ').map(|word| delta(declined_piece(word))));
    let items = items(reply, wire);
    if !items.is_empty() {
        deltas.push(delta(ContentPiece { items, ..ContentPiece::default() }));
    }
    for (call, index) in reply.tool_calls.iter().zip(0..) {
        push_call(call, index, wire, &mut deltas);
    }
    deltas.push(end(reply));
    deltas.push(Delta { is_done: true, ..Delta::default() });
    deltas.into_iter().map(|delta| Delta { wire: Some(wire), ..delta }.into()).collect()
}

/// The fields that arrive before the text.
fn start(reply: &AssistantMessage, wire: &str) -> Delta {
    let extra = reply.extra.to_map(wire);
    let content = ContentPiece {
        text: reply.content.as_ref().map(|_| String::new()),
        reasoning: Some(reply.reasoning()),
        refusal: reply.refusal.as_ref().map(|_| String::new()),
        extra,
        ..ContentPiece::default()
    };
    let origin = reply.origin();
    let model = origin.and_then(|origin| origin.model.clone());
    Delta { model, response_id: origin.and_then(|origin| origin.response_id.clone()), ..delta(content) }
}

/// The provider's items.
fn items(reply: &AssistantMessage, wire: &str) -> Vec<ItemPiece> {
    // Another wire has no such items.
    let is_of_wire = reply.origin().is_none_or(|origin| origin.wire == wire);
    let mut calls = reply.tool_calls.iter();
    let mut text = Some(reply.text());
    let items = (0..).zip(reply.native.iter().filter(|_| is_of_wire)).map(|(index, native)| {
        let content = match native.item_kind() {
            ItemKind::Native => ItemContent::Native,
            ItemKind::Reasoning => ItemContent::Reasoning,
            // The items with text contain the text together.
            ItemKind::Text => ItemContent::Text(text.take().unwrap_or_default().to_owned()),
            ItemKind::Call => calls.next().cloned().map_or(ItemContent::Native, ItemContent::Call),
        };
        let (json, is_valid) = (native.json().to_owned(), !native.is_rejected_call());
        ItemPiece::Whole(WholeItem { index: Some(index), json, content, is_valid })
    });
    items.collect()
}

fn push_call(call: &ToolCall, index: i64, wire: &str, deltas: &mut Vec<Delta>) {
    let head = CallPiece {
        id: call.id.clone(),
        name: call.name.clone(),
        extra: call.extra.to_map(wire),
        ..CallPiece::arguments(index, String::new())
    };
    deltas.push(call_delta(head));
    // The end of a truncated call did not arrive.
    let arguments = if call.is_truncated { call.arguments.trim_end_matches('}') } else { &*call.arguments };
    let characters: Vec<char> = arguments.chars().collect();
    for piece in characters.chunks(PIECE_CHARACTERS) {
        deltas.push(call_delta(CallPiece::arguments(index, piece.iter().collect())));
    }
}

fn end(reply: &AssistantMessage) -> Delta {
    let completeness = reply.completeness;
    let finish = reply.finish_reason.clone().map(|reason| Finish {
        reason,
        completeness,
        // The calls of a scripted reply are marked already.
        may_truncate_objects: false,
    });
    let replies = vec![ReplyPiece { finish, ..ReplyPiece::default() }];
    Delta { replies, usage: reply.usage, ..Delta::default() }
}

fn text(piece: &str) -> ContentPiece {
    ContentPiece { text: Some(piece.to_owned()), ..ContentPiece::default() }
}

fn declined_piece(piece: &str) -> ContentPiece {
    ContentPiece { refusal: Some(piece.to_owned()), ..ContentPiece::default() }
}

fn call_delta(piece: CallPiece) -> Delta {
    delta(ContentPiece { calls: vec![piece], ..ContentPiece::default() })
}

fn delta(content: ContentPiece) -> Delta {
    Delta { replies: vec![ReplyPiece { content, ..ReplyPiece::default() }], ..Delta::default() }
}
