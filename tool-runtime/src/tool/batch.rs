//! The calls of one reply.

use crate::context::{Order, RunContext};
use crate::outcome::CallError;
use std::time::Duration;
// Tokio's clock, which tests can pause.
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The data that the calls of one reply share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch<'a> {
    /// `None` for calls without a context.
    pub(crate) context: Option<&'a RunContext>,
    /// The number of the reply in its run.
    pub(crate) reply: u64,
    /// `None` if nobody wants the durations of the calls.
    pub(crate) started: Option<Instant>,
    /// Creates the error of each call from the name of its tool, if the calls must not run.
    pub(crate) rejection: Option<fn(String) -> CallError>,
    /// Whether the model received definitions with written names of keys.
    pub(crate) has_written_keys: bool,
    /// Whether the run context adds no step to the calls: it has no token, no listener and no middleware of a run.
    pub(crate) is_direct: bool,
    /// `None` if the reply has no barrier, or if the call is outside of the steps that know its order.
    pub(crate) order: Option<&'a Order>,
    /// Whether the calls start while their reply is received.
    pub(crate) is_early: bool,
    pub(crate) place: Place,
    pub(crate) unfinished: Unfinished,
}

/// Where the calls run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    ThisProcess,
    /// They are handed out.
    AnotherProcess,
}

/// Whether calls that do not end stay pending: those that need an approval, a result from elsewhere or an earlier call, and those
/// that are cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfinished {
    /// They fail.
    Fail,
    /// They stay pending.
    Keep,
}

impl<'a> Batch<'a> {
    /// The same data, for an owner that has the context.
    pub(crate) fn without_context(&self) -> Batch<'static> {
        Batch {
            context: None,
            reply: self.reply,
            started: self.started,
            rejection: self.rejection,
            has_written_keys: self.has_written_keys,
            is_direct: self.is_direct,
            order: None,
            is_early: self.is_early,
            place: self.place,
            unfinished: self.unfinished,
        }
    }

    /// The context, which is empty for calls without one.
    pub(crate) fn context(&self) -> &'a RunContext {
        self.context.unwrap_or_else(|| RunContext::none())
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        let token = self.context.and_then(RunContext::token);
        token.is_some_and(CancellationToken::is_cancelled)
    }

    /// The time since the start of the batch.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.map_or(Duration::ZERO, |started| started.elapsed())
    }
}
