//! Blocks of contents, as neutral parts: <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html>.

use super::NAME;
use crate::message::{Content, Media, Part};
use crate::wire::content_parts::read_parts;
use serde_json::{Value, json};

/// The formats of images and documents, with their media types.
const FORMATS: [(&str, &str); 13] = [
    ("png", "image/png"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("pdf", "application/pdf"),
    ("csv", "text/csv"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("html", "text/html"),
    ("md", "text/markdown"),
    ("txt", "text/plain"),
];

/// The maximum length of the name of a document, without the number after a name that another document has.
const MAX_NAME: usize = 180;

/// The part as a block; `None` if the format has no such block.
pub(super) fn write_part(part: &Part) -> Option<Value> {
    match part {
        Part::Text { .. } | Part::Json { .. } => Some(text_block(&part.as_text()?)),
        Part::Image { media } => {
            let (format, source) = source(media, true)?;
            Some(json!({ "image": { "format": format, "source": source } }))
        }
        Part::File { name, media } => {
            let ((format, source), name) = (source(media, false)?, document_name(name.as_deref()));
            Some(json!({ "document": { "format": format, "name": name, "source": source } }))
        }
        Part::ToolReference { .. } | Part::Other { .. } => None,
    }
}

pub(super) fn text_block(text: &str) -> Value {
    json!({ "text": text })
}

/// The format and the source of an image or a document. The API takes no URL but that of an object of S3, whose name has the
/// format.
fn source(media: &Media, is_image: bool) -> Option<(&'static str, Value)> {
    let (format, source) = match media {
        Media::Data { base64, .. } if base64.is_empty() => return None,
        Media::Data { mime_type, base64 } => {
            let mime_type = mime_type.split(';').next().unwrap_or_default();
            let text = if mime_type.starts_with("text/") { "text/plain" } else { mime_type };
            let with_type = |mime_type| FORMATS.iter().find(|(_, known)| *known == mime_type);
            (with_type(mime_type).or_else(|| with_type(text))?, json!({ "bytes": base64 }))
        }
        Media::Url { url } => {
            let extension = url.strip_prefix("s3://")?.rsplit('.').next()?.to_ascii_lowercase();
            let extension = if extension == "jpg" { "jpeg" } else { &extension };
            let format = FORMATS.iter().find(|(known, _)| *known == extension)?;
            (format, json!({ "s3Location": { "uri": url } }))
        }
    };
    (format.1.starts_with("image/") == is_image).then_some((format.0, source))
}

/// A name with the characters that the API takes: letters, digits, single white space, hyphens, parentheses and brackets
/// (<https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html>).
fn document_name(name: Option<&str>) -> String {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || " -()[]".contains(letter);
    let words: Vec<&str> = name.unwrap_or_default().split_whitespace().collect();
    let letters = words.join(" ");
    let letters = letters.chars().map(|letter| if is_allowed(letter) { letter } else { '-' });
    let name: String = letters.take(MAX_NAME).collect();
    if name.is_empty() { "document".to_owned() } else { name }
}

/// The content of a list of blocks.
pub(super) fn read_content(blocks: Vec<Value>) -> Content {
    read_parts(NAME, blocks, read_block, write_part)
}

fn read_block(block: &Value) -> Option<Part> {
    let (kind, value) = block.as_object()?.iter().next()?;
    let part = match &**kind {
        "text" => value.as_str().map(Part::text),
        "json" => Some(Part::json(value.clone())),
        "image" => read_source(value).map(|media| Part::Image { media }),
        "document" => read_source(value)
            .map(|media| Part::File { name: value["name"].as_str().map(str::to_owned), media }),
        _ => None,
    };
    part.or_else(|| Some(Part::Other { kind: kind.clone() }))
}

fn read_source(media: &Value) -> Option<Media> {
    let (format, source) = (media["format"].as_str().unwrap_or("txt"), &media["source"]);
    if let Some(uri) = source["s3Location"]["uri"].as_str() {
        return Some(Media::Url { url: uri.to_owned() });
    }
    let (_, mime_type) = FORMATS.iter().find(|(known, _)| *known == format)?;
    if let Some(text) = source["text"].as_str() {
        return Some(Media::data(*mime_type, text));
    }
    Some(Media::Data { mime_type: (*mime_type).to_owned(), base64: source["bytes"].as_str()?.to_owned() })
}
