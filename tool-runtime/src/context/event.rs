//! The events of calls.

use super::RunContext;
use super::event_queue::EventQueue;
use crate::outcome::{CallError, Outcome};
use crate::output::ToolResult;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The time after which a thread stops sending the events of other threads, since the future of the call may run on it.
const MAX_SENDING: Duration = Duration::from_millis(100);

/// An event of one call, for a listener of [`RunContext::on_event`].
///
/// It serializes as one JSON object, for example for server-sent events:
/// `{"id":"call_1","tool":"export","status":"progress","done":1,"total":10,"text":"page 1"}`.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CallEvent {
    /// The id of the call.
    pub id: String,
    /// The name of the tool.
    pub tool: String,
    /// The id of the call whose tool makes this call: see [`CallContext::inner_call`](super::CallContext::inner_call). `None` for a
    /// call of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outer_call: Option<String>,
    /// The change.
    #[serde(flatten)]
    pub status: CallStatus,
}

/// The status of a call in a [`CallEvent`].
///
/// `Started` is first, unless the call does not run. `Progress` and `Emitted` follow as often as the tool sends them;
/// `EventsSkipped` reports those that a slow listener does not receive. A call that does not end (`NeedsApproval`, `NeedsResult`,
/// `NeedsCall`, `Cancelled`) has further events in a later run. [`Registry::dispatch`](crate::Registry::dispatch) keeps no
/// call pending: a call that needs an approval or a result fails there, and `NeedsApproval` or `NeedsResult` is its last
/// event.
///
/// Each call of a [`Session`](crate::Session) or of [`PendingCalls`](crate::conversation::PendingCalls) has exactly one
/// `Finished`, which is its last event, whatever its [`Cause`]: the `Finished` events are an audit log. If a decision, a result
/// from elsewhere or a user message ended the call between two runs, the next run sends its `Finished` first; a stored
/// [`Conversation`](crate::Conversation) does not keep it. A call whose dispatch is dropped has no last event, and neither have
/// calls of the tool for a typed answer, which is no tool of the registry. If a run with a [log](crate::session::Run::log) drops an
/// interrupted reply, the reads that have started early have their events, and the repeated reply has them again.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallStatus {
    /// The call has its approval, has left the queue, and starts to run. With middleware, the tool itself may start
    /// later, several times, or never.
    #[non_exhaustive]
    Started {
        /// The arguments of the call, after coercion: the text of one JSON object. Those of a person, if a person has edited
        /// them.
        arguments: String,
        /// The arguments that the tool gets in their place, from [`Decision::RunWith`](crate::dispatch::Decision::RunWith).
        /// Not serialized, since they may have secrets of the program: see
        /// [`CallEvent::with_tool_arguments`].
        #[serde(skip)]
        run_with: Option<HookArguments>,
    },
    /// The tool reports progress: see [`CallContext::progress`](super::CallContext::progress).
    #[non_exhaustive]
    Progress {
        /// The completed amount, in a unit of the tool.
        done: u64,
        /// The whole amount, if it is known.
        total: Option<u64>,
        /// A description for people.
        text: String,
    },
    /// The tool sends data: see [`CallContext::emit`](super::CallContext::emit).
    #[non_exhaustive]
    Emitted {
        /// The data as JSON.
        data: Value,
    },
    /// Progress and data of the tool that the listener does not receive: those that wait take more than 16 MiB, or the call has
    /// reached its time limit or was cancelled while they waited.
    #[non_exhaustive]
    EventsSkipped {
        /// The number of events since the last such report.
        events: u64,
    },
    /// The call needs approval, has none, and did not run. In a [`Session`](crate::Session), a call also needs approval
    /// again if a person has edited its arguments and they are invalid: the [`error`](crate::session::WaitingCall::error)
    /// of the waiting call has the reason.
    #[non_exhaustive]
    NeedsApproval {
        /// The arguments that the tool would receive: the text of one JSON object, unless a person has edited them.
        arguments: String,
    },
    /// The result of the call comes later: see [`ToolOutput::pending`](crate::ToolOutput::pending).
    #[non_exhaustive]
    NeedsResult {
        /// The ticket of the tool; `None` if the tool runs elsewhere.
        ticket: Option<String>,
        /// The arguments of the call, as in `Started`.
        arguments: String,
        /// The arguments that the tool got, or gets elsewhere, in their place, as in `Started`. Not serialized.
        #[serde(skip)]
        run_with: Option<HookArguments>,
    },
    /// The call is pending until another one has ended: an earlier call of its reply
    /// ([`ordered_effects`](crate::RegistryBuilder::ordered_effects)), or an [inner call](super::CallContext::inner_call) of its tool.
    #[non_exhaustive]
    NeedsCall {
        /// The id of the other call.
        call: String,
    },
    /// The run was cancelled before the call had ended, and the call is pending.
    Cancelled,
    /// The call has ended. The result is that of its tool message, before
    /// [`max_result_bytes`](crate::RegistryBuilder::max_result_bytes) truncates it.
    #[non_exhaustive]
    Finished {
        /// The arguments of the call, as in `Started`; those of the model, if they are invalid.
        arguments: String,
        /// The arguments that the tool got in their place, as in `Started`. Not serialized.
        #[serde(skip)]
        run_with: Option<HookArguments>,
        /// Why the call has this result.
        cause: Cause,
        /// The result.
        result: ToolResult,
        /// The duration of the call, and other data for the program.
        outcome: Outcome,
    },
}

/// Why a call has its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Cause {
    /// The tool ran, or middleware gave a result in its place.
    Ran,
    /// A hook or a person denied it, or the hook panicked or exceeded its time limit.
    Denied,
    /// It was skipped, by a user message or by [`skip_calls`](crate::Session::skip_calls).
    Skipped,
    /// The result comes from elsewhere: [`provide_result`](crate::Session::provide_result), or a hook that responded.
    Provided,
    /// The result is that of an earlier process: [`replay_result`](crate::Session::replay_result).
    Recorded,
    /// It began in an earlier run that was interrupted, and may have taken effect.
    Interrupted,
    /// It could not run: its tool or its arguments are wrong, it has no approval, its result or an earlier call is missing, a
    /// limit is reached, or it was cancelled before it began.
    NotRun,
}

/// The arguments of [`Decision::RunWith`](crate::dispatch::Decision::RunWith): the text of one JSON object. Its `Debug` text does not
/// contain them, so that a log of events has no secret.
#[derive(Clone, PartialEq, Eq)]
pub struct HookArguments(pub(crate) String);

impl HookArguments {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for HookArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HookArguments(..)")
    }
}

impl CallEvent {
    /// The event with the arguments that the tool gets, for an audit log that must have them. They may have secrets that
    /// [`Decision::RunWith`](crate::dispatch::Decision::RunWith) has added.
    #[must_use]
    pub fn with_tool_arguments(mut self) -> Self {
        if let CallStatus::Started { arguments, run_with }
        | CallStatus::NeedsResult { arguments, run_with, .. }
        | CallStatus::Finished { arguments, run_with, .. } = &mut self.status
        {
            if let Some(run_with) = run_with {
                run_with.as_str().clone_into(arguments);
            }
        }
        self
    }
}

impl CallStatus {
    /// Whether no event of the call follows in its dispatch.
    pub(super) fn is_last(&self) -> bool {
        match self {
            CallStatus::Started { .. }
            | CallStatus::Progress { .. }
            | CallStatus::Emitted { .. }
            | CallStatus::EventsSkipped { .. } => false,
            CallStatus::NeedsApproval { .. }
            | CallStatus::NeedsResult { .. }
            | CallStatus::NeedsCall { .. }
            | CallStatus::Cancelled
            | CallStatus::Finished { .. } => true,
        }
    }

    /// Whether the call ends before its tool has finished.
    pub(super) fn is_end_of_stopped_call(&self) -> bool {
        match self {
            CallStatus::Cancelled => true,
            CallStatus::Finished { outcome, .. } => {
                matches!(outcome.error(), Some(CallError::TimedOut { .. } | CallError::Cancelled { .. }))
            }
            _ => false,
        }
    }
}

/// The events of one call whose run context has listeners.
#[derive(Debug)]
pub(crate) struct CallEvents {
    run: RunContext,
    id: String,
    tool: String,
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    events: EventQueue<CallEvent>,
    /// Whether a thread sends the events of the queue.
    is_sending: bool,
    /// Whether the last event was added.
    has_ended: bool,
    /// Dropped when no thread sends events any more.
    sent: Option<oneshot::Sender<()>>,
}

impl CallEvents {
    /// The events of a call; `None` if the run context has no listeners.
    pub(crate) fn new(run: &RunContext, id: &str, tool: &str) -> Option<Arc<Self>> {
        if run.listeners().is_empty() {
            return None;
        }
        let (run, id, tool) = (run.clone(), id.to_owned(), tool.to_owned());
        Some(Arc::new(CallEvents { run, id, tool, queue: Mutex::default() }))
    }

    /// Sends an event to all listeners. After the last event of the call, nothing is sent: a tool may report progress
    /// from a thread that outlives its call.
    pub(crate) fn send(&self, status: CallStatus) {
        {
            let mut queue = self.queue();
            if queue.has_ended {
                return;
            }
            queue.has_ended = status.is_last();
            let (id, tool, outer_call) = (self.id.clone(), self.tool.clone(), self.run.outer_call());
            queue.events.push(CallEvent { id, tool, outer_call, status });
            if std::mem::replace(&mut queue.is_sending, true) {
                return;
            }
        }
        // The lock is not held while listeners run: a listener may report progress, or be slow.
        let started = Instant::now();
        while let Some(event) = self.next(started) {
            self.run.send(&event);
        }
    }

    /// Waits until the listeners have received all events, which another thread may send.
    pub(crate) async fn sent(&self) {
        let (sender, receiver) = oneshot::channel();
        {
            let mut queue = self.queue();
            if !queue.is_sending {
                return;
            }
            queue.sent = Some(sender);
        }
        // An error means that the sender was dropped.
        let _ = receiver.await;
    }

    /// Ends the events of a call whose dispatch is dropped: its thread may still report progress.
    pub(crate) fn close(&self) {
        self.queue().has_ended = true;
    }

    /// Whether the last event was added.
    pub(super) fn has_ended(&self) -> bool {
        self.queue().has_ended
    }

    /// The next event to send. The thread that gets none stops sending. If events still wait, the thread that adds the next
    /// event of the call sends them first.
    fn next(&self, started: Instant) -> Option<CallEvent> {
        let mut queue = self.queue();
        let may_send = queue.has_ended || started.elapsed() < MAX_SENDING;
        let next = if may_send { queue.events.pop() } else { None };
        queue.is_sending = next.is_some();
        let sent = if queue.is_sending { None } else { queue.sent.take() };
        drop(queue);
        // Wakes the call.
        drop(sent);
        next
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
