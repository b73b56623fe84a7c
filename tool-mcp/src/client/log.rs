//! Log messages of a server.

use super::event_rate::EventRate;
use crate::log_level::LogLevel;
use crate::message_size::{json_bytes, truncated};
use rmcp::model::ClientRequest;
use rmcp::service::{Peer, PeerRequestOptions, RoleClient};
use serde::Deserialize as _;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The size after which the data of a message is truncated, and that of its logger.
const MAX_DATA_BYTES: usize = 4 * 1024;
const MAX_LOGGER_BYTES: usize = 256;

/// A log message of a server, for the function of [`ClientBuilder::on_log`](super::ClientBuilder::on_log).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LogMessage {
    /// The level.
    pub level: LogLevel,
    /// The part of the server that logs, truncated after 256 bytes.
    pub logger: Option<String>,
    /// A text or another JSON value. After 4 KiB, it is the truncated text of the value.
    pub data: Value,
}

/// The function of the program, and the least severe level.
#[derive(Clone)]
pub(super) struct LogListener {
    pub(super) level: LogLevel,
    listen: Arc<dyn Fn(LogMessage) + Send + Sync>,
}

/// The listener of one connection.
pub(super) struct ConnectionLog {
    listener: LogListener,
    rate: EventRate,
}

impl LogListener {
    pub(super) fn new(level: LogLevel, listen: impl Fn(LogMessage) + Send + Sync + 'static) -> Self {
        LogListener { level, listen: Arc::new(listen) }
    }
}

impl ConnectionLog {
    pub(super) fn new(listener: LogListener) -> Self {
        ConnectionLog { listener, rate: EventRate::new() }
    }

    pub(super) fn level(&self) -> LogLevel {
        self.listener.level
    }

    /// The message of these parameters, if the program receives it.
    pub(super) fn accept(&self, params: &Value) -> Option<LogMessage> {
        let level = LogLevel::deserialize(&params["level"]).ok()?;
        if level < self.listener.level || !self.rate.may_report() {
            return None;
        }
        let data = match &params["data"] {
            Value::String(text) => truncated(text, MAX_DATA_BYTES).into(),
            data if json_bytes(data) > MAX_DATA_BYTES => truncated(&data.to_string(), MAX_DATA_BYTES).into(),
            data => data.clone(),
        };
        let logger = params["logger"].as_str().map(|logger| truncated(logger, MAX_LOGGER_BYTES));
        Some(LogMessage { level, logger, data })
    }

    pub(super) fn report(&self, message: LogMessage) {
        // A panic, which the panic hook of the process has reported, must not end the connection.
        catch_unwind(AssertUnwindSafe(|| (self.listener.listen)(message))).ok();
    }
}

/// Asks the server for log messages from this level on, if it has any. Its response is not needed.
#[allow(deprecated, reason = "the current versions of the protocol have it")]
pub(super) async fn ask_for_log(peer: &Peer<RoleClient>, level: LogLevel) {
    use rmcp::model::{SetLevelRequest, SetLevelRequestParams};
    if peer.peer_info().is_some_and(|server| server.capabilities.logging.is_some()) {
        let request = SetLevelRequest::new(SetLevelRequestParams::new(level.into()));
        let request = ClientRequest::SetLevelRequest(request);
        // An error is that of the connection, which the next request finds.
        peer.send_request_with_option(request, PeerRequestOptions::no_options()).await.ok();
    }
}
