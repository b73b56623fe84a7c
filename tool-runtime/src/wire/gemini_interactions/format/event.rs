//! Events of a streamed reply: <https://ai.google.dev/gemini-api/docs/interactions/streaming>.

use super::content::join_text;
use super::reply::{Interaction, read_usage};
use super::{FORMAT, NAME};
use crate::message::{CallPiece, Chunk, Finish, Growth, ItemContent, ItemKind, Piece, ReadItem, StreamError};
use crate::wire::error::{beginning, server_message};
use crate::wire::event_data::{json_piece, read_data, stated_arguments};
use serde::Deserialize;
use serde_json::{Value, json};
use std::convert::identity;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Event<'a> {
    #[serde(rename = "event_type")]
    kind: String,
    index: i64,
    step: Value,
    delta: Value,
    status: Option<String>,
    #[serde(borrow)]
    interaction: Interaction<'a>,
    error: Value,
}

/// Reads the text after `data:` of a server-sent event.
pub(super) fn read(data: &str) -> Chunk {
    read_data(data, NAME, FORMAT, |text| Ok(read_event(serde_json::from_str(text)?, text)))
}

fn read_event(event: Event<'_>, text: &str) -> Vec<Piece> {
    let mut pieces = vec![Piece::Reply(None)];
    match &*event.kind {
        "interaction.created" => {
            pieces.push(Piece::Beginning(event.interaction.id.clone()));
            add_interaction(event.interaction, &mut pieces);
        }
        "interaction.completed" => {
            if let Some(message) = event.interaction.failure() {
                return vec![Piece::Error(StreamError::Server { message, error: event.interaction.errors })];
            }
            add_interaction(event.interaction, &mut pieces);
            pieces.push(Piece::Done);
        }
        "interaction.status_update" => finish(event.status, &mut pieces),
        "step.start" => start_step(event.index, event.step, &mut pieces),
        "step.delta" => read_delta(event.index, event.delta, &mut pieces),
        "step.stop" => return vec![Piece::ItemEnd(event.index)],
        _ => {
            return vec![match server_message(&event.error) {
                Some(message) => Piece::Error(StreamError::Server { message, error: event.error }),
                None => Piece::Skipped(beginning(text)),
            }];
        }
    }
    pieces
}

fn add_interaction(interaction: Interaction<'_>, pieces: &mut Vec<Piece>) {
    pieces.extend(interaction.model.map(Piece::Model));
    pieces.extend(interaction.id.map(Piece::ResponseId));
    pieces.extend(read_usage(&interaction.usage).map(Piece::Usage));
    finish(interaction.status, pieces);
}

fn finish(status: Option<String>, pieces: &mut Vec<Piece>) {
    let ended = status.filter(|status| !matches!(&**status, "in_progress" | "queued"));
    pieces.extend(ended.map(|status| Piece::Finish(Finish::new(status))));
}

fn start_step(index: i64, mut item: Value, pieces: &mut Vec<Piece>) {
    let text = |field: &str| item[field].as_str().unwrap_or_default().to_owned();
    let (mut call, mut arguments) = (None, None);
    let kind = match item["type"].as_str().unwrap_or_default() {
        // Each of its contents becomes a step, and more of them follow.
        "model_output" => {
            pieces.extend(server_message(&item["error"]).map(Piece::Refusal));
            let contents = item["content"].as_array_mut().map(std::mem::take).unwrap_or_default();
            return contents.into_iter().for_each(|content| read_delta(index, content, pieces));
        }
        "thought" => {
            pieces.extend(join_text(&item["summary"]).map(Piece::Reasoning));
            ItemKind::Reasoning
        }
        "function_call" => {
            call = Some(CallPiece {
                id: text("id"),
                name: super::names::read(&text("name")).to_owned(),
                ..CallPiece::from_arguments(index, String::new())
            });
            arguments = stated_arguments(&mut item["arguments"]);
            ItemKind::Call
        }
        _ => ItemKind::Native,
    };
    pieces.push(Piece::ItemStart { index, item, kind, call, arguments, is_implied: false, wrap: identity });
}

fn read_delta(index: i64, mut delta: Value, pieces: &mut Vec<Piece>) {
    let text = |field: &str| delta[field].as_str().unwrap_or_default().to_owned();
    let (field, growth) = match delta["type"].as_str().unwrap_or_default() {
        "text" => {
            pieces.push(Piece::Text(text("text")));
            let item = json!({ "type": "text", "text": text("text") });
            pieces.push(Piece::JoinableItem { item, kind: ItemKind::Text, wrap: model_output });
            return;
        }
        "image" | "audio" | "video" | "document" => {
            let (json, content) = (model_output(delta.to_string()), ItemContent::Native);
            let item = ReadItem { json, content, is_valid: true };
            pieces.push(Piece::Item { index: None, item, call: None });
            return;
        }
        "thought_summary" => {
            let content = delta["content"].take();
            if content.is_null() {
                return;
            }
            pieces.extend(content["text"].as_str().map(|text| Piece::Reasoning(text.to_owned())));
            ("summary", Growth::Element(content))
        }
        "thought_signature" => ("signature", Growth::Text(text("signature"))),
        "arguments_delta" => ("arguments", Growth::Json(json_piece(delta.get("arguments")))),
        // A step of the provider's own tools, in one piece.
        _ => {
            for field in ["arguments", "result", "signature"] {
                let value = delta.get_mut(field).map(Value::take);
                let growth = value.map(Growth::Whole);
                pieces.extend(growth.map(|growth| Piece::ItemGrowth { index, field, growth }));
            }
            return;
        }
    };
    pieces.push(Piece::ItemGrowth { index, field, growth });
}

/// A step with this content.
#[expect(clippy::needless_pass_by_value, reason = "it is a `WrapItem`")]
fn model_output(content: String) -> String {
    format!(r#"{{"type":"model_output","content":[{content}]}}"#)
}
