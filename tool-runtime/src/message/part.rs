//! Parts of contents: text, JSON, images, files and references to tools.

use super::stored_json::is_unreadable;
use crate::json::to_text;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// One part of a [`Content`](super::Content).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
#[must_use]
pub enum Part {
    /// Text.
    #[non_exhaustive]
    Text {
        /// The text.
        text: String,
    },
    /// A JSON value, which the model reads as its text.
    #[non_exhaustive]
    Json {
        /// The value.
        json: Value,
    },
    /// An image.
    #[non_exhaustive]
    Image {
        /// The image, or its address.
        media: Media,
    },
    /// A file, such as a PDF document.
    #[non_exhaustive]
    File {
        /// The name of the file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// The file, or its address.
        media: Media,
    },
    /// The name of a tool that a search found. It is not text.
    ///
    /// [`Anthropic`] and [`Responses`] write the definition of the tool in its place if their setting
    /// `native_tool_search` is on. Other requests do not contain it, since the text of the result describes the tools.
    ///
    /// [`Anthropic`]: crate::wire::Anthropic
    /// [`Responses`]: crate::wire::Responses
    #[non_exhaustive]
    ToolReference {
        /// The name of the tool.
        name: String,
    },
    /// A part that only its provider defines, such as audio. It goes back to this provider unchanged, and is dropped
    /// elsewhere.
    #[non_exhaustive]
    Other {
        /// The type of the part in the provider's format.
        kind: String,
    },
}

/// The data of an image or a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Media {
    /// The bytes.
    #[non_exhaustive]
    Data {
        /// The media type, for example `image/png`.
        mime_type: String,
        /// The bytes in base64, with padding.
        base64: String,
    },
    /// An address from which the provider loads the data.
    #[non_exhaustive]
    Url {
        /// The address.
        url: String,
    },
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Part::text(text)
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Part::text(text)
    }
}

impl Part {
    /// A part of text.
    pub fn text(text: impl Into<String>) -> Self {
        Part::Text { text: text.into() }
    }

    /// A part with a JSON value. A value with more than 64 levels becomes a part with the text of its JSON, which the model reads
    /// in both cases.
    pub fn json(json: Value) -> Self {
        if is_unreadable(&json) { Part::text(to_text(&json)) } else { Part::Json { json } }
    }

    /// A part with the JSON of this text; with the text if it has too many levels or if a [`Value`] changes it: by the precision
    /// of a number, or because a key is repeated. A `Value` that only sorts keys has a text of the same length.
    pub(crate) fn from_json_text(text: String) -> Self {
        match serde_json::from_str::<Value>(&text) {
            Ok(json) if to_text(&json).len() == text.len() && !is_unreadable(&json) => Part::Json { json },
            _ => Part::Text { text },
        }
    }

    /// An image of this media type, for example `image/png`. In a result, servers of Chat Completions get it in a user
    /// message after the last result.
    pub fn image(mime_type: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        Part::Image { media: Media::data(mime_type, bytes) }
    }

    /// An image that the provider loads from this address.
    pub fn image_url(url: impl Into<String>) -> Self {
        Part::Image { media: Media::Url { url: url.into() } }
    }

    /// A file with a name and a media type, for example `application/pdf`.
    pub fn file(name: impl Into<String>, mime_type: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        Part::File { name: Some(name.into()), media: Media::data(mime_type, bytes) }
    }

    /// A file that the provider loads from this address.
    pub fn file_url(name: impl Into<String>, url: impl Into<String>) -> Self {
        Part::File { name: Some(name.into()), media: Media::Url { url: url.into() } }
    }

    /// The name of a tool that a search found: see [`Part::ToolReference`].
    ///
    /// ```
    /// use tool_runtime::message::{Content, Part};
    ///
    /// let content = Content::from_parts([Part::text("get_weather(city)"), Part::tool_reference("get_weather")]);
    /// assert_eq!(content, "get_weather(city)");
    /// assert_eq!(serde_json::to_string(&content)?, r#""get_weather(city)""#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn tool_reference(name: impl Into<String>) -> Self {
        Part::ToolReference { name: name.into() }
    }

    /// The text for the model, of a part that is text or JSON.
    pub(crate) fn as_text(&self) -> Option<Cow<'_, str>> {
        match self {
            Part::Text { text } => Some(Cow::Borrowed(text)),
            Part::Json { json } => Some(Cow::Owned(to_text(json))),
            Part::Image { .. } | Part::File { .. } | Part::ToolReference { .. } | Part::Other { .. } => None,
        }
    }

    /// The name of the tool, of a reference.
    pub(crate) fn as_tool_reference(&self) -> Option<&str> {
        match self {
            Part::ToolReference { name } => Some(name),
            _ => None,
        }
    }

    /// The type of the part, for reports.
    pub(crate) fn kind(&self) -> &str {
        match self {
            Part::Text { .. } => "text",
            Part::Json { .. } => "json",
            Part::Image { .. } => "image",
            Part::File { .. } => "file",
            Part::ToolReference { .. } => "tool_reference",
            Part::Other { kind } => kind,
        }
    }
}

impl Media {
    /// These bytes.
    pub(crate) fn data(mime_type: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        Media::Data { mime_type: mime_type.into(), base64: STANDARD.encode(bytes) }
    }

    /// The bytes; `None` if it is an address, or if the base64 is not valid.
    #[must_use]
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Media::Data { base64, .. } => STANDARD.decode(base64).ok(),
            Media::Url { .. } => None,
        }
    }

    /// The address, or a `data:` URL with the bytes.
    pub(crate) fn to_url(&self) -> Cow<'_, str> {
        match self {
            Media::Url { url } => Cow::Borrowed(url),
            Media::Data { mime_type, base64 } => Cow::Owned(format!("data:{mime_type};base64,{base64}")),
        }
    }

    /// Reads an address. A `data:` URL in base64 becomes its bytes.
    pub(crate) fn from_url(url: &str) -> Self {
        let data = url.strip_prefix("data:").and_then(|data| data.split_once(";base64,"));
        match data {
            Some((mime_type, base64)) => {
                Media::Data { mime_type: mime_type.to_owned(), base64: base64.to_owned() }
            }
            None => Media::Url { url: url.to_owned() },
        }
    }
}
