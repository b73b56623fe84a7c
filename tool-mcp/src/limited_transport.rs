//! A transport that reads no further request while the peer does not read responses.

use crate::message_size::json_bytes;
use rmcp::model::JsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, ServiceRole, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::consume_budget;
use tokio::time::{Instant, timeout_at};

/// The number of responses that may wait to be sent when the next request is read.
const MAX_WAITING: usize = 64;

/// The bytes of these responses, not counting the first one.
const MAX_WAITING_BYTES: usize = 1 << 20;

/// The time after which a connection ends whose peer reads no response.
const MAX_STALL: Duration = Duration::from_secs(30);

/// The handling of a request that arrives while too many responses wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excess {
    /// It waits, and what follows it waits as well.
    Waits,
    /// It is discarded, since the transport sends nothing while a message waits to be received.
    #[cfg_attr(not(feature = "http-client"), allow(dead_code, reason = "only HTTP has it"))]
    IsDiscarded,
}

/// Limits the responses that wait until the peer reads.
///
/// rmcp responds to each request in a task of its own, and reads the next one meanwhile: a peer that sends requests and does not
/// read would fill the memory with responses.
///
/// Responses to own requests, own requests and notifications are not limited, so that two peers that send many requests do not
/// wait for each other.
pub(crate) struct LimitedTransport<R: ServiceRole, T> {
    transport: T,
    excess: Excess,
    responses: watch::Sender<Responses>,
    /// A message that has arrived. `receive` may be dropped while it waits.
    next: Option<RxJsonRpcMessage<R>>,
    /// The number of sent responses when `next` began to wait, and the time at which the connection ends.
    stalled: Option<(u64, Instant)>,
}

/// The responses that wait to be sent, and the number of those that were sent.
#[derive(Default)]
struct Responses {
    waiting: usize,
    bytes: usize,
    sent: u64,
}

impl Responses {
    fn are_too_many(&self) -> bool {
        self.waiting >= MAX_WAITING || self.bytes >= MAX_WAITING_BYTES
    }
}

/// Counts a response until it is sent or dropped.
struct Waiting(watch::Sender<Responses>, usize);

impl Waiting {
    fn new(responses: &watch::Sender<Responses>, bytes: usize) -> Self {
        responses.send_modify(|responses| {
            responses.waiting += 1;
            responses.bytes += bytes;
        });
        Waiting(responses.clone(), bytes)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.send_modify(|responses| {
            responses.waiting -= 1;
            responses.bytes -= self.1;
            responses.sent += 1;
        });
    }
}

impl<R: ServiceRole, T> LimitedTransport<R, T> {
    pub(crate) fn new(transport: T, excess: Excess) -> Self {
        let responses = watch::Sender::default();
        LimitedTransport { transport, excess, responses, next: None, stalled: None }
    }

    /// Waits until further requests may be read. `false` if the peer reads no response.
    async fn may_continue(&mut self) -> bool {
        let mut responses = self.responses.subscribe();
        loop {
            let sent = {
                let current = responses.borrow_and_update();
                if !current.are_too_many() {
                    break;
                }
                current.sent
            };
            let end = match self.stalled {
                Some((before, end)) if before == sent => end,
                _ => Instant::now() + MAX_STALL,
            };
            self.stalled = Some((sent, end));
            if timeout_at(end, responses.changed()).await.is_err() {
                return false;
            }
        }
        self.stalled = None;
        true
    }
}

impl<R: ServiceRole, T: Transport<R>> Transport<R> for LimitedTransport<R, T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<R>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        let is_response = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        let waiting = is_response.then(|| {
            let is_first = self.responses.borrow().waiting == 0;
            Waiting::new(&self.responses, if is_first { 0 } else { json_bytes(&message) })
        });
        let sent = self.transport.send(message);
        async move {
            let _waiting = waiting;
            sent.await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<R>> {
        loop {
            if self.next.is_none() {
                self.next = Some(self.transport.receive().await?);
            }
            if !matches!(self.next, Some(JsonRpcMessage::Request(_))) {
                return self.next.take();
            }
            // The tasks of earlier requests must run, although the next one has arrived.
            consume_budget().await;
            if self.excess == Excess::IsDiscarded && self.responses.borrow().are_too_many() {
                self.next = None;
                continue;
            }
            return if self.may_continue().await { self.next.take() } else { None };
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), T::Error>> + Send {
        self.transport.close()
    }
}
