//! Replies that are streamed.

use crate::error::Rejection;
use crate::http_request::HttpRequest;
use crate::key::without_keys;
use crate::response::is_whole;
use crate::{Model, ModelError};
use futures_util::stream::{self, BoxStream, Stream, StreamExt as _};
use reqwest::Response;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use tool_runtime::conversation::Request;
use tool_runtime::message::Chunk;
use tool_runtime::wire::WireError;

/// The chunks of a streamed reply.
pub struct ReplyStream(BoxStream<'static, Result<Chunk, ModelError>>);

impl Model {
    /// Sends the request, and returns the stream of the reply, which has begun. For a session, use
    /// [`RunModel::stream_model`](crate::RunModel::stream_model).
    ///
    /// ```no_run
    /// use futures_util::StreamExt as _;
    /// use tool_runtime::stream::ReplyAssembler;
    /// use tool_runtime::{Conversation, Registry, tools};
    /// use tool_runtime_client::Model;
    ///
    /// # async fn answer() -> Result<(), Box<dyn std::error::Error>> {
    /// let (model, registry) = (Model::from_env()?, Registry::new(tools![])?);
    /// let request = Conversation::new().user("Hello!").request(&registry);
    /// let (mut chunks, mut reply) = (model.stream(request).await?, ReplyAssembler::new());
    /// while let Some(chunk) = chunks.next().await {
    ///     reply.push(chunk);
    /// }
    /// println!("{}", reply.into_reply()?.text());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The reply does not begin after all attempts, or the error is not temporary. Later errors are items of the stream.
    pub async fn stream(&self, request: Request) -> Result<ReplyStream, ModelError> {
        let http_request = self.http_request(&request, true)?;
        self.with_retries(&request, || self.begun_stream(&http_request)).await
    }

    /// Sends the request once, and receives the beginning of the reply, up to its first content.
    async fn begun_stream(&self, request: &HttpRequest) -> Result<ReplyStream, ModelError> {
        let response = self.wait.at_most(self.idle_timeout, self.post(request)).await?;
        let mut chunks = self.chunks(response, request).await?;
        let mut beginning = Vec::new();
        loop {
            let Some(chunk) = chunks.next().await.transpose()? else { return Err(ModelError::NoReply) };
            let rejection =
                chunk.error().and_then(|error| Rejection::from_stream(error, request.shown_url()));
            if let Some(rejection) = rejection {
                return Err(ModelError::Rejected(rejection));
            }
            let has_begun = chunk.has_content() || chunk.error().is_some();
            beginning.push(Ok(chunk));
            if has_begun {
                return Ok(ReplyStream(stream::iter(beginning).chain(chunks).boxed()));
            }
        }
    }

    async fn chunks(
        &self,
        response: Response,
        request: &HttpRequest,
    ) -> Result<BoxStream<'static, Result<Chunk, ModelError>>, ModelError> {
        let (wire, key, framing) = (self.wire.clone(), self.key.clone(), self.api.framing());
        // An error quotes the text of the event.
        let read = move |data: String| match wire.read_event(&data) {
            chunk if chunk.error().is_some() => wire.read_event(&without_keys(&data, &key)),
            chunk => chunk,
        };
        if is_whole(&response, framing) {
            let body = self.read_text(response).await?;
            return match self.wire.read_reply(&body) {
                Err(error @ (WireError::Server { .. } | WireError::NotJson { .. })) => {
                    Err(self.body_error(error, &body, &request.url))
                }
                _ => Ok(stream::iter([Ok(read(body))]).boxed()),
            };
        }
        let events = framing.events(self.bytes(response));
        Ok(events.map(move |event| event.map(&read)).boxed())
    }
}

impl Stream for ReplyStream {
    type Item = Result<Chunk, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(context)
    }
}

impl fmt::Debug for ReplyStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReplyStream")
    }
}
