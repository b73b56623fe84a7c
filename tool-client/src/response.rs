//! The bytes of a response, with limits of their number and of the time between them.

use crate::api::Framing;
use crate::http_request::connection_error;
use crate::{Model, ModelError};
use bytes::Bytes;
use futures_util::TryFutureExt as _;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use std::sync::Arc;

pub(crate) type ByteStream = BoxStream<'static, Result<Bytes, ModelError>>;

impl Model {
    /// The bytes of the response.
    pub(crate) fn bytes(&self, response: Response) -> ByteStream {
        let (wait, idle, max_bytes) = (self.wait.clone(), self.idle_timeout, self.max_reply_bytes);
        let url = Arc::new(response.url().clone());
        stream::try_unfold((response.bytes_stream(), 0), move |(mut received, length)| {
            let (wait, url) = (wait.clone(), Arc::clone(&url));
            async move {
                let next = async { received.next().await.transpose() };
                let next = next.map_err(|error| connection_error(&url, error));
                let Some(bytes) = wait.at_most(idle, next).await? else { return Ok(None) };
                let length = bytes.len().saturating_add(length);
                if length > max_bytes {
                    return Err(ModelError::TooLong { max_bytes });
                }
                Ok(Some((bytes, (received, length))))
            }
        })
        .boxed()
    }

    /// The text of the whole response.
    pub(crate) async fn read_text(&self, response: Response) -> Result<String, ModelError> {
        let mut bytes = self.bytes(response);
        let mut text = Vec::new();
        while let Some(piece) = bytes.next().await.transpose()? {
            text.extend_from_slice(&piece);
        }
        Ok(String::from_utf8(text)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }
}

/// Whether the response is a whole text in place of a stream: a reply, or an error. Some servers send a stream without its type.
pub(crate) fn is_whole(response: &Response, framing: Framing) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match framing {
        // The lines of a stream are JSON too.
        Framing::Lines => kind == "text/html",
        Framing::Events | Framing::Frames => ["application/json", "text/html"].contains(&&*kind),
    }
}
