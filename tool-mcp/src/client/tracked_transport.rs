//! A transport that tracks the calls that it sends.

use super::RemoteError;
use super::event_rate::EventRate;
use super::log::{ConnectionLog, LogListener, LogMessage};
use super::questions::Questions;
use crate::limited_transport::Excess;
use crate::log_level::LogLevel;
use crate::message_size::truncated;
use rmcp::model::{
    GetExtensions as _, GetMeta as _, Implementation, JsonObject, JsonRpcError, JsonRpcMessage,
    JsonRpcResponse, ProgressNotificationParam, ProgressToken, RequestId, ServerCapabilities,
    ServerNotification, ServerResult,
};
use rmcp::service::{InboundStreamOrigin, RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::json;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tool_runtime::CallContext;
use tool_runtime::dispatch::CancellationToken;

/// The size after which the text of an event is truncated.
const MAX_PROGRESS_BYTES: usize = 4 * 1024;

/// How a transport sends messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    /// One after the other, over one stream.
    Stream,
    /// Each in an HTTP request.
    #[cfg(feature = "http-client")]
    Http,
}

impl Channel {
    /// A worker sends HTTP requests, and sends nothing while a message waits to be received.
    pub(super) fn excess(self) -> Excess {
        if self == Channel::Stream { Excess::Waits } else { Excess::IsDiscarded }
    }
}

/// A call, in the extensions of its request, which are not sent.
pub(super) struct TrackedCall {
    context: CallContext,
    /// The time in which progress begins the time limit of the call again.
    extended: Option<Duration>,
    was_sent: AtomicBool,
    /// The id of its request.
    id: OnceLock<RequestId>,
    /// Those of all requests of the call.
    questions: Arc<Questions>,
    /// Cancelled if a later run sends the call again.
    ended_early: CancellationToken,
    rate: EventRate,
    /// Cancelled when no call waits for the response. Changes under the lock of the calls.
    ended: CancellationToken,
}

impl TrackedCall {
    pub(super) fn new(
        context: CallContext,
        extended: Option<Duration>,
        questions: &Arc<Questions>,
    ) -> Arc<Self> {
        Arc::new(TrackedCall {
            context,
            extended,
            was_sent: AtomicBool::default(),
            id: OnceLock::new(),
            questions: Arc::clone(questions),
            ended_early: CancellationToken::new(),
            rate: EventRate::new(),
            ended: CancellationToken::new(),
        })
    }

    pub(super) fn context(&self) -> &CallContext {
        &self.context
    }

    pub(super) fn count_questions(&self, count: usize) -> Result<(), RemoteError> {
        self.questions.count(count)
    }

    /// Ends the call without its response, and waits until the server is notified.
    pub(super) async fn end_early(&self) {
        self.ended_early.cancel();
        self.ended.cancelled().await;
    }

    /// Awaits the response; `None` if the call ends without it.
    pub(super) async fn until_ended_early<F: Future>(&self, response: F) -> Option<F::Output> {
        self.ended_early.run_until_cancelled(response).await
    }

    /// Awaits the future; `None` if the call ends before.
    pub(super) async fn until_ended<F: Future>(&self, future: F) -> Option<F::Output> {
        self.ended.run_until_cancelled(future).await
    }

    /// Whether the server may have received any part of the request.
    pub(super) fn was_sent(&self) -> bool {
        self.was_sent.load(Ordering::Relaxed)
    }
}

/// The calls without a response, by the token of their progress.
#[derive(Clone)]
pub(super) struct TrackedCalls {
    running: Arc<Mutex<HashMap<ProgressToken, Arc<TrackedCall>>>>,
    log: Option<Arc<ConnectionLog>>,
}

impl TrackedCalls {
    pub(super) fn new(log: Option<LogListener>) -> Self {
        let log = log.map(|listener| Arc::new(ConnectionLog::new(listener)));
        TrackedCalls { running: Arc::default(), log }
    }

    /// The level of the log messages that the program receives.
    pub(super) fn log_level(&self) -> Option<LogLevel> {
        self.log.as_ref().map(|log| log.level())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProgressToken, Arc<TrackedCall>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a call, unless it was dropped before its request was sent.
    fn add(&self, token: ProgressToken, call: &Arc<TrackedCall>) {
        let mut calls = self.lock();
        if !call.ended.is_cancelled() {
            calls.insert(token, Arc::clone(call));
        }
    }

    pub(super) fn remove(&self, token: &ProgressToken, call: &TrackedCall) {
        let mut calls = self.lock();
        call.ended.cancel();
        calls.remove(token);
    }

    /// The call in which a server asks the user. Only HTTP names it: over a stream, another call could have another user.
    pub(super) fn asking(
        &self,
        origin: Option<&InboundStreamOrigin>,
    ) -> Result<Arc<TrackedCall>, &'static str> {
        let running = self.lock();
        let mut calls = running.values().filter(|call| match origin {
            Some(InboundStreamOrigin::OutboundRequest(id)) => call.id.get() == Some(id),
            _ => true,
        });
        match (calls.next(), calls.next()) {
            (Some(call), None) => Ok(Arc::clone(call)),
            (Some(_), Some(_)) => {
                Err("several calls run, and the question does not name its call; call this tool alone")
            }
            (None, _) => Err("no call runs in which the user can be asked"),
        }
    }

    /// Ends the questions of all calls after the end of the connection.
    fn end_all(&self) {
        self.lock().values().for_each(|call| call.ended.cancel());
    }

    /// The call that runs, if it is the only one.
    fn only(&self) -> Option<Arc<TrackedCall>> {
        let calls = self.lock();
        calls.values().next().filter(|_| calls.len() == 1).cloned()
    }

    fn report(&self, progress: &ProgressNotificationParam) {
        let Some(call) = self.lock().get(&progress.progress_token).cloned() else { return };
        if call.extended.is_some_and(|limit| call.rate.created.elapsed() < limit) {
            call.context.restart_time_limit();
        }
        if call.rate.may_report() {
            // Amounts are integers. A fraction of 1 becomes a percentage.
            let scale = if progress.total.is_some_and(|total| total <= 1.0) { 100.0 } else { 1.0 };
            let amount = |number: f64| to_amount(number * scale);
            let text = truncated(progress.message.as_deref().unwrap_or_default(), MAX_PROGRESS_BYTES);
            call.context.progress(amount(progress.progress), progress.total.map(amount), text);
        }
    }
}

impl TrackedCalls {
    /// Passes a log message to the program, and to the call that runs if it is the only one: the protocol does not name the call of
    /// a message, which could be that of another user.
    #[allow(deprecated, reason = "the current versions of the protocol have it")]
    fn report_log(&self, params: &rmcp::model::LoggingMessageNotificationParam) {
        let Some(log) = &self.log else { return };
        // The parameters were read from JSON.
        let Some(message) = log.accept(&serde_json::to_value(params).unwrap_or_default()) else { return };
        if let Some(call) = self.only().filter(|call| call.rate.may_report()) {
            let LogMessage { level, logger, data } = &message;
            call.context.emit(json!({"log": {"level": level, "logger": logger, "data": data}}));
        }
        log.report(message);
    }
}

/// rmcp keeps the first response as long as the connection. The client uses the version, and whether there are tools,
/// resources, prompts and log messages.
fn shorten(result: &mut ServerResult) {
    let (capabilities, instructions, meta) = match result {
        ServerResult::InitializeResult(server) => {
            server.server_info = Implementation::default();
            (&mut server.capabilities, &mut server.instructions, &mut server.meta)
        }
        ServerResult::DiscoverResult(server) => {
            (&mut server.capabilities, &mut server.instructions, &mut server.meta)
        }
        _ => return,
    };
    let mut kept = ServerCapabilities::default();
    kept.tools = capabilities.tools.take();
    kept.resources = capabilities.resources.take();
    kept.prompts = capabilities.prompts.take();
    kept.logging = capabilities.logging.take().map(|_| JsonObject::new());
    (*capabilities, *instructions, *meta) = (kept, None, None);
}

/// A number of the protocol as an amount. It is rounded, and 0 if it is negative.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the conversion saturates")]
fn to_amount(number: f64) -> u64 {
    number.round() as u64
}

/// Records which calls were sent, leaves out those that have ended before, and reports the progress of a call before its
/// response: rmcp handles a notification in a task of its own, which may run after the response.
pub(super) struct TrackedTransport<T> {
    transport: T,
    channel: Channel,
    calls: TrackedCalls,
    /// Held while a message is written to a stream.
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl<T> TrackedTransport<T> {
    pub(super) fn new(transport: T, channel: Channel, calls: TrackedCalls) -> Self {
        TrackedTransport { transport, channel, calls, turn: Arc::default() }
    }

    /// Whether the message is an error for one of the calls without naming it. Some servers respond like this to an
    /// unknown session, for example after a restart: without an id, or with a text as id, although those of the calls
    /// are numbers.
    fn is_error_of_any_call(&self, message: &RxJsonRpcMessage<RoleClient>) -> bool {
        let has_id_of_call = |id: &Option<RequestId>| matches!(id, Some(RequestId::Number(_)));
        self.channel != Channel::Stream
            && matches!(message, JsonRpcMessage::Error(error) if !has_id_of_call(&error.id))
            && !self.calls.lock().is_empty()
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for TrackedTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        let mut message = message;
        if let (JsonRpcMessage::Request(request), Some(level)) = (&mut message, self.calls.log_level())
            && request.request.get_meta().protocol_version().is_some()
        {
            // From protocol 2026-07-28 on, each request asks for log messages.
            request.request.get_meta_mut().set_log_level(level.into());
        }
        let mut call = None;
        if let JsonRpcMessage::Request(request) = &message {
            call = request.request.extensions().get::<Arc<TrackedCall>>().cloned();
            if let Some(call) = &call {
                call.id.get_or_init(|| request.id.clone());
            }
            let token = request.request.get_meta().get_progress_token();
            if let (Some(call), Some(token)) = (&call, token) {
                self.calls.add(token, call);
            }
        }
        let sent = self.transport.send(message);
        let turn = (self.channel == Channel::Stream).then(|| Arc::clone(&self.turn));
        async move {
            let waits = async {
                match &turn {
                    Some(turn) => Some(turn.lock().await),
                    None => None,
                }
            };
            let Some(call) = &call else {
                let _turn = waits.await;
                return sent.await;
            };
            // A server that reads too late must not receive a call whose time limit has expired.
            let Some(_turn) = call.ended.run_until_cancelled(waits).await else { return Ok(()) };
            call.was_sent.store(true, Ordering::Relaxed);
            sent.await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let Some(mut message) = self.transport.receive().await else {
            self.calls.end_all();
            return None;
        };
        if let (Channel::Stream, JsonRpcMessage::Error(JsonRpcError { id: Some(id), .. }))
        | (_, JsonRpcMessage::Response(JsonRpcResponse { id, .. })) = (self.channel, &mut message)
            // The ids of requests are numbers, which some servers return as strings.
            && let RequestId::String(text) = id
            && let Ok(number) = text.parse()
        {
            *id = RequestId::Number(number);
        }
        if let JsonRpcMessage::Response(JsonRpcResponse { result, .. }) = &mut message {
            shorten(result);
        }
        if self.is_error_of_any_call(&message) {
            // The connection ends, and with it every call.
            return None;
        }
        if let JsonRpcMessage::Notification(notification) = &message
            && let ServerNotification::ProgressNotification(progress) = &notification.notification
        {
            self.calls.report(&progress.params);
        }
        #[allow(deprecated, reason = "the current versions of the protocol have it")]
        if let JsonRpcMessage::Notification(notification) = &message
            && let ServerNotification::LoggingMessageNotification(log) = &notification.notification
        {
            self.calls.report_log(&log.params);
        }
        Some(message)
    }

    fn close(&mut self) -> impl Future<Output = Result<(), T::Error>> + Send {
        self.transport.close()
    }
}
