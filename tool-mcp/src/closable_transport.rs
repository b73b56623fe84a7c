//! A transport whose closing ends the messages that a peer does not read.

use rmcp::service::{RxJsonRpcMessage, ServiceRole, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::error::Error;
use std::fmt;
use std::time::Duration;
use tokio::time::timeout;
use tool_runtime::dispatch::CancellationToken;

/// The time limit of closing. A child process has three seconds to exit, and three more after SIGTERM.
const CLOSE_LIMIT: Duration = Duration::from_secs(8);

/// rmcp closes a transport after its last message. A peer that does not read blocks this message, and with it the end of the
/// connection and of a child process.
pub(crate) struct ClosableTransport<T> {
    transport: T,
    closed: CancellationToken,
}

impl<T> ClosableTransport<T> {
    pub(crate) fn new(transport: T) -> Self {
        ClosableTransport { transport, closed: CancellationToken::new() }
    }
}

impl<R: ServiceRole, T: Transport<R>> Transport<R> for ClosableTransport<T> {
    type Error = TransportError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<R>,
    ) -> impl Future<Output = Result<(), TransportError>> + Send + 'static {
        let (sent, closed) = (self.transport.send(message), self.closed.clone());
        async move {
            let sent = closed.run_until_cancelled(sent).await;
            let sent = sent.ok_or_else(|| TransportError("the connection was closed".into()))?;
            sent.map_err(|error| TransportError(error.into()))
        }
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<R>>> + Send {
        self.transport.receive()
    }

    async fn close(&mut self) -> Result<(), TransportError> {
        self.closed.cancel();
        // After the limit, dropping the transport kills a child process.
        let closed = timeout(CLOSE_LIMIT, self.transport.close()).await.unwrap_or(Ok(()));
        closed.map_err(|error| TransportError(error.into()))
    }
}

/// The error of the transport, which is also its source.
#[derive(Debug)]
pub(crate) struct TransportError(Box<dyn Error + Send + Sync>);

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for TransportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}
