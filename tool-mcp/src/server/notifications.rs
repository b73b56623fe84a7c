//! The progress and the log messages of a call, as notifications.

use crate::log_level::LogLevel;
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use serde::Deserialize as _;
use serde_json::Value;
use std::sync::atomic::{AtomicU8, Ordering};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tool_runtime::dispatch::{CallEvent, CallStatus, CancellationToken};

/// The number of notifications that wait for a slow client; further ones are dropped.
const MAX_WAITING: usize = 64;

/// The least severe level of the log messages that the client of a connection receives.
pub(super) struct MinLevel(AtomicU8);

impl Default for MinLevel {
    fn default() -> Self {
        MinLevel(AtomicU8::new(LogLevel::Info as u8))
    }
}

impl MinLevel {
    pub(super) fn set(&self, level: LogLevel) {
        self.0.store(level as u8, Ordering::Relaxed);
    }

    /// The level for a request. From protocol 2026-07-28 on, a request that sends no level has no messages.
    pub(super) fn get(&self, context: &RequestContext<RoleServer>) -> Option<LogLevel> {
        if let Some(level) = context.meta.log_level() {
            return Some(level.into());
        }
        let has_initialize = context.protocol_version().is_none_or(|version| version.has_initialize());
        has_initialize.then(|| LogLevel::from_number(self.0.load(Ordering::Relaxed)))
    }
}

/// The receiver of a call's progress and log messages.
pub(super) struct Forwarder {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    waiting: Receiver<CallStatus>,
}

/// The forwarder, and the function that listens to the events of the call. `None` if the client asks for none of them.
pub(super) fn forwarder(
    context: &RequestContext<RoleServer>,
    min_level: Option<LogLevel>,
) -> Option<(Forwarder, impl Fn(&CallEvent) + Send + Sync + 'static)> {
    let (sender, waiting): (Sender<CallStatus>, _) = channel(MAX_WAITING);
    let token = context.meta.get_progress_token();
    if token.is_none() && min_level.is_none() {
        return None;
    }
    let reports_progress = token.is_some();
    let listen = move |event: &CallEvent| {
        let is_wanted = match &event.status {
            CallStatus::Progress { .. } => reports_progress,
            CallStatus::Emitted { data, .. } => {
                log_message(data).is_some_and(|(level, _)| min_level.is_some_and(|min| level >= min))
            }
            _ => false,
        };
        if is_wanted {
            // A full channel drops the event, so that a slow client does not delay the tool.
            sender.try_send(event.status.clone()).ok();
        }
    };
    Some((Forwarder { peer: context.peer.clone(), token, waiting }, listen))
}

/// The level and the fields of a log message. `None` for other data of the program.
fn log_message(data: &Value) -> Option<(LogLevel, &Value)> {
    let fields = data.as_object().filter(|fields| fields.len() == 1)?;
    let message = fields.get("log").filter(|message| message.is_object())?;
    let level = message.get("level").map_or(Ok(LogLevel::Info), LogLevel::deserialize);
    Some((level.ok()?, message))
}

impl Forwarder {
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
        let (done, total, text) = match status {
            CallStatus::Progress { done, total, text, .. } => (done, total, text),
            CallStatus::Emitted { data, .. } => return self.log(&data).await,
            _ => return,
        };
        let Some(token) = self.token.clone() else { return };
        let done = increased(to_float(done), *last);
        *last = Some(done);
        let mut notification = ProgressNotificationParam::new(token, done);
        notification.total = total.map(to_float);
        notification.message = Some(text).filter(|text| !text.is_empty());
        // The client may have disconnected; the call ends in any case.
        self.peer.notify_progress(notification).await.ok();
    }

    #[allow(deprecated, reason = "the current versions of the protocol have it")]
    async fn log(&self, data: &Value) {
        use rmcp::model::LoggingMessageNotificationParam;
        let Some((level, message)) = log_message(data) else { return };
        let data = message.get("data").cloned().unwrap_or_default();
        let mut notification = LoggingMessageNotificationParam::new(level.into(), data);
        notification.logger = message.get("logger").and_then(Value::as_str).map(str::to_owned);
        self.peer.notify_logging_message(notification).await.ok();
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
