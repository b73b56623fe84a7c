//! Events of a streamed reply: <https://docs.anthropic.com/en/docs/build-with-claude/streaming>.

use super::reply::{declined, read_usage};
use super::{FORMAT, NAME};
use crate::message::{CallPiece, ContentPiece, Delta, Finish, ItemKind, ItemPiece, ReplyPiece, StreamError};
use crate::wire::error::{beginning, server_message};
use crate::wire::event_data::read_data;
use crate::wire::finish_reason::completeness;
use serde_json::Value;

/// Reads the text after `data:` of a server-sent event.
pub(super) fn read(data: &str) -> Delta {
    read_data(data, NAME, FORMAT, |text| Ok(read_event(serde_json::from_str(text)?, text)))
}

fn read_event(mut event: Value, text: &str) -> Delta {
    let index = event["index"].as_i64().unwrap_or_default();
    match event["type"].as_str().unwrap_or_default() {
        "message_start" => {
            let message = &event["message"];
            Delta {
                replies: vec![ReplyPiece::default()],
                model: message["model"].as_str().map(str::to_owned),
                response_id: message["id"].as_str().map(str::to_owned),
                usage: read_usage(&message["usage"]),
                ..Delta::default()
            }
        }
        "content_block_start" => piece(start_block(index, event["content_block"].take())),
        "content_block_delta" => piece(read_delta(index, event["delta"].take())),
        "message_delta" => {
            let delta = &event["delta"];
            let reason = delta["stop_reason"].as_str();
            let details =
                if delta["stop_details"].is_null() { &event["stop_details"] } else { &delta["stop_details"] };
            let content = ContentPiece {
                refusal: reason.and_then(|reason| declined(reason, details)),
                ..ContentPiece::default()
            };
            let finish = reason.map(|reason| Finish {
                reason: reason.to_owned(),
                completeness: completeness(reason),
                may_truncate_objects: true,
            });
            Delta {
                replies: vec![ReplyPiece { content, finish, ..ReplyPiece::default() }],
                usage: read_usage(&event["usage"]),
                ..Delta::default()
            }
        }
        "message_stop" => Delta { is_done: true, ..Delta::default() },
        "content_block_stop" | "ping" => Delta::default(),
        "error" => {
            let error = event["error"].take();
            let message = server_message(&error).unwrap_or_else(|| error.to_string());
            Delta { error: Some(StreamError::Server { message, error }), ..Delta::default() }
        }
        // The API adds types of events.
        _ => Delta { skipped: Some(beginning(text)), ..Delta::default() },
    }
}

fn piece(content: ContentPiece) -> Delta {
    Delta { replies: vec![ReplyPiece { content, ..ReplyPiece::default() }], ..Delta::default() }
}

fn start_block(index: i64, item: Value) -> ContentPiece {
    let mut piece = ContentPiece::default();
    let text = |field: &str| item[field].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let kind = match item["type"].as_str().unwrap_or_default() {
        "text" => {
            // A block without text adds no text, as in a response that is not streamed.
            piece.text = Some(text("text").unwrap_or_default());
            ItemKind::Text
        }
        "thinking" => {
            piece.reasoning = text("thinking");
            ItemKind::Reasoning
        }
        "tool_use" => {
            piece.calls.push(CallPiece {
                id: text("id").unwrap_or_default(),
                name: text("name").unwrap_or_default(),
                ..CallPiece::arguments(index, String::new())
            });
            ItemKind::Call
        }
        _ => ItemKind::Native,
    };
    // The provider sends the whole input for calls from its code execution, and `{}` otherwise.
    let input = item["input"].as_object().filter(|input| !input.is_empty() && kind == ItemKind::Call);
    let arguments = input.cloned().map(Value::Object);
    piece.items.push(ItemPiece::Start { index, item, kind, arguments });
    piece
}

fn read_delta(index: i64, mut delta: Value) -> ContentPiece {
    let mut piece = ContentPiece::default();
    let mut take = |field: &str| match delta.get_mut(field).map(Value::take) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    match &*take("type") {
        "text_delta" => {
            let text = take("text");
            piece.items.push(ItemPiece::Text { index, field: "text", piece: text.clone() });
            piece.text = Some(text);
        }
        "thinking_delta" => {
            let text = take("thinking");
            piece.items.push(ItemPiece::Text { index, field: "thinking", piece: text.clone() });
            piece.reasoning = Some(text);
        }
        "signature_delta" => {
            piece.items.push(ItemPiece::Text { index, field: "signature", piece: take("signature") });
        }
        "input_json_delta" => {
            piece.items.push(ItemPiece::Json { index, field: "input", piece: take("partial_json") });
        }
        "citations_delta" => {
            let element = delta.get_mut("citation").map(Value::take).unwrap_or_default();
            piece.items.push(ItemPiece::Element { index, field: "citations", element });
        }
        _ => {}
    }
    piece
}
