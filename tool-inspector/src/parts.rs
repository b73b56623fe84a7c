//! Images and files of messages.

use serde::Serialize;
use tool_runtime::message::{Content, Media, Part};

/// In bytes of base64: the page shows larger images only as their size.
const MAX_IMAGE: usize = 2 << 20;
/// The types of images that browsers show and that contain no script.
const SHOWN_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// An image, a file, or another part that is not text.
#[derive(Debug, Serialize)]
pub(crate) struct PartView {
    kind: String,
    mime_type: Option<String>,
    name: Option<String>,
    bytes: Option<usize>,
    data_url: Option<String>,
}

/// The parts of a content that are not text.
pub(crate) fn part_views(content: &Content) -> Vec<PartView> {
    content.parts().unwrap_or_default().iter().filter_map(PartView::new).collect()
}

impl PartView {
    fn new(part: &Part) -> Option<Self> {
        let view = |kind: &str, name: Option<&str>| PartView {
            kind: kind.to_owned(),
            mime_type: None,
            name: name.map(str::to_owned),
            bytes: None,
            data_url: None,
        };
        Some(match part {
            Part::Text { .. } | Part::Json { .. } => return None,
            Part::Image { media, .. } => view("image", None).with_media(media),
            Part::File { name, media, .. } => view("file", name.as_deref()).with_media(media),
            Part::ToolReference { name, .. } => view("tool", Some(name)),
            Part::Other { kind, .. } => view(kind, None),
            _ => view("other", None),
        })
    }

    fn with_media(mut self, media: &Media) -> Self {
        match media {
            Media::Data { mime_type, base64, .. } => {
                if SHOWN_TYPES.contains(&mime_type.as_str()) && base64.len() <= MAX_IMAGE {
                    self.data_url = Some(format!("data:{mime_type};base64,{base64}"));
                }
                self.bytes = Some(base64.len() / 4 * 3);
                self.mime_type = Some(mime_type.clone());
            }
            Media::Url { url, .. } => {
                self.name = Some(self.name.map_or_else(|| url.clone(), |name| format!("{name} ({url})")));
            }
            _ => {}
        }
        self
    }
}
