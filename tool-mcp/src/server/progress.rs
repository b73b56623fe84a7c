//! The progress of a call, as notifications.

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tool_runtime::dispatch::{CallEvent, CallStatus, CancellationToken};

/// The number of notifications that wait for a slow client; further ones are dropped.
const MAX_WAITING: usize = 64;

/// The receiver of a call's progress.
pub(super) struct ProgressForwarder {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    waiting: Receiver<CallStatus>,
}

/// The forwarder, and the function that listens to the events of the call. `None` if the client asks for no progress.
pub(super) fn forwarder(
    context: &RequestContext<RoleServer>,
) -> Option<(ProgressForwarder, impl Fn(&CallEvent) + Send + Sync + 'static)> {
    let (sender, waiting): (Sender<CallStatus>, _) = channel(MAX_WAITING);
    let token = context.meta.get_progress_token()?;
    let listen = move |event: &CallEvent| {
        if matches!(event.status, CallStatus::Progress { .. }) {
            // A full channel drops the event, so that a slow client does not delay the tool.
            sender.try_send(event.status.clone()).ok();
        }
    };
    Some((ProgressForwarder { peer: context.peer.clone(), token, waiting }, listen))
}

impl ProgressForwarder {
    /// Sends notifications until `finished` is cancelled and none is left.
    pub(super) async fn run(mut self, finished: CancellationToken) {
        let mut last = None;
        // A tool may keep its context, and with it the sender, after its call.
        while let Some(Some(status)) = finished.run_until_cancelled(self.waiting.recv()).await {
            self.notify(status, &mut last).await;
        }
        while let Ok(status) = self.waiting.try_recv() {
            self.notify(status, &mut last).await;
        }
    }

    async fn notify(&self, status: CallStatus, last: &mut Option<f64>) {
        let CallStatus::Progress { done, total, text, .. } = status else { return };
        let done = increased(to_float(done), *last);
        *last = Some(done);
        let mut notification = ProgressNotificationParam::new(self.token.clone(), done);
        notification.total = total.map(to_float);
        notification.message = Some(text).filter(|text| !text.is_empty());
        // The client may have disconnected; the call ends in any case.
        self.peer.notify_progress(notification).await.ok();
    }
}

#[allow(clippy::cast_precision_loss, reason = "the protocol has only numbers of this precision")]
fn to_float(amount: u64) -> f64 {
    amount as f64
}

/// The amount, or the least amount above the last one, since the protocol requires that progress increases: a tool may
/// report another text with the same amount.
/// <https://modelcontextprotocol.io/specification/2025-06-18/basic/utilities/progress>
fn increased(amount: f64, last: Option<f64>) -> f64 {
    match last {
        Some(last) if amount <= last => last.next_up(),
        _ => amount,
    }
}
