//! A model on a server.

use super::{Api, ModelError};
use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use sse_stream::SseByteStream;
use std::fmt;
use std::io::{self, BufRead as _, BufReader, Cursor, Read as _};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tool_runtime::AssistantMessage;
use tool_runtime::conversation::Request;
use tool_runtime::message::Chunk;
use tool_runtime::wire::{ErrorKind, Wire};

/// The time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A server with the API of a provider.
#[derive(Clone)]
pub struct Server {
    wire: Arc<dyn Wire>,
    base_url: String,
    api: Arc<Api>,
    model: String,
    agent: ureq::Agent,
}

impl Server {
    pub(super) fn new(base_url: &str, api: Api, wire: Arc<dyn Wire>) -> Self {
        Server {
            wire,
            base_url: base_url.trim().trim_end_matches('/').to_owned(),
            model: api.model(),
            api: Arc::new(api),
            agent: ureq::Agent::config_builder()
                .http_status_as_error(false)
                .timeout_global(Some(TIMEOUT))
                .build()
                .into(),
        }
    }

    pub(super) async fn complete(self, request: Request) -> Result<AssistantMessage, ModelError> {
        let complete = move || {
            let unreachable = |source| ModelError::Unreachable { url: self.url(false), source };
            let body = self.post(&request, false)?.read_to_string().map_err(unreachable)?;
            self.wire.read_reply(&body).map_err(ModelError::NotAReply)
        };
        on_thread(complete).await
    }

    pub(super) async fn stream(self, request: Request) -> Result<BoxStream<'static, Chunk>, ModelError> {
        let wire = Arc::clone(&self.wire);
        if wire.name() == "bedrock" {
            return Err(ModelError::BinaryStream { wire: wire.name() });
        }
        let mut body = on_thread(move || self.post(&request, true)).await?;
        if body.mime_type() == Some("application/json") && wire.name() == "chat_completions" {
            // The server does not stream: the complete reply arrives at once.
            return Ok(stream::once(async move { Chunk::from(body.read_to_string()) }).boxed());
        }
        if wire.name() == "ollama" {
            let (sender, mut received) = mpsc::channel(16);
            std::thread::spawn(move || read_lines(body, &sender));
            let lines = stream::poll_fn(move |context| received.poll_recv(context));
            let chunks = lines.map(move |line| match line {
                Ok(line) => wire.read_event(&line),
                Err(error) => Chunk::from(Err::<String, _>(error)),
            });
            return Ok(chunks.boxed());
        }
        let (sender, mut received) = mpsc::channel(16);
        std::thread::spawn(move || read(body, &sender));
        let bytes = stream::poll_fn(move |context| received.poll_recv(context));
        let chunks = SseByteStream::new(bytes).map(move |event| match event {
            Ok(event) => wire.read_event(&event.data.unwrap_or_default()),
            Err(error) => Chunk::from(Err::<String, _>(error)),
        });
        Ok(chunks.boxed())
    }

    /// Returns the body of a successful response.
    fn post(&self, request: &Request, stream: bool) -> Result<ureq::Body, ModelError> {
        let url = self.url(stream);
        let body = request.clone().wire(Arc::clone(&self.wire)).body().map_err(ModelError::NotWritten)?;
        let body = self.api.add_fields(body, &self.model, stream);
        let headers = self.api.headers();
        let post =
            headers.iter().fold(self.agent.post(&url), |post, (name, value)| post.header(*name, value));
        let unreachable = |source| ModelError::Unreachable { url: url.clone(), source };
        let response = post.send_json(body).map_err(unreachable)?;
        let status = response.status().as_u16();
        let mut body = response.into_body();
        if status >= 400 {
            let body = body.read_to_string().map_err(unreachable)?;
            let message = self.wire.read_error(&body);
            let message = message.unwrap_or_else(|| body.trim().chars().take(500).collect());
            let kind = ErrorKind::from_response(status, &body);
            return Err(ModelError::Rejected { status, message, kind });
        }
        Ok(body)
    }

    fn url(&self, stream: bool) -> String {
        [&*self.base_url, &self.api.path(&self.model, stream)].concat()
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} on the wire {}", self.model, self.base_url, self.wire.name())
    }
}

/// Runs blocking code on a new thread. A thread of the runtime would keep the program alive until the server responds.
async fn on_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, done) = oneshot::channel();
    std::thread::spawn(move || sender.send(work()));
    done.await.expect("only a panic of the thread drops the sender")
}

/// Reads the lines of the body until it ends, or until the receiver is dropped.
fn read_lines(body: ureq::Body, sender: &mpsc::Sender<io::Result<String>>) {
    for line in BufReader::new(body.into_reader()).lines() {
        let is_last = line.is_err();
        if sender.blocking_send(line).is_err() || is_last {
            return;
        }
    }
}

/// Reads the body until it ends, or until the receiver is dropped.
fn read(body: ureq::Body, sender: &mpsc::Sender<io::Result<Cursor<Vec<u8>>>>) {
    let mut reader = body.into_reader();
    loop {
        let mut bytes = vec![0; 4096];
        let read = match reader.read(&mut bytes) {
            Ok(0) => return,
            Ok(length) => {
                bytes.truncate(length);
                Ok(Cursor::new(bytes))
            }
            Err(error) => Err(error),
        };
        let is_last = read.is_err();
        if sender.blocking_send(read).is_err() || is_last {
            return;
        }
    }
}
