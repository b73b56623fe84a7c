//! A transport that tracks the calls that it sends.

use rmcp::model::{
    GetExtensions as _, GetMeta as _, JsonRpcMessage, ProgressNotificationParam, ProgressToken,
    ServerNotification,
};
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tool_runtime::CallContext;

/// A call, in the extensions of its request, which are not sent.
pub(super) struct TrackedCall {
    context: CallContext,
    was_sent: AtomicBool,
    /// Whether nobody waits for the response. Changes under the lock of the calls.
    has_ended: AtomicBool,
}

impl TrackedCall {
    pub(super) fn new(context: CallContext) -> Arc<Self> {
        Arc::new(TrackedCall { context, was_sent: AtomicBool::default(), has_ended: AtomicBool::default() })
    }

    /// Whether the server may have received any part of the request.
    pub(super) fn was_sent(&self) -> bool {
        self.was_sent.load(Ordering::Relaxed)
    }
}

/// The calls without a response, by the token of their progress.
#[derive(Clone, Default)]
pub(super) struct TrackedCalls(Arc<Mutex<HashMap<ProgressToken, Arc<TrackedCall>>>>);

impl TrackedCalls {
    fn lock(&self) -> MutexGuard<'_, HashMap<ProgressToken, Arc<TrackedCall>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a call, unless it was dropped before its request was sent.
    fn add(&self, token: ProgressToken, call: &Arc<TrackedCall>) {
        let mut calls = self.lock();
        if !call.has_ended.load(Ordering::Relaxed) {
            calls.insert(token, Arc::clone(call));
        }
    }

    pub(super) fn remove(&self, token: &ProgressToken, call: &TrackedCall) {
        let mut calls = self.lock();
        call.has_ended.store(true, Ordering::Relaxed);
        calls.remove(token);
    }

    fn report(&self, progress: &ProgressNotificationParam) {
        let call = self.lock().get(&progress.progress_token).cloned();
        if let Some(call) = call {
            // Amounts are integers. A fraction of 1 becomes a percentage.
            let scale = if progress.total.is_some_and(|total| total <= 1.0) { 100.0 } else { 1.0 };
            let amount = |number: f64| to_amount(number * scale);
            let text = progress.message.clone().unwrap_or_default();
            call.context.progress(amount(progress.progress), progress.total.map(amount), text);
        }
    }
}

/// A number of the protocol as an amount. It is rounded, and 0 if it is negative.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the conversion saturates")]
fn to_amount(number: f64) -> u64 {
    number.round() as u64
}

/// Records which calls were sent, and reports the progress of a call before its response: rmcp handles a notification in a
/// task of its own, which may run after the response.
pub(super) struct TrackedTransport<T> {
    transport: T,
    calls: TrackedCalls,
}

impl<T> TrackedTransport<T> {
    pub(super) fn new(transport: T, calls: TrackedCalls) -> Self {
        TrackedTransport { transport, calls }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for TrackedTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &message
            && let Some(call) = request.request.extensions().get::<Arc<TrackedCall>>()
        {
            call.was_sent.store(true, Ordering::Relaxed);
            if let Some(token) = request.request.get_meta().get_progress_token() {
                self.calls.add(token, call);
            }
        }
        self.transport.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.transport.receive().await;
        if let Some(JsonRpcMessage::Notification(notification)) = &message
            && let ServerNotification::ProgressNotification(progress) = &notification.notification
        {
            self.calls.report(&progress.params);
        }
        message
    }

    fn close(&mut self) -> impl Future<Output = Result<(), T::Error>> + Send {
        self.transport.close()
    }
}
