//! The start of calls one after the other, for a listener that may cancel the run.

use std::sync::Arc;
use tokio::sync::{Semaphore, SemaphorePermit, oneshot};

/// Lets the next call of a reply start once a listener in another task has received all events before it, so that the
/// listener can cancel the run first.
#[derive(Clone)]
pub(crate) struct StartGate {
    turn: Arc<Semaphore>,
    flush: Arc<dyn Fn(oneshot::Sender<()>) + Send + Sync>,
}

impl StartGate {
    /// `flush` drops the sender when the listener has received all events that were sent before.
    pub(crate) fn new(flush: impl Fn(oneshot::Sender<()>) + Send + Sync + 'static) -> Self {
        StartGate { turn: Arc::new(Semaphore::new(1)), flush: Arc::new(flush) }
    }

    /// Waits until the call may start. The next one waits until the permit is dropped.
    pub(crate) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        let turn = self.turn.acquire().await.ok();
        self.flush().await;
        turn
    }

    /// Waits until the listener has received all events.
    pub(crate) async fn flush(&self) {
        let (sender, receiver) = oneshot::channel();
        (self.flush)(sender);
        // An error means that the sender was dropped.
        let _ = receiver.await;
    }
}
