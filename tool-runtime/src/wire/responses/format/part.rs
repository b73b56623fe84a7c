//! Parts of contents.

use super::NAME;
use crate::message::{Content, Media, Part};
use crate::wire::content_parts::{TextOrParts, read_parts};
use crate::wire::report::ReportedPart;
use serde_json::{Value, json};

/// The content of a message of the user or the system, or of a result.
pub(super) fn write_content(content: &Content, report: impl FnMut(ReportedPart<'_>)) -> Value {
    match TextOrParts::new(NAME, content, write_part, report) {
        // The API rejects an array without parts.
        TextOrParts::Parts(parts) if parts.is_empty() => "".into(),
        content => content.into_value(),
    }
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

/// The content of a text or an array of parts.
pub(super) fn read_content(value: Value) -> Option<Content> {
    Some(match value {
        Value::Null => Content::default(),
        Value::String(text) => text.into(),
        Value::Array(parts) => read_parts(NAME, parts, read_part, write_part),
        _ => return None,
    })
}

fn read_part(part: &Value) -> Option<Part> {
    let text = |field: &str| part[field].as_str();
    match part["type"].as_str()? {
        "input_text" | "output_text" => text("text").map(Part::text),
        "input_image" => text("image_url").map(|url| Part::Image { media: Media::from_url(url) }),
        "input_file" => text("file_data").or_else(|| text("file_url")).map(|data| Part::File {
            name: text("filename").map(str::to_owned),
            media: Media::from_url(data),
        }),
        _ => None,
    }
}
