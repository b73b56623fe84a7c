//! Streamed replies.

use super::{Model, ModelError, Server};
use crate::scripted::chunks;
use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use sse_stream::SseByteStream;
use std::error::Error;
use std::io::{self, Cursor, Read as _};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tool_runtime::conversation::Request;

type Chunks = BoxStream<'static, Result<String, Box<dyn Error + Send + Sync>>>;

/// The time between two chunks of the script, like a model with about 30 tokens per second.
const PAUSE: Duration = Duration::from_millis(30);

impl Model {
    /// Sends the request, and streams the reply: the text after `data:` of each server-sent event, or an error of the
    /// connection.
    ///
    /// # Errors
    ///
    /// The server cannot be reached, or rejects the request.
    pub async fn stream(&self, request: Request) -> Result<Chunks, ModelError> {
        match self {
            Model::Scripted(script) => {
                let chunks = chunks::from_message(&script.reply(&request, true)?);
                let paced = stream::iter(chunks).then(|chunk| async move {
                    tokio::time::sleep(PAUSE).await;
                    Ok(chunk)
                });
                Ok(paced.boxed())
            }
            Model::Server(server) => server.clone().stream(request).await,
        }
    }
}

impl Server {
    async fn stream(self, request: Request) -> Result<Chunks, ModelError> {
        let post = spawn_blocking(move || self.post(&request, true));
        let mut body = post.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))?;
        if body.mime_type() == Some("application/json") {
            // The server does not stream: the complete reply arrives at once.
            return Ok(stream::once(async move { Ok(body.read_to_string()?) }).boxed());
        }
        let (sender, mut received) = mpsc::channel(16);
        // A thread of the runtime would keep the program alive until the server closes the connection.
        std::thread::spawn(move || read(body, &sender));
        let bytes = stream::poll_fn(move |context| received.poll_recv(context));
        let events = SseByteStream::new(bytes);
        Ok(events.map(|event| Ok(event?.data.unwrap_or_default())).boxed())
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
