//! The content of a resource in the format of the protocol.

use super::result::text_of;
use rmcp::model::ResourceContents;
use tool_runtime::message::{Media, Part};

/// The content that a resource function returns: text, bytes, [parts](Part), the [`ResourceContents`] of the protocol, or `None`
/// if there is no such resource. Each of them has a `From`.
///
/// ```
/// use tool_runtime_mcp::ResourceBody;
///
/// let text = ResourceBody::from("No returns.");
/// let bytes = ResourceBody::from(vec![0x89, b'P', b'N', b'G']);
/// let missing = ResourceBody::from(None::<String>);
/// ```
#[derive(Clone, Debug)]
pub struct ResourceBody(Option<Vec<Item>>);

#[derive(Clone, Debug)]
enum Item {
    Part(Part),
    Contents(ResourceContents),
}

impl ResourceBody {
    /// The contents. `None` if there is no such resource. The URI and the MIME type are those of contents without their own.
    pub(super) fn into_contents(self, uri: &str, mime_type: Option<&str>) -> Option<Vec<ResourceContents>> {
        let contents = |item| match item {
            Item::Contents(contents) => Some(contents),
            Item::Part(part) => part_contents(part, uri, mime_type),
        };
        Some(self.0?.into_iter().filter_map(contents).collect())
    }
}

/// The contents of a part; `None` for a part that only a provider of models defines.
fn part_contents(part: Part, uri: &str, mime_type: Option<&str>) -> Option<ResourceContents> {
    let text = |text: String, mime_type: &str| ResourceContents::text(text, uri).with_mime_type(mime_type);
    Some(match part {
        Part::Text { text: value, .. } => text(value, mime_type.unwrap_or("text/plain")),
        Part::Json { json, .. } => text(json.to_string(), "application/json"),
        Part::Image { media, .. } | Part::File { media, .. } => match media {
            Media::Data { mime_type: ref own, ref base64, .. } => {
                let Some(mime_type) = Some(&**own).filter(|own| !own.is_empty()).or(mime_type) else {
                    return Some(ResourceContents::blob(base64, uri));
                };
                match text_of(&media, mime_type) {
                    Some(value) => text(value, mime_type),
                    None => ResourceContents::blob(base64, uri).with_mime_type(mime_type),
                }
            }
            Media::Url { url, .. } => text(url, "text/uri-list"),
            _ => return None,
        },
        _ => return None,
    })
}

impl From<Part> for ResourceBody {
    fn from(part: Part) -> Self {
        ResourceBody(Some(vec![Item::Part(part)]))
    }
}

impl From<Vec<Part>> for ResourceBody {
    fn from(parts: Vec<Part>) -> Self {
        ResourceBody(Some(parts.into_iter().map(Item::Part).collect()))
    }
}

impl From<String> for ResourceBody {
    fn from(text: String) -> Self {
        Part::text(text).into()
    }
}

impl From<&str> for ResourceBody {
    fn from(text: &str) -> Self {
        Part::text(text).into()
    }
}

/// Bytes have the MIME type of the resource. They are sent as text if it is one of text, or JSON, and they are UTF-8.
impl From<Vec<u8>> for ResourceBody {
    fn from(bytes: Vec<u8>) -> Self {
        Part::file("", "", bytes).into()
    }
}

impl From<&[u8]> for ResourceBody {
    fn from(bytes: &[u8]) -> Self {
        Part::file("", "", bytes).into()
    }
}

impl From<ResourceContents> for ResourceBody {
    fn from(contents: ResourceContents) -> Self {
        vec![contents].into()
    }
}

impl From<Vec<ResourceContents>> for ResourceBody {
    fn from(contents: Vec<ResourceContents>) -> Self {
        ResourceBody(Some(contents.into_iter().map(Item::Contents).collect()))
    }
}

/// `None`: there is no such resource.
impl<T: Into<ResourceBody>> From<Option<T>> for ResourceBody {
    fn from(body: Option<T>) -> Self {
        body.map_or(ResourceBody(None), Into::into)
    }
}
