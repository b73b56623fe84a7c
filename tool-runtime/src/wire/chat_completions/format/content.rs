//! Contents: a string, or an array of parts.

use super::NAME;
use crate::message::{Content, Media, Part};
use crate::wire::content_parts::{self, TextOrParts};
use crate::wire::{WireError, bedrock, detect};
use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

/// The content that was read, or its parts that Chat Completions has.
impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        TextOrParts::new(NAME, self, write_part, |_| {}).serialize(serializer)
    }
}

/// The part in this format; `None` if the format has no such part.
pub(super) fn write_part(part: &Part) -> Option<Value> {
    match part {
        Part::Text { .. } | Part::Json { .. } => Some(text_part(&part.as_text()?)),
        Part::Image { media } => Some(json!({ "type": "image_url", "image_url": { "url": media.to_url() } })),
        Part::File { name, media: media @ Media::Data { .. } } => {
            let name = name.as_deref().unwrap_or("file");
            Some(json!({ "type": "file", "file": { "filename": name, "file_data": media.to_url() } }))
        }
        Part::File { .. } | Part::ToolReference { .. } | Part::Other { .. } => None,
    }
}

pub(crate) fn text_part(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// Reads an array of parts.
pub(crate) fn read_parts(parts: Vec<Value>) -> Content {
    content_parts::read_parts(NAME, parts, read_part, write_part)
}

/// The parts as they were read; empty if the content is one text.
pub(super) fn raw_parts(content: &Content) -> Vec<Value> {
    match content.native(NAME) {
        Some(Value::Array(parts)) => parts.clone(),
        _ => content.parts().unwrap_or_default().iter().filter_map(write_part).collect(),
    }
}

fn read_part(part: &Value) -> Option<Part> {
    let text_of = |value: &Value| value.as_str().map(str::to_owned);
    match part["type"].as_str().unwrap_or_default() {
        "image_url" => {
            // Some servers take the address without an object around it.
            let url = part["image_url"]["url"].as_str().or_else(|| part["image_url"].as_str());
            url.map(|url| Part::Image { media: Media::from_url(url) })
        }
        "file" => part["file"]["file_data"].as_str().map(|data| Part::File {
            name: text_of(&part["file"]["filename"]),
            media: Media::from_url(data),
        }),
        _ => {
            let text = part.as_str().or_else(|| part.get("text").or_else(|| part.get("refusal"))?.as_str());
            text.map(Part::text)
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let unexpected = match Value::deserialize(deserializer)? {
            Value::Null => return Ok(Content::default()),
            Value::String(text) => return Ok(text.into()),
            Value::Array(parts) => return read_array(parts).map_err(D::Error::custom),
            part @ Value::Object(_) if is_part(&part) => return Ok(read_parts(vec![part])),
            object @ Value::Object(_) => return Ok(object.to_string().into()),
            Value::Bool(value) => Unexpected::Bool(value),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => Unexpected::Unsigned(number),
                (None, Some(number)) => Unexpected::Signed(number),
                (None, None) => Unexpected::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
        };
        Err(D::Error::invalid_type(unexpected, &"text or a list of content parts"))
    }
}

fn read_array(parts: Vec<Value>) -> Result<Content, WireError> {
    let mut kinds = parts.iter().filter_map(|part| part["type"].as_str());
    if let Some(wire) = kinds.find_map(detect::wire_of_part) {
        return Err(WireError::OtherWire { wire });
    }
    if parts.iter().any(|part| part["toolUse"].is_object() || part["toolResult"].is_object()) {
        return Err(WireError::OtherWire { wire: bedrock::NAME });
    }
    // Any other array is the result of a tool that was not serialized to text.
    let are_parts = parts.iter().all(|part| part.is_string() || is_part(part));
    Ok(if are_parts { read_parts(parts) } else { Value::Array(parts).to_string().into() })
}

fn is_part(part: &Value) -> bool {
    part["type"].is_string()
}
