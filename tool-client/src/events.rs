//! The events of a stream: the texts that a wire reads.

use crate::ModelError;
use crate::api::Framing;
use crate::frames::frames;
use crate::response::ByteStream;
use futures_util::stream::{BoxStream, StreamExt as _, TryStreamExt as _};
use reqwest::header::HeaderValue;
use sse_stream::SseByteStream;
use std::error::Error;
use std::io;
use tokio_util::codec::{FramedRead, LinesCodec, LinesCodecError};
use tokio_util::io::StreamReader;

pub(crate) type EventStream = BoxStream<'static, Result<String, ModelError>>;

impl Framing {
    pub(crate) fn media_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Framing::Events => "text/event-stream",
            Framing::Lines => "application/x-ndjson",
            Framing::Frames => "application/vnd.amazon.eventstream",
        })
    }

    pub(crate) fn events(self, bytes: ByteStream) -> EventStream {
        match self {
            Framing::Events => server_sent_events(bytes),
            Framing::Lines => lines(bytes),
            Framing::Frames => frames(bytes),
        }
    }
}

/// The data of each event. An event without data, such as a comment, is none.
fn server_sent_events(bytes: ByteStream) -> EventStream {
    let events = SseByteStream::new(bytes).map_err(|error| match error {
        sse_stream::Error::Body(source) => model_error(source),
        error => ModelError::NotEvents { source: error.into() },
    });
    events.try_filter_map(|event| std::future::ready(Ok(event.data))).boxed()
}

/// Each line that is not empty.
fn lines(bytes: ByteStream) -> EventStream {
    let reader = StreamReader::new(bytes.map_err(io::Error::other));
    let lines = FramedRead::new(reader, LinesCodec::new()).map_err(|error| match error {
        LinesCodecError::Io(error) => match error.into_inner() {
            Some(source) => model_error(source),
            None => ModelError::NoReply,
        },
        error @ LinesCodecError::MaxLineLengthExceeded => ModelError::NotEvents { source: error.into() },
    });
    lines.try_filter(|line| std::future::ready(!line.trim().is_empty())).boxed()
}

/// The error of the bytes, which the parsers pass on.
fn model_error(source: Box<dyn Error + Send + Sync>) -> ModelError {
    match source.downcast() {
        Ok(error) => *error,
        Err(source) => ModelError::NotEvents { source },
    }
}
