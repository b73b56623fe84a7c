//! The bytes of a response, within the limits of their number and of the time between them.

use crate::api::Framing;
use crate::send::Received;
use crate::{Model, ModelError};
use bytes::Bytes;
use futures_util::TryFutureExt as _;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use std::sync::Arc;
use std::time::Duration;

pub(crate) type ByteStream = BoxStream<'static, Result<Bytes, ModelError>>;

/// The texts that a wire reads.
pub(crate) type EventStream = BoxStream<'static, Result<String, ModelError>>;

impl Model {
    /// The bytes of the response. `idle_timeout` limits the time between two pieces.
    pub(crate) fn bytes(&self, received: Received, idle_timeout: Duration) -> ByteStream {
        let Received { response, url, .. } = received;
        let (wait, max_bytes, url) = (self.wait.clone(), self.max_reply_bytes, Arc::<str>::from(url));
        stream::try_unfold((response.bytes_stream(), 0), move |(mut pieces, length)| {
            let (wait, url) = (wait.clone(), Arc::clone(&url));
            async move {
                let next = async { pieces.next().await.transpose() };
                let next = next.map_err(|error| ModelError::connection(&url, error));
                let Some(bytes) = wait.with_timeout(idle_timeout, "idle_timeout", next).await? else {
                    return Ok(None);
                };
                let length = bytes.len().saturating_add(length);
                if length > max_bytes {
                    return Err(ModelError::TooLong { max_bytes });
                }
                Ok(Some((bytes, (pieces, length))))
            }
        })
        .boxed()
    }

    /// The text of the whole response.
    pub(crate) async fn read_text(
        &self,
        received: Received,
        idle_timeout: Duration,
    ) -> Result<String, ModelError> {
        let mut bytes = self.bytes(received, idle_timeout);
        let mut text = Vec::new();
        while let Some(piece) = bytes.next().await.transpose()? {
            text.extend_from_slice(&piece);
        }
        Ok(String::from_utf8(text)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }
}

/// Whether the response is a whole text in place of a stream: a reply, or an error. A stream of some servers has another type, or
/// none.
pub(crate) fn is_whole_text(response: &Response, framing: Framing) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match framing {
        // The lines of a stream are JSON too.
        Framing::Lines => kind == "text/html",
        Framing::Events | Framing::Frames => ["application/json", "text/html"].contains(&&*kind),
    }
}
