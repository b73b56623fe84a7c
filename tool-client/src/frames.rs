//! The binary frames of Bedrock's streams, as the texts that its wire reads:
//! <https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html>.

use crate::ModelError;
use crate::response::{ByteStream, EventStream};
use aws_smithy_eventstream::frame::{DecodedFrame, MessageFrameDecoder};
use aws_smithy_types::event_stream::Message;
use bytes::BytesMut;
use futures_util::stream::{self, StreamExt as _};
use serde_json::{Value, json};

pub(crate) const ARE_SUPPORTED: bool = true;

/// The event of each frame: an object with its type as the only field.
pub(crate) fn frames(bytes: ByteStream) -> EventStream {
    let start = (bytes, BytesMut::new(), MessageFrameDecoder::new());
    stream::try_unfold(start, |(mut bytes, mut buffer, mut decoder)| async move {
        // The decoder takes the beginning of a frame from the buffer before the rest has arrived.
        let mut has_part = !buffer.is_empty();
        loop {
            match decoder.decode_frame(&mut buffer).map_err(not_events)? {
                DecodedFrame::Complete(frame) => return Ok(Some((event(&frame)?, (bytes, buffer, decoder)))),
                DecodedFrame::Incomplete => match bytes.next().await.transpose()? {
                    Some(piece) => buffer.extend_from_slice(&piece),
                    None if has_part => return Err(ModelError::IncompleteEvent),
                    None => return Ok(None),
                },
            }
            has_part = true;
        }
    })
    .boxed()
}

fn event(frame: &Message) -> Result<String, ModelError> {
    let header = |name: &str| {
        let header = frame.headers().iter().find(|header| header.name().as_str() == name)?;
        header.value().as_string().ok().map(|value| value.as_str().to_owned())
    };
    if let Some(code) = header(":error-code") {
        let message = header(":error-message").unwrap_or_default();
        // The wire knows errors by this ending.
        return Ok(json!({ format!("{code}Exception"): { "message": message, "type": code } }).to_string());
    }
    let name = header(":event-type").or_else(|| header(":exception-type"));
    let payload: Value = serde_json::from_slice(frame.payload()).map_err(not_events)?;
    Ok(json!({ name.unwrap_or_default(): payload }).to_string())
}

fn not_events(error: impl std::error::Error + Send + Sync + 'static) -> ModelError {
    ModelError::NotEvents { source: Box::new(error) }
}
