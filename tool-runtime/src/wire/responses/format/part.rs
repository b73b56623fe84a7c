//! Parts of contents.

use super::NAME;
use crate::message::{Content, Media, Part};
use serde_json::{Value, json};

/// The content of a message of the user or the system, or of a result.
pub(super) fn write_content(content: &Content, mut dropped: impl FnMut(&Part)) -> Value {
    if let Some(native) = content.native(NAME) {
        return native.clone();
    }
    let content = content.without_tool_references();
    let Some(parts) = content.parts() else { return content.as_str().into() };
    let mut written = Vec::with_capacity(parts.len());
    for part in parts {
        match write_part(part) {
            Some(part) => written.push(part),
            None => dropped(part),
        }
    }
    // The API rejects an array without parts.
    if written.is_empty() { "".into() } else { written.into() }
}

pub(super) fn text_part(text: &str) -> Value {
    json!({ "type": "input_text", "text": text })
}

fn write_part(part: &Part) -> Option<Value> {
    match part {
        Part::Text { .. } | Part::Json { .. } => part.as_text().map(|text| text_part(&text)),
        Part::Image { media } => {
            Some(json!({ "type": "input_image", "detail": "auto", "image_url": media.to_url() }))
        }
        Part::File { name, media } => {
            let mut file = json!({ "type": "input_file" });
            match media {
                Media::Url { url } => file["file_url"] = json!(url),
                Media::Data { .. } => {
                    // The API requires a name for data.
                    file["filename"] = json!(name.as_deref().unwrap_or("file"));
                    file["file_data"] = json!(media.to_url());
                }
            }
            Some(file)
        }
        Part::ToolReference { .. } | Part::Other { .. } => None,
    }
}

/// The content of a text or an array of parts. It keeps them if the neutral parts do not contain all of them.
pub(super) fn read_content(value: Value) -> Option<Content> {
    let parts = match value {
        Value::Null => return Some(Content::default()),
        Value::String(text) => return Some(text.into()),
        Value::Array(parts) => parts,
        _ => return None,
    };
    let neutral: Vec<Part> = parts.iter().map(read_part).collect();
    let is_exact =
        neutral.iter().zip(&parts).all(|(neutral, part)| write_part(neutral).as_ref() == Some(part));
    let content = Content::from_parts(neutral);
    Some(if is_exact { content } else { content.with_native(NAME, Value::Array(parts)) })
}

fn read_part(part: &Value) -> Part {
    let kind = part["type"].as_str().unwrap_or_default();
    let text = |field: &str| part[field].as_str();
    let neutral = match kind {
        "input_text" | "output_text" => text("text").map(Part::text),
        "input_image" => text("image_url").map(|url| Part::Image { media: Media::from_url(url) }),
        "input_file" => text("file_data").or_else(|| text("file_url")).map(|data| Part::File {
            name: text("filename").map(str::to_owned),
            media: Media::from_url(data),
        }),
        _ => None,
    };
    neutral.unwrap_or_else(|| Part::Other { kind: kind.to_owned() })
}
