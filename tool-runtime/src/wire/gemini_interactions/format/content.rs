//! Contents of steps, as neutral parts: <https://ai.google.dev/api/interactions-api#Resource:Content>.

use super::NAME;
use crate::message::{Content, Media, Part};
use crate::wire::content_parts::read_parts;
use serde_json::{Value, json};

/// The part as a content; `None` if the format has no such content.
pub(super) fn write_part(part: &Part) -> Option<Value> {
    match part {
        Part::Text { .. } | Part::Json { .. } => {
            let text = part.as_text()?;
            (!text.is_empty()).then(|| text_content(&text))
        }
        Part::Image { media } => Some(write_media("image", media)),
        Part::File { media, .. } => {
            let mime_type = match media {
                Media::Data { mime_type, .. } => mime_type.as_str(),
                Media::Url { .. } => "",
            };
            let kind = ["audio", "video"].into_iter().find(|kind| mime_type.starts_with(kind));
            Some(write_media(kind.unwrap_or("document"), media))
        }
        Part::ToolReference { .. } | Part::Other { .. } => None,
    }
}

pub(super) fn text_content(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn write_media(kind: &str, media: &Media) -> Value {
    match media {
        Media::Data { mime_type, base64 } => json!({ "type": kind, "mime_type": mime_type, "data": base64 }),
        Media::Url { url } => json!({ "type": kind, "uri": url }),
    }
}

/// The content of a text, or of one or more contents.
pub(super) fn read_content(value: Value) -> Option<Content> {
    Some(match value {
        Value::Null => Content::default(),
        Value::String(text) => text.into(),
        Value::Array(contents) => read_parts(NAME, contents, read_part, write_part),
        content @ Value::Object(_) => read_parts(NAME, vec![content], read_part, write_part),
        _ => return None,
    })
}

fn read_part(content: &Value) -> Option<Part> {
    match content["type"].as_str()? {
        "text" => content["text"].as_str().map(Part::text),
        "image" => read_media(content).map(|media| Part::Image { media }),
        "document" | "audio" | "video" => read_media(content).map(|media| Part::File { name: None, media }),
        _ => None,
    }
}

fn read_media(content: &Value) -> Option<Media> {
    let text = |field: &str| content[field].as_str().map(str::to_owned);
    match text("uri") {
        Some(url) => Some(Media::Url { url }),
        None => Some(Media::Data { mime_type: text("mime_type")?, base64: text("data")? }),
    }
}

/// The texts of contents; `None` if there is none.
pub(super) fn join_text(contents: &Value) -> Option<String> {
    let contents = contents.as_array()?.iter().filter(|content| content["type"] == "text");
    contents.filter_map(|content| content["text"].as_str()).map(str::to_owned).reduce(|all, text| all + &text)
}
