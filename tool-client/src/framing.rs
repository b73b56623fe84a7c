//! How a stream is divided into events.

use crate::frames;
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderValue};

/// How the events of a stream are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events.
    Events,
    /// A JSON object in each line.
    Lines,
    /// Binary frames: <https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html>.
    Frames,
}

impl Framing {
    pub(crate) fn is_supported(self) -> bool {
        self != Framing::Frames || frames::ARE_SUPPORTED
    }

    pub(crate) fn media_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Framing::Events => "text/event-stream",
            Framing::Lines => "application/x-ndjson",
            Framing::Frames => "application/vnd.amazon.eventstream",
        })
    }

    /// Whether the response is a whole text in place of a stream: a reply, or an error. A stream of some servers has another type,
    /// or none.
    pub(crate) fn is_whole_text(self, response: &Response) -> bool {
        let kind =
            response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match self {
            // The lines of a stream are JSON too.
            Framing::Lines => kind == "text/html",
            Framing::Events | Framing::Frames => ["application/json", "text/html"].contains(&&*kind),
        }
    }
}
