//! The parts of contents in the format of a provider.

use super::images::{self, Image};
use super::report::ReportedPart;
use crate::message::{Content, Part};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;

/// The content of a list of parts. It keeps the list if the neutral parts do not contain all of it.
pub(super) fn read_parts(
    wire: &'static str,
    list: Vec<Value>,
    read: impl Fn(&Value) -> Option<Part>,
    write: impl Fn(&Part) -> Option<Value>,
) -> Content {
    let kind = |part: &Value| part["type"].as_str().unwrap_or_default().to_owned();
    let part = |value| read(value).unwrap_or_else(|| Part::Other { kind: kind(value) });
    let parts: Vec<Part> = list.iter().map(part).collect();
    let is_exact = parts.iter().zip(&list).all(|(part, read)| write(part).as_ref() == Some(read));
    let content = Content::from_parts(parts);
    if is_exact { content } else { content.with_native(wire, Value::Array(list)) }
}

/// The list that was read on this wire, or the parts that `write` returns. `report` gets the others, except text.
pub(super) fn write_parts<'a>(
    wire: &str,
    content: &'a Content,
    write: impl Fn(&Part) -> Option<Value>,
    report: impl FnMut(ReportedPart<'_>),
) -> Vec<Cow<'a, Value>> {
    if let Some(Value::Array(list)) = content.native(wire) {
        return native(wire, list, content, write, report);
    }
    let parts = content.to_parts();
    written(wire, parts.iter().map(Cow::as_ref), write, report).into_iter().map(Cow::Owned).collect()
}

/// The list that was read, with images as the provider accepts them.
fn native<'a>(
    wire: &str,
    list: &'a [Value],
    content: &Content,
    write: impl Fn(&Part) -> Option<Value>,
    mut report: impl FnMut(ReportedPart<'_>),
) -> Vec<Cow<'a, Value>> {
    // Parts that stand for a result of a search are not those of the list.
    let parts = content.parts().filter(|parts| parts.len() == list.len()).unwrap_or_default();
    let parts = parts.iter().map(Some).chain(std::iter::repeat(None));
    let element = |(read, part): (&'a Value, Option<&Part>)| {
        let image = part.and_then(|part| Some((part, images::accepted(wire, part)?)));
        let written = image.and_then(|(part, image)| write(&accept(part, image, &mut report)));
        written.map_or(Cow::Borrowed(read), |written| Cow::Owned(with_other_fields(written, read)))
    };
    list.iter().zip(parts).map(element).collect()
}

/// The written part with the fields of the one that was read, except its data.
fn with_other_fields(mut written: Value, read: &Value) -> Value {
    // `image` is the block of Bedrock, and the last three are those of the Interactions API.
    const DATA: &str = "type text source image_url inlineData inline_data image mime_type data uri";
    let is_kept = |name: &str| written["type"] == read["type"] || name == "cache_control";
    let fields = read.as_object().into_iter().flatten();
    let kept: Vec<_> =
        fields.filter(|(name, _)| DATA.split(' ').all(|field| field != *name) && is_kept(name)).collect();
    for (name, value) in kept {
        written[name] = value.clone();
    }
    written
}

/// Reports the change of an image.
fn accept(part: &Part, image: Image, report: &mut impl FnMut(ReportedPart<'_>)) -> Part {
    match image {
        Image::Corrected(corrected, change) => {
            report(ReportedPart::Changed(change));
            corrected
        }
        Image::Rejected(text) => {
            report(ReportedPart::Dropped(part));
            text
        }
    }
}

/// The images and files of a result, for a format that does not have them in it. Empty if the content was read on this wire.
pub(super) fn write_media(
    wire: &str,
    content: &Content,
    write: impl Fn(&Part) -> Option<Value>,
    report: impl FnMut(ReportedPart<'_>),
) -> Vec<Value> {
    if content.native(wire).is_some() {
        return Vec::new();
    }
    let parts = content.parts().unwrap_or_default().iter().filter(|part| part.as_text().is_none());
    written(wire, parts, write, report)
}

/// The parts that `write` returns. Text without a written part is left out; any other part is dropped.
fn written<'p>(
    wire: &str,
    parts: impl Iterator<Item = &'p Part>,
    write: impl Fn(&Part) -> Option<Value>,
    mut report: impl FnMut(ReportedPart<'_>),
) -> Vec<Value> {
    let write = |part| {
        let accepted = images::accepted(wire, part).map(|image| accept(part, image, &mut report));
        let written = write(accepted.as_ref().unwrap_or(part));
        if written.is_none() && part.as_text().is_none() {
            report(ReportedPart::Dropped(part));
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
    /// The content that was read, with images as the provider accepts them.
    NativeParts(Vec<Cow<'a, Value>>),
    Text(Cow<'a, str>),
    Parts(Vec<Value>),
}

impl<'a> TextOrParts<'a> {
    /// The content that was read on this wire, or its text, or the parts that `write` returns. `report` gets the others.
    pub(super) fn new(
        wire: &str,
        content: &'a Content,
        write: impl Fn(&Part) -> Option<Value>,
        report: impl FnMut(ReportedPart<'_>),
    ) -> Self {
        match content.native(wire) {
            Some(Value::Array(list)) => {
                return TextOrParts::NativeParts(native(wire, list, content, write, report));
            }
            Some(native) => return TextOrParts::Native(native),
            None => {}
        }
        if content.parts().is_none() {
            return TextOrParts::Text(Cow::Borrowed(content.as_str()));
        }
        let content = content.without_tool_references();
        let Some(parts) = content.parts() else {
            return TextOrParts::Text(Cow::Owned(content.as_str().to_owned()));
        };
        let written = written(wire, parts.iter(), write, report);
        // Servers reject an array without parts, unless they sent it.
        if written.is_empty() && !parts.is_empty() {
            return TextOrParts::Text(Cow::Borrowed(""));
        }
        TextOrParts::Parts(written)
    }

    pub(super) fn into_value(self) -> Value {
        match self {
            TextOrParts::Native(native) => native.clone(),
            TextOrParts::NativeParts(parts) => parts.into_iter().map(Cow::into_owned).collect(),
            TextOrParts::Text(text) => text.into(),
            TextOrParts::Parts(parts) => parts.into(),
        }
    }
}
