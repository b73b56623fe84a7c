//! The parts of contents in the format of a provider.

use crate::message::{Content, Part};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;

/// The content of a list of parts. It keeps the list if the neutral parts do not contain all of it.
pub(super) fn read_parts(
    wire: &'static str,
    list: Vec<Value>,
    read: impl Fn(&Value) -> Part,
    write: impl Fn(&Part) -> Option<Value>,
) -> Content {
    let parts: Vec<Part> = list.iter().map(read).collect();
    let is_exact = parts.iter().zip(&list).all(|(part, read)| write(part).as_ref() == Some(read));
    let content = Content::from_parts(parts);
    if is_exact { content } else { content.with_native(wire, Value::Array(list)) }
}

/// The list that was read on this wire, or the parts that `write` returns. `dropped` gets the others, except text.
pub(super) fn write_parts<'a>(
    wire: &str,
    content: &'a Content,
    write: impl Fn(&Part) -> Option<Value>,
    dropped: impl FnMut(&Part),
) -> Vec<Cow<'a, Value>> {
    if let Some(Value::Array(list)) = content.native(wire) {
        return list.iter().map(Cow::Borrowed).collect();
    }
    let parts = content.to_parts();
    written(parts.iter().map(Cow::as_ref), write, dropped).into_iter().map(Cow::Owned).collect()
}

/// The images and files of a result, for a format that does not have them in it. Empty if the content was read on this wire.
pub(super) fn write_media(
    wire: &str,
    content: &Content,
    write: impl Fn(&Part) -> Option<Value>,
    dropped: impl FnMut(&Part),
) -> Vec<Value> {
    if content.native(wire).is_some() {
        return Vec::new();
    }
    let parts = content.parts().unwrap_or_default().iter().filter(|part| part.as_text().is_none());
    written(parts, write, dropped)
}

/// The parts that `write` returns. Text without a written part is left out; any other part is dropped.
fn written<'p>(
    parts: impl Iterator<Item = &'p Part>,
    write: impl Fn(&Part) -> Option<Value>,
    mut dropped: impl FnMut(&Part),
) -> Vec<Value> {
    let write = |part| {
        let written = write(part);
        if written.is_none() && part.as_text().is_none() {
            dropped(part);
        }
        written
    };
    parts.filter_map(write).collect()
}

/// A content that is one text or a list of parts.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum TextOrParts<'a> {
    /// The content that was read.
    Native(&'a Value),
    Text(Cow<'a, str>),
    Parts(Vec<Value>),
}

impl<'a> TextOrParts<'a> {
    /// The content that was read on this wire, or its text, or the parts that `write` returns. `dropped` gets the others.
    pub(super) fn new(
        wire: &str,
        content: &'a Content,
        write: impl Fn(&Part) -> Option<Value>,
        dropped: impl FnMut(&Part),
    ) -> Self {
        if let Some(native) = content.native(wire) {
            return TextOrParts::Native(native);
        }
        if content.parts().is_none() {
            return TextOrParts::Text(Cow::Borrowed(content.as_str()));
        }
        let content = content.without_tool_references();
        let Some(parts) = content.parts() else {
            return TextOrParts::Text(Cow::Owned(content.as_str().to_owned()));
        };
        let written = written(parts.iter(), write, dropped);
        // Servers reject an array without parts, unless they sent it.
        if written.is_empty() && !parts.is_empty() {
            return TextOrParts::Text(Cow::Borrowed(""));
        }
        TextOrParts::Parts(written)
    }

    pub(super) fn into_value(self) -> Value {
        match self {
            TextOrParts::Native(native) => native.clone(),
            TextOrParts::Text(text) => text.into(),
            TextOrParts::Parts(parts) => parts.into(),
        }
    }
}
