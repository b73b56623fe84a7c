//! The content of a message.

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt;

/// The content of a message: a string, or an array of parts (text, images, files).
///
/// [`as_str`](Content::as_str) returns its text. A `Content` can be compared with strings. Content that was read as parts is written as
/// the same parts.
///
/// ```
/// use tool_runtime::message::Content;
///
/// let content: Content = serde_json::from_str(r#"[{"type":"text","text":"sunny"}]"#)?;
/// assert_eq!(content, "sunny");
/// assert!(content.as_str().starts_with("sun"));
/// assert_eq!(serde_json::to_string(&content)?, r#"[{"text":"sunny","type":"text"}]"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Content {
    text: String,
    parts: Option<Box<[Value]>>,
}

impl Content {
    /// Content of parts, in the format of the API. Its text is the joined text of the text parts.
    #[must_use]
    pub fn from_parts(parts: Vec<Value>) -> Self {
        let text = parts
            .iter()
            .filter_map(|part| {
                part.as_str().or_else(|| part.get("text").or_else(|| part.get("refusal"))?.as_str())
            })
            .collect();
        Content { text, parts: Some(parts.into()) }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether any part, such as an image, is not text.
    #[cfg(feature = "history")]
    pub(crate) fn has_more_than_text(&self) -> bool {
        self.parts().unwrap_or_default().iter().any(|part| !part.is_string() && part["type"] != "text")
    }

    /// The parts, if the content is an array of parts.
    #[must_use]
    pub fn parts(&self) -> Option<&[Value]> {
        self.parts.as_deref()
    }
}

impl AsRef<str> for Content {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Content { text, parts: None }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<Content> for String {
    fn from(content: Content) -> Self {
        content.text
    }
}

impl PartialEq<str> for Content {
    fn eq(&self, text: &str) -> bool {
        self.text == text
    }
}

impl PartialEq<&str> for Content {
    fn eq(&self, text: &&str) -> bool {
        self.text == *text
    }
}

impl PartialEq<String> for Content {
    fn eq(&self, text: &String) -> bool {
        self.text == *text
    }
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.parts {
            Some(parts) => parts.fmt(f),
            None => self.text.fmt(f),
        }
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.parts {
            Some(parts) => parts.serialize(serializer),
            None => self.text.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text or a list of content parts")
    }

    fn visit_unit<E: Error>(self) -> Result<Content, E> {
        Ok(Content::default())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Content, E> {
        Ok(text.into())
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Content, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Content, A::Error> {
        let mut parts = Vec::new();
        while let Some(part) = seq.next_element()? {
            parts.push(part);
        }
        // Any other array is the result of a tool that was not serialized to text.
        if parts.iter().all(|part: &Value| part.is_string() || is_part(part)) {
            Ok(Content::from_parts(parts))
        } else {
            Ok(Value::Array(parts).to_string().into())
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Content, A::Error> {
        let mut part = Map::new();
        while let Some((key, value)) = map.next_entry()? {
            part.insert(key, value);
        }
        let part = Value::Object(part);
        Ok(if is_part(&part) { Content::from_parts(vec![part]) } else { part.to_string().into() })
    }
}

fn is_part(part: &Value) -> bool {
    part["type"].is_string()
}
