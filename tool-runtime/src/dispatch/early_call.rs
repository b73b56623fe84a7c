//! Calls that start while their reply is received.

use super::EndedCall;
use crate::context::CallRecord;
use crate::message::ToolCall;
use crate::registry::Registry;
use crate::tool::{Approval, Batch, IncomingCall};
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The running calls of a reply, which store their ends in their [`EarlyCall`]s.
pub(crate) type RunningCalls<'a> = FuturesUnordered<BoxFuture<'a, ()>>;

/// The calls that have started, by position.
pub(crate) type EarlyCalls = BTreeMap<usize, Arc<EarlyCall>>;

/// A call that starts while its reply is received.
#[derive(Debug, Default)]
pub(crate) struct EarlyCall {
    arguments: String,
    record: CallRecord,
    ended: Mutex<Option<EndedCall>>,
}

impl EarlyCall {
    pub(super) fn new(call: &ToolCall) -> Self {
        EarlyCall { arguments: call.arguments.clone(), ..EarlyCall::default() }
    }

    pub(super) async fn run(&self, registry: &Registry, batch: &Batch<'_>, position: usize, call: &ToolCall) {
        let incoming = IncomingCall::new(batch, position, call, Approval::None, &self.record);
        let ended = registry.run_to_end(&incoming).await;
        let release = ended.release(batch, position);
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
        if let Some(release) = release {
            release.complete().await;
        }
    }

    /// The arguments with which it runs.
    pub(super) fn arguments(&self) -> &str {
        &self.arguments
    }

    /// The end of the call, once it has ended.
    pub(crate) fn take_ended(&self) -> Option<EndedCall> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether the tool has begun, and may have taken effect.
    pub(crate) fn has_begun(&self) -> bool {
        self.record.has_begun()
    }

    /// Whether the call counts towards the `max_calls` of its tool.
    pub(crate) fn is_counted(&self) -> bool {
        self.record.is_counted()
    }
}
