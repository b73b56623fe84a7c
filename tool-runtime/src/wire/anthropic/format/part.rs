//! Blocks of contents, as neutral parts.

use super::NAME;
use crate::message::{Content, Media, Part};
use crate::wire::content_parts::read_parts;
use serde_json::{Value, json};

/// The part as a block; `None` if the format has no such block.
pub(super) fn write_part(part: &Part) -> Option<Value> {
    match part {
        // The API rejects text of white space: "text content blocks must contain non-whitespace text".
        Part::Text { .. } | Part::Json { .. } => {
            let text = part.as_text()?;
            (!text.trim().is_empty()).then(|| text_block(&text))
        }
        Part::Image { media } => Some(json!({ "type": "image", "source": image_source(media)? })),
        Part::File { name, media } => {
            let mut block = json!({ "type": "document", "source": document_source(media)? });
            if let Some(name) = name {
                block["title"] = json!(name);
            }
            Some(block)
        }
        Part::ToolReference { .. } | Part::Other { .. } => None,
    }
}

pub(super) fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// The source of an image, in one of the formats that the API accepts:
/// <https://docs.anthropic.com/en/docs/build-with-claude/vision>.
fn image_source(media: &Media) -> Option<Value> {
    const TYPES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
    let is_accepted = match media {
        Media::Data { mime_type, base64 } => TYPES.contains(&&**mime_type) && !base64.is_empty(),
        Media::Url { url } => url.starts_with("http"),
    };
    is_accepted.then(|| source(media))
}

fn source(media: &Media) -> Value {
    match media {
        Media::Data { mime_type, base64 } => {
            json!({ "type": "base64", "media_type": mime_type, "data": base64 })
        }
        Media::Url { url } => json!({ "type": "url", "url": url }),
    }
}

/// The source of a document: PDF or text.
fn document_source(media: &Media) -> Option<Value> {
    match media {
        Media::Data { mime_type, .. } if mime_type.starts_with("text/") => {
            let text = String::from_utf8(media.bytes()?).ok()?;
            Some(json!({ "type": "text", "media_type": "text/plain", "data": text }))
        }
        Media::Data { mime_type, .. } if mime_type != "application/pdf" => None,
        media => Some(source(media)),
    }
}

/// The content of a list of blocks.
pub(super) fn read_content(blocks: Vec<Value>) -> Content {
    read_parts(NAME, blocks, read_block, write_part)
}

fn read_block(block: &Value) -> Option<Part> {
    match block["type"].as_str()? {
        "text" => block["text"].as_str().map(Part::text),
        "image" => read_source(&block["source"]).map(|media| Part::Image { media }),
        "document" => read_source(&block["source"])
            .map(|media| Part::File { name: block["title"].as_str().map(str::to_owned), media }),
        "tool_reference" => block["tool_name"].as_str().map(Part::tool_reference),
        _ => None,
    }
}

fn read_source(source: &Value) -> Option<Media> {
    let text = |field: &str| source[field].as_str().map(str::to_owned);
    match source["type"].as_str()? {
        "base64" => Some(Media::Data { mime_type: text("media_type")?, base64: text("data")? }),
        "url" => Some(Media::Url { url: text("url")? }),
        "text" => Some(Media::data(text("media_type")?, text("data")?)),
        _ => None,
    }
}
