//! Events of a streamed reply: <https://docs.anthropic.com/en/docs/build-with-claude/streaming>.

use super::client_tools::registry_name;
use super::reply::{declined, read_usage};
use super::{FORMAT, NAME, container};
use crate::message::{CallPiece, Chunk, Finish, Growth, ItemKind, Piece, StreamError, Usage};
use crate::wire::error::{beginning, server_message};
use crate::wire::event_data::read_data;
use crate::wire::tool_settings::ToolSettings;
use serde_json::Value;
use std::convert::identity;

/// Reads the text after `data:` of a server-sent event.
pub(super) fn read(data: &str, tools: &ToolSettings) -> Chunk {
    read_data(data, NAME, FORMAT, |text| Ok(read_event(serde_json::from_str(text)?, text, tools)))
}

fn read_event(mut event: Value, text: &str, tools: &ToolSettings) -> Vec<Piece> {
    let index = event["index"].as_i64().unwrap_or_default();
    let mut pieces = vec![Piece::Reply(None)];
    match event["type"].as_str().unwrap_or_default() {
        "message_start" => {
            let message = &event["message"];
            let text = |field: &str| message[field].as_str().map(str::to_owned);
            pieces.push(Piece::Beginning(text("id")));
            pieces.extend(text("model").map(Piece::Model));
            pieces.extend(text("id").map(Piece::ResponseId));
            pieces.extend(read_usage(&message["usage"]).map(Piece::Usage));
            pieces.push(Piece::Extra(container::read(&message["container"])));
        }
        "content_block_start" => start_block(index, event["content_block"].take(), tools, &mut pieces),
        "content_block_delta" => read_delta(index, event["delta"].take(), &mut pieces),
        "message_delta" => {
            let delta = &event["delta"];
            pieces.push(Piece::Extra(container::read(&delta["container"])));
            pieces.extend(read_final_usage(&event["usage"]).map(Piece::Usage));
            if let Some(reason) = delta["stop_reason"].as_str() {
                let details = [&delta["stop_details"], &event["stop_details"]];
                let details = details.into_iter().find(|details| !details.is_null());
                let refusal = declined(reason, details.unwrap_or(&Value::Null));
                pieces.extend(refusal.map(Piece::Refusal));
                pieces.push(Piece::Finish(Finish::new(reason)));
            }
        }
        "message_stop" => return vec![Piece::Done],
        "content_block_stop" => return vec![Piece::ItemEnd(index)],
        "ping" => return Vec::new(),
        "error" => {
            let error = event["error"].take();
            let message = server_message(&error).unwrap_or_else(|| error.to_string());
            return vec![Piece::Error(StreamError::Server { message, error })];
        }
        // The API adds types of events.
        _ => return vec![Piece::Skipped(beginning(text))],
    }
    pieces
}

/// The usage at the end of a reply. It may lack the tokens of the request, which the beginning has.
fn read_final_usage(usage: &Value) -> Option<Usage> {
    let has_input = usage["input_tokens"].as_u64().is_some_and(|tokens| tokens > 0);
    let mut usage = read_usage(usage)?;
    if !has_input {
        (usage.input_tokens, usage.cached_input_tokens, usage.cache_write_tokens) = (0, 0, 0);
    }
    Some(usage)
}

fn start_block(index: i64, item: Value, tools: &ToolSettings, pieces: &mut Vec<Piece>) {
    let text = |field: &str| item[field].as_str().unwrap_or_default().to_owned();
    let mut call = None;
    let kind = match item["type"].as_str().unwrap_or_default() {
        "text" => {
            // A block without text adds no text, as in a response that is not streamed.
            pieces.push(Piece::Text(text("text")));
            ItemKind::Text
        }
        "thinking" => {
            pieces.push(Piece::Reasoning(text("thinking")));
            ItemKind::Reasoning
        }
        "tool_use" => {
            call = Some(CallPiece {
                id: text("id"),
                name: registry_name(tools, &text("name")).to_owned(),
                ..CallPiece::from_arguments(index, String::new())
            });
            ItemKind::Call
        }
        _ => ItemKind::Native,
    };
    // The provider sends the whole input for calls from its code execution, and `{}` otherwise.
    let input = item["input"].as_object().filter(|input| !input.is_empty() && kind == ItemKind::Call);
    let arguments = input.cloned().map(Value::Object);
    pieces.push(Piece::ItemStart { index, item, kind, call, arguments, is_implied: false, wrap: identity });
}

fn read_delta(index: i64, mut delta: Value, pieces: &mut Vec<Piece>) {
    let mut take = |field: &str| match delta.get_mut(field).map(Value::take) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    let (field, growth) = match &*take("type") {
        "text_delta" => {
            let piece = take("text");
            pieces.push(Piece::Text(piece.clone()));
            ("text", Growth::Text(piece))
        }
        "thinking_delta" => {
            let piece = take("thinking");
            pieces.push(Piece::Reasoning(piece.clone()));
            ("thinking", Growth::Text(piece))
        }
        "signature_delta" => ("signature", Growth::Text(take("signature"))),
        "input_json_delta" => ("input", Growth::Json(take("partial_json"))),
        "citations_delta" => {
            ("citations", Growth::Element(delta.get_mut("citation").map(Value::take).unwrap_or_default()))
        }
        _ => return,
    };
    pieces.push(Piece::ItemGrowth { index, field, growth });
}
