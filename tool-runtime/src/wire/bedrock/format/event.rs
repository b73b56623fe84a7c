//! Events of a streamed reply:
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html>.

use super::reply::{SERVER_TOOL_USE, read_usage};
use super::{FORMAT, NAME};
use crate::json::remove_entry;
use crate::message::{
    CallPiece, Chunk, Finish, Growth, ItemContent, ItemKind, Piece, ReadItem, StreamError, WrapItem,
};
use crate::wire::error::beginning;
use crate::wire::event_data::{json_piece, read_data, stated_arguments};
use serde_json::{Map, Value, json};
use std::convert::identity;

/// Reads an event: the object in the field with the name of its type.
pub(super) fn read(data: &str) -> Chunk {
    read_data(data, NAME, FORMAT, |text| {
        let mut event: Map<String, Value> = serde_json::from_str(text)?;
        Ok(match event.iter_mut().find(|(_, payload)| payload.is_object()) {
            Some((kind, payload)) => read_event(kind, payload.take(), text),
            None => vec![Piece::Skipped(beginning(text))],
        })
    })
}

fn read_event(kind: &str, mut payload: Value, text: &str) -> Vec<Piece> {
    let index = payload["contentBlockIndex"].as_i64().unwrap_or_default();
    let mut pieces = vec![Piece::Reply(None)];
    match kind {
        "messageStart" => pieces.push(Piece::Beginning(None)),
        "contentBlockStart" => start_block(index, payload["start"].take(), &mut pieces),
        "contentBlockDelta" => read_delta(index, payload["delta"].take(), &mut pieces),
        "contentBlockStop" => return vec![Piece::ItemEnd(index)],
        "messageStop" => {
            pieces.extend(payload["stopReason"].as_str().map(|reason| Piece::Finish(Finish::new(reason))));
        }
        // The last event.
        "metadata" => {
            pieces.extend(read_usage(&payload["usage"]).map(Piece::Usage));
            pieces.push(Piece::Done);
        }
        kind if kind.to_ascii_lowercase().ends_with("exception") => {
            let message = payload["message"].as_str().unwrap_or(kind).to_owned();
            payload["type"] = kind.into();
            return vec![Piece::Error(StreamError::Server { message, error: payload })];
        }
        _ => return vec![Piece::Skipped(beginning(text))],
    }
    pieces
}

/// The start of a call, or of the result of a call that the provider runs itself. Other blocks have none.
fn start_block(index: i64, mut start: Value, pieces: &mut Vec<Piece>) {
    let (mut call, mut arguments) = (None, None);
    let (item, kind, wrap): (Value, _, WrapItem) = if start["toolUse"].is_object() {
        let mut item = start["toolUse"].take();
        let is_own = item["type"] != SERVER_TOOL_USE;
        if let (true, Some(fields)) = (is_own, item.as_object_mut()) {
            // Some responses have a `type` that requests must not have.
            remove_entry(fields, "type");
        }
        arguments = stated_arguments(&mut item["input"]).filter(|_| is_own);
        let text = |field: &str| item[field].as_str().unwrap_or_default().to_owned();
        call = is_own.then(|| CallPiece {
            id: text("toolUseId"),
            name: text("name"),
            ..CallPiece::from_arguments(index, String::new())
        });
        (item, if is_own { ItemKind::Call } else { ItemKind::Native }, |item| {
            format!(r#"{{"toolUse":{item}}}"#)
        })
    } else if start["toolResult"].is_object() {
        (start["toolResult"].take(), ItemKind::Native, |item| format!(r#"{{"toolResult":{item}}}"#))
    } else {
        return;
    };
    pieces.push(Piece::ItemStart { index, item, kind, call, arguments, is_implied: false, wrap });
}

fn read_delta(index: i64, mut delta: Value, pieces: &mut Vec<Piece>) {
    let Some((kind, value)) = delta.as_object_mut().and_then(|delta| delta.iter_mut().next()) else { return };
    match (&**kind, value.take()) {
        ("text", Value::String(piece)) => {
            pieces.push(Piece::Text(piece.clone()));
            start_implied(index, ItemKind::Text, identity, pieces);
            pieces.push(Piece::ItemGrowth { index, field: "text", growth: Growth::Text(piece) });
        }
        ("toolUse", Value::Object(call)) => {
            let growth = Growth::Json(json_piece(call.get("input")));
            pieces.push(Piece::ItemGrowth { index, field: "input", growth });
        }
        ("toolResult", Value::Array(parts)) => {
            let growths = parts.into_iter().map(Growth::Element);
            pieces.extend(growths.map(|growth| Piece::ItemGrowth { index, field: "content", growth }));
        }
        ("reasoningContent", reasoning) => read_reasoning(index, &reasoning, pieces),
        // Citations and images, which a stream does not keep, and what the API adds.
        _ => {}
    }
}

fn read_reasoning(index: i64, reasoning: &Value, pieces: &mut Vec<Piece>) {
    let text = |field: &str| reasoning[field].as_str().map(str::to_owned);
    if reasoning["redactedContent"].is_string() {
        let json = json!({ "reasoningContent": reasoning }).to_string();
        let item = ReadItem { json, content: ItemContent::Reasoning, is_valid: true };
        pieces.push(Piece::Item { index: None, item, call: None });
        return;
    }
    pieces.extend(text("text").map(Piece::Reasoning));
    start_implied(
        index,
        ItemKind::Reasoning,
        |item| format!(r#"{{"reasoningContent":{{"reasoningText":{item}}}}}"#),
        pieces,
    );
    for field in ["text", "signature"] {
        let growth = text(field).map(Growth::Text);
        pieces.extend(growth.map(|growth| Piece::ItemGrowth { index, field, growth }));
    }
}

/// The API sends no start of text and reasoning.
fn start_implied(index: i64, kind: ItemKind, wrap: WrapItem, pieces: &mut Vec<Piece>) {
    let (item, call, arguments) = (json!({}), None, None);
    pieces.push(Piece::ItemStart { index, item, kind, call, arguments, is_implied: true, wrap });
}
