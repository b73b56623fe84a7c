//! Parts of contents, as neutral parts: <https://ai.google.dev/api/caching#Part>.

use super::NAME;
use crate::message::{Content, Media, Part};
use crate::wire::content_parts::read_parts;
use serde_json::{Value, json};

/// A field of an object. SDKs, and proxies that use them, write the names of fields in snake case.
pub(super) fn field<'v>(object: &'v Value, name: &str) -> &'v Value {
    match object.get(name) {
        None | Some(Value::Null) => &object[&*snake_case(name)],
        Some(value) => value,
    }
}

/// The name of a field in snake case: `inline_data` for `inlineData`.
pub(super) fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 2);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// The part in the format of the API; `None` if there is no such part, or if it is empty: the API rejects empty text.
pub(super) fn write_part(part: &Part) -> Option<Value> {
    match part {
        Part::Text { .. } | Part::Json { .. } => {
            let text = part.as_text()?;
            (!text.is_empty()).then(|| text_part(&text))
        }
        Part::Image { media } | Part::File { media, .. } => write_media(media),
        Part::ToolReference { .. } | Part::Other { .. } => None,
    }
}

/// Whether it is text without characters and without a signature.
pub(super) fn is_empty_text(part: &Value) -> bool {
    let is_signed = field(part, "thoughtSignature").as_str().is_some_and(|signature| !signature.is_empty());
    part["text"] == "" && field(part, "functionCall").is_null() && !is_signed
}

pub(super) fn text_part(text: &str) -> Value {
    json!({ "text": text })
}

fn write_media(media: &Media) -> Option<Value> {
    match media {
        Media::Data { base64, .. } if base64.is_empty() => None,
        Media::Data { mime_type, base64 } => {
            Some(json!({ "inlineData": { "mimeType": mime_type, "data": base64 } }))
        }
        Media::Url { url } => Some(json!({ "fileData": { "fileUri": url } })),
    }
}

/// The content of a list of parts.
pub(super) fn read_content(list: Vec<Value>) -> Content {
    read_parts(NAME, list, read_part, write_part)
}

fn read_part(part: &Value) -> Option<Part> {
    if let Some(text) = part["text"].as_str() {
        return Some(Part::text(text));
    }
    read_media(part).or_else(|| Some(Part::Other { kind: kind(part) }))
}

/// The name of the field with the data of a part.
fn kind(part: &Value) -> String {
    let mut fields = part.as_object().into_iter().flatten();
    fields.find(|(_, value)| value.is_object()).map_or_else(|| "part".to_owned(), |(name, _)| name.clone())
}

pub(super) fn read_media(part: &Value) -> Option<Part> {
    let (inline, file) = (field(part, "inlineData"), field(part, "fileData"));
    let data = if inline.is_object() { inline } else { file };
    let mime_type = field(data, "mimeType").as_str().unwrap_or_default();
    let media = if inline.is_object() {
        let base64 = standard_base64(inline["data"].as_str()?);
        let media = Media::Data { mime_type: mime_type.to_owned(), base64 };
        media.bytes().is_some().then_some(media)?
    } else {
        Media::Url { url: field(file, "fileUri").as_str()?.to_owned() }
    };
    Some(if mime_type.starts_with("image/") {
        Part::Image { media }
    } else {
        Part::File { name: None, media }
    })
}

/// The API accepts base64 in the alphabet of URLs and without padding too.
fn standard_base64(data: &str) -> String {
    let mut base64 = data.replace('-', "+").replace('_', "/");
    while base64.len() % 4 != 0 {
        base64.push('=');
    }
    base64
}
