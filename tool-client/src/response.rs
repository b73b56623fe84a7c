//! The bytes of a response, within the limits of their number and of the time between them.

use crate::send::Received;
use crate::{Model, ModelError};
use bytes::Bytes;
use futures_util::TryFutureExt as _;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use std::sync::Arc;
use std::time::Duration;

pub(crate) type ByteStream = BoxStream<'static, Result<Bytes, ModelError>>;

/// The texts that a wire reads.
pub(crate) type EventStream = BoxStream<'static, Result<String, ModelError>>;

impl Model {
    /// The bytes of the response. `idle_timeout` limits the time between two pieces.
    pub(crate) fn bytes(&self, received: Received, idle_timeout: Duration) -> ByteStream {
        let Received { response, context } = received;
        let (wait, max_bytes) = (self.wait.clone(), self.max_reply_bytes);
        stream::try_unfold((response.bytes_stream(), 0), move |(mut pieces, length)| {
            let (wait, context) = (wait.clone(), Arc::clone(&context));
            async move {
                let next = async { pieces.next().await.transpose() };
                let next = next.map_err(|error| ModelError::connection(&context.url, error));
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
