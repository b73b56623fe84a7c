//! The events of a stream: the texts that a wire reads.

use crate::ModelError;
use crate::frames::frames;
use crate::framing::Framing;
use crate::response::{ByteStream, EventStream};
use bytes::Bytes;
use futures_util::stream::{StreamExt as _, TryStreamExt as _, once};
use sse_stream::SseByteStream;
use std::error::Error;
use std::future::ready;
use std::io;
use tokio_util::codec::{FramedRead, LinesCodec, LinesCodecError};
use tokio_util::io::StreamReader;

/// The events of these bytes.
pub(crate) fn events(framing: Framing, bytes: ByteStream) -> EventStream {
    match framing {
        Framing::Events => server_sent_events(bytes),
        Framing::Lines => lines(bytes),
        Framing::Frames => frames(bytes),
    }
}

/// The data of each event. An event without data, such as a comment, is none.
fn server_sent_events(bytes: ByteStream) -> EventStream {
    // Some servers end the last event with the connection. Half an event is an error then, since its text is not JSON.
    let end = once(ready(Ok(Bytes::from_static(b"\n\n"))));
    let events = SseByteStream::new(bytes.chain(end)).map_err(|error| match error {
        sse_stream::Error::Body(source) => model_error(source),
        error => ModelError::NotEvents { source: error.into() },
    });
    events.try_filter_map(|event| ready(Ok(event.data))).boxed()
}

/// Each line that is not empty.
fn lines(bytes: ByteStream) -> EventStream {
    let reader = StreamReader::new(bytes.map_err(io::Error::other));
    let lines = FramedRead::new(reader, LinesCodec::new()).map_err(|error| match error {
        LinesCodecError::Io(error) => match error.into_inner() {
            Some(source) => model_error(source),
            None => ModelError::IncompleteEvent,
        },
        error @ LinesCodecError::MaxLineLengthExceeded => ModelError::NotEvents { source: error.into() },
    });
    lines.try_filter(|line| ready(!line.trim().is_empty())).boxed()
}

/// The error of the bytes, which the parsers pass on.
fn model_error(source: Box<dyn Error + Send + Sync>) -> ModelError {
    match source.downcast() {
        Ok(error) => *error,
        Err(source) => ModelError::NotEvents { source },
    }
}
