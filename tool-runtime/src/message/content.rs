//! The content of a message.

use super::{Part, stored_json};
use crate::json::to_text;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// The content of a message: text, or parts (text, JSON, images, files, references to tools).
///
/// [`as_str`](Content::as_str) returns its text. A `Content` can be compared with strings.
///
/// ```
/// use tool_runtime::message::{Content, Part};
///
/// let content = Content::from_parts([Part::text("sunny"), Part::image_url("https://example.com/sky.png")]);
/// assert_eq!(content, "sunny");
/// assert_eq!(content.parts().map(<[Part]>::len), Some(2));
/// # let read: Content = serde_json::from_str(r#"[{"type":"text","text":"sunny"}]"#)?;
/// # assert_eq!(read, "sunny");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Content {
    text: String,
    /// Whether the text is one JSON value.
    is_json: bool,
    /// `None` for text alone, as most contents are.
    more: Option<Box<More>>,
}

#[derive(Clone, Default, PartialEq)]
struct More {
    parts: Option<Vec<Part>>,
    /// The content in a provider's format, if the parts do not contain all of it. A content does not change, so both
    /// are always the same content.
    native: Option<NativeContent>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct NativeContent {
    wire: Cow<'static, str>,
    #[serde(with = "stored_json")]
    value: Value,
}

impl Content {
    /// Content of parts. Its text is the joined text of the parts with text or JSON.
    #[must_use]
    pub fn from_parts(parts: impl IntoIterator<Item = Part>) -> Self {
        let parts: Vec<Part> = parts.into_iter().collect();
        let text = parts.iter().filter_map(Part::as_text).collect();
        let more = More { parts: Some(parts), native: None };
        Content { text, is_json: false, more: Some(Box::new(more)) }
    }

    /// Content that was stored as JSON. It is text if it is not.
    pub(super) fn from_stored_json(text: String) -> Self {
        let is_json = serde_json::from_str::<IgnoredAny>(&text).is_ok();
        Content { is_json, ..text.into() }
    }

    /// Content that is the text of one JSON value, as `serde_json` writes it.
    pub(crate) fn from_json_text(text: String) -> Self {
        Content { text, is_json: true, more: None }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The parts; `None` if the content is one text.
    #[must_use]
    pub fn parts(&self) -> Option<&[Part]> {
        self.more.as_ref()?.parts.as_deref()
    }

    /// Whether the content has no parts and its text is one JSON value, for example the result of a tool that returned
    /// a value with `Serialize`. A content that was read in a format that does not distinguish JSON from text is text.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.is_json
    }

    /// Adds a part. The text becomes a part as well.
    pub(crate) fn with_part(self, part: Part) -> Self {
        let Content { mut text, is_json, more } = self;
        let mut parts = match more.and_then(|more| more.parts) {
            Some(parts) => parts,
            None if text.is_empty() => Vec::new(),
            None if is_json => vec![Part::from_json_text(text.clone())],
            None => vec![Part::text(&*text)],
        };
        text.push_str(&part.as_text().unwrap_or_default());
        parts.push(part);
        Content { text, is_json: false, more: Some(Box::new(More { parts: Some(parts), native: None })) }
    }

    /// Replaces the text by another one, which is not JSON. Parts that are neither text nor JSON stay, after the text.
    pub(crate) fn with_text(self, text: String) -> Self {
        let Some(parts) = self.more.and_then(|more| more.parts) else { return text.into() };
        let others = parts.into_iter().filter(|part| part.as_text().is_none());
        Content::from_parts([Part::text(text)].into_iter().chain(others))
    }

    /// Keeps the content as this wire sent it, to write it back unchanged.
    pub(crate) fn with_native(self, wire: &'static str, value: Value) -> Self {
        self.with_native_content(Some(NativeContent { wire: Cow::Borrowed(wire), value }))
    }

    /// The content as this wire sent it, if the parts do not contain all of it.
    pub(crate) fn native(&self, wire: &str) -> Option<&Value> {
        self.native_content().filter(|native| native.wire == wire).map(|native| &native.value)
    }

    /// Whether any part, such as an image, is neither text nor a reference to a tool.
    pub(crate) fn has_more_than_text(&self) -> bool {
        let is_more = |part: &Part| part.as_text().is_none() && part.as_tool_reference().is_none();
        self.parts().unwrap_or_default().iter().any(is_more)
    }

    /// The names of the tools that a search found.
    pub(crate) fn tool_references(&self) -> impl Iterator<Item = &str> {
        self.parts().unwrap_or_default().iter().filter_map(Part::as_tool_reference)
    }

    /// Adds the names of the tools that a search found, if the content has no text: the result of a native search that was
    /// read. The provider gets its own form, and others the names.
    pub(crate) fn with_names_of_references(self) -> Self {
        let names: Vec<&str> = self.tool_references().collect();
        if names.is_empty() || !self.text.is_empty() {
            return self;
        }
        let text = Part::text(format!("Found: {}", names.join(", ")));
        let parts = self.parts().unwrap_or_default().iter().cloned();
        let content = Content::from_parts([text].into_iter().chain(parts));
        let native = self.native_content().cloned();
        content.with_native_content(native)
    }

    /// The content without references to tools, for formats that do not have them. One text that is left is a content
    /// without parts, as if the references had not been added.
    pub(crate) fn without_tool_references(&self) -> Cow<'_, Content> {
        if self.tool_references().next().is_none() {
            return Cow::Borrowed(self);
        }
        let mut parts = self.parts().unwrap_or_default().to_vec();
        parts.retain(|part| part.as_tool_reference().is_none());
        Cow::Owned(match &*parts {
            [] => Content::default(),
            [Part::Text { text }] => text.clone().into(),
            [Part::Json { json }] => Content::from_json_text(to_text(json)),
            _ => Content::from_parts(parts),
        })
    }

    /// Whether there is no text and no part.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.parts().is_none_or(<[Part]>::is_empty)
    }

    /// The parts; a text is one part.
    pub(crate) fn to_parts(&self) -> Vec<Cow<'_, Part>> {
        match self.parts() {
            Some(parts) => parts.iter().map(Cow::Borrowed).collect(),
            None if self.text.is_empty() => Vec::new(),
            None => vec![Cow::Owned(Part::text(&*self.text))],
        }
    }

    pub(super) fn native_content(&self) -> Option<&NativeContent> {
        self.more.as_ref()?.native.as_ref()
    }

    pub(super) fn with_native_content(mut self, native: Option<NativeContent>) -> Self {
        if native.is_some() {
            self.more.get_or_insert_default().native = native;
        }
        self
    }
}

/// Text and JSON with the same text are equal, since a model reads the same.
impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.more == other.more
    }
}

impl AsRef<str> for Content {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Content { text, is_json: false, more: None }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<Part> for Content {
    fn from(part: Part) -> Self {
        Content::from_parts([part])
    }
}

impl From<Vec<Part>> for Content {
    fn from(parts: Vec<Part>) -> Self {
        Content::from_parts(parts)
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
        match self.parts() {
            Some(parts) => parts.fmt(f),
            None => self.text.fmt(f),
        }
    }
}
