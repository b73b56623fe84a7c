//! Replies that are streamed.

use crate::events::events;
use crate::http_request::HttpRequest;
use crate::rejection::Rejection;
use crate::secret::Secrets;
use crate::send::{ErrorContext, Received};
use crate::{Model, ModelError};
use futures_util::stream::{self, BoxStream, Stream, StreamExt as _};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tool_runtime::conversation::Request;
use tool_runtime::message::Chunk;
use tool_runtime::stream::{ReplyAssembler, StreamError};
use tool_runtime::wire::Wire;

/// The chunks of a streamed reply.
pub struct ReplyStream(Chunks);

type Chunks = BoxStream<'static, Result<Chunk, ModelError>>;

/// The maximum of chunks before the first content. Longer beginnings are not repeated.
const MAX_BEGINNING: usize = 1000;

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
        let attempt = || self.start_stream(&http_request);
        self.retries.run(&self.wait, self.retry_reporter(&request), attempt).await
    }

    /// Sends the request once, and receives the beginning of the reply, up to its first content.
    async fn start_stream(&self, request: &HttpRequest) -> Result<ReplyStream, ModelError> {
        let sent = self.wait.with_timeout(self.idle_timeout, "idle_timeout", self.send(request));
        let received = sent.await?;
        let context = Arc::clone(&received.context);
        let mut chunks = self.chunks(received).await?;
        let mut beginning = Vec::new();
        while let Some(chunk) = chunks.next().await.transpose()? {
            let has_begun = chunk.has_content() || beginning.len() == MAX_BEGINNING;
            let rejection = chunk.error().filter(|_| !has_begun);
            if let Some(rejection) = rejection.and_then(|error| Rejection::from_stream(error, &context)) {
                return Err(ModelError::Rejected(rejection));
            }
            beginning.push(chunk);
            if has_begun {
                let beginning = stream::iter(beginning.into_iter().map(Ok));
                return Ok(ReplyStream(beginning.chain(chunks).boxed()));
            }
        }
        Err(self.missing_reply(beginning, &context))
    }

    /// The error of a stream that has ended before its first content.
    fn missing_reply(&self, beginning: Vec<Chunk>, context: &ErrorContext) -> ModelError {
        // The assembler decides whether one of the chunks is an error.
        let mut reply = ReplyAssembler::new().wire(Arc::clone(&self.wire));
        for chunk in beginning {
            reply.push(chunk);
        }
        let error = reply.into_reply().map_err(|interrupted| interrupted.cause).err();
        match error.as_ref().and_then(|error| Rejection::from_stream(error, context)) {
            Some(rejection) => ModelError::Rejected(rejection),
            None => ModelError::NoReply {
                beginning: match error {
                    Some(StreamError::NoReply { beginning, .. }) => beginning,
                    _ => String::new(),
                },
            },
        }
    }

    async fn chunks(&self, received: Received) -> Result<Chunks, ModelError> {
        let (wire, framing) = (Arc::clone(&self.wire), self.api.framing());
        let context = Arc::clone(&received.context);
        if !framing.is_whole_text(&received.response) {
            let events = events(framing, self.bytes(received, self.idle_timeout));
            return Ok(events
                .map(move |event| event.map(|data| read(&*wire, &data, &context.secrets)))
                .boxed());
        }
        let body = self.read_text(received, self.idle_timeout).await?;
        self.wire.read_reply(&body).map_err(|error| self.body_error(error, &body, &context))?;
        match read(&*wire, &body, &context.secrets) {
            chunk if chunk.has_content() => Ok(stream::iter([Ok(chunk)]).boxed()),
            _ => Err(ModelError::NotStreamed),
        }
    }
}

/// Reads an event. If it has no content, or an error, the session may quote it.
fn read(wire: &dyn Wire, data: &str, secrets: &Secrets) -> Chunk {
    match wire.read_event(data) {
        chunk if chunk.has_content() && chunk.error().is_none() => chunk,
        _ => wire.read_event(&secrets.redact(data)),
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
