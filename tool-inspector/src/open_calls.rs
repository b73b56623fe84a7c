//! The calls of the page that run, and the decisions for which they wait.

use crate::api_error::ApiError;
use crate::calls::{UnreadLine, run_call};
use crate::extract::JsonBody;
use crate::lines::lines_response;
use crate::state::Shared;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::stream;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tool_runtime::dispatch::{ToolResult, UserAnswer};

/// Lines that the page has not read yet. Further events are only counted.
const MAX_LINES: usize = 1_000;
/// Calls of all pages that run at the same time.
const MAX_CALLS: usize = 100;

/// A call that the page proposes.
#[derive(Debug, Deserialize)]
pub(crate) struct ProposedCall {
    pub(crate) tool: String,
    /// Any text, since a model can send any.
    pub(crate) arguments: String,
    /// Whether the user has agreed to the effects of the call.
    #[serde(default)]
    pub(crate) confirmed: bool,
}

/// The sender of a decision for which a call waits.
#[derive(Debug)]
enum Waiting {
    Approval(oneshot::Sender<ApprovalDecision>),
    Result(oneshot::Sender<ToolResult>),
    Answer(oneshot::Sender<UserAnswer>),
}

/// The run, and the id of the call or question in it.
type WaitingId = (String, String);

/// The calls that run, and the decisions for which they wait.
#[derive(Clone, Debug)]
pub(crate) struct OpenCalls {
    waiting: Arc<Mutex<HashMap<WaitingId, Waiting>>>,
    begun: Arc<AtomicUsize>,
    /// A permit for each call that runs.
    running: Arc<Semaphore>,
}

impl Default for OpenCalls {
    fn default() -> Self {
        OpenCalls {
            waiting: Arc::default(),
            begun: Arc::default(),
            running: Arc::new(Semaphore::new(MAX_CALLS)),
        }
    }
}

impl OpenCalls {
    pub(crate) fn wait_for_approval(&self, run: &str, id: &str) -> oneshot::Receiver<ApprovalDecision> {
        self.wait_for(run, id, Waiting::Approval)
    }

    pub(crate) fn wait_for_result(&self, run: &str, id: &str) -> oneshot::Receiver<ToolResult> {
        self.wait_for(run, id, Waiting::Result)
    }

    pub(crate) fn wait_for_answer(&self, run: &str, id: &str) -> oneshot::Receiver<UserAnswer> {
        self.wait_for(run, id, Waiting::Answer)
    }

    fn wait_for<T>(
        &self,
        run: &str,
        id: &str,
        waiting: fn(oneshot::Sender<T>) -> Waiting,
    ) -> oneshot::Receiver<T> {
        let (sender, receiver) = oneshot::channel();
        self.waiting().insert((run.to_owned(), id.to_owned()), waiting(sender));
        receiver
    }

    /// Forgets the decisions for which a run waits.
    fn close(&self, run: &str) {
        self.waiting().retain(|(open, _), _| open != run);
    }

    /// Sends a decision. `sender` takes the sender of its kind, and returns another one.
    fn decide<T>(
        &self,
        place: WaitingId,
        decision: T,
        sender: fn(Waiting) -> Result<oneshot::Sender<T>, Waiting>,
    ) -> Result<StatusCode, ApiError> {
        let mut all = self.waiting();
        let sent = match all.remove(&place).map(sender) {
            Some(Ok(sender)) => sender.send(decision).is_ok(),
            Some(Err(other)) => {
                all.insert(place, other);
                false
            }
            None => false,
        };
        if sent {
            return Ok(StatusCode::NO_CONTENT);
        }
        Err(ApiError::new(StatusCode::CONFLICT, "no call waits for this decision"))
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<WaitingId, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a call. The response has a line for each event; if the page closes it, the call is cancelled.
pub(crate) async fn begin(
    State(shared): State<Shared>,
    JsonBody(call): JsonBody<ProposedCall>,
) -> Result<Response, ApiError> {
    let registry = shared.registry()?.clone();
    let calls = shared.calls.clone();
    let permit = Arc::clone(&calls.running).try_acquire_owned().map_err(|_| {
        let text = format!("{MAX_CALLS} calls of the page are in progress: stop one of them");
        ApiError::new(StatusCode::TOO_MANY_REQUESTS, text)
    })?;
    let run = format!("r{}", calls.begun.fetch_add(1, Ordering::Relaxed) + 1);
    let (sender, receiver) = mpsc::channel(MAX_LINES);
    tokio::spawn(async move {
        run_call(&registry, call, &run, &calls, sender).await;
        calls.close(&run);
        drop(permit);
    });
    let next = |mut receiver: mpsc::Receiver<UnreadLine>| async move {
        let (line, _read) = receiver.recv().await?;
        Some((line, receiver))
    };
    Ok(lines_response(stream::unfold(receiver, next)))
}

/// The decision of a person about a call that needs an approval.
#[derive(Debug, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub(crate) enum ApprovalDecision {
    Approve,
    Deny {
        #[serde(default)]
        reason: String,
    },
}

#[derive(Debug, Deserialize)]
pub(crate) struct DecideRequest {
    id: String,
    #[serde(flatten)]
    decision: ApprovalDecision,
}

pub(crate) async fn decide(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    JsonBody(DecideRequest { id, decision }): JsonBody<DecideRequest>,
) -> Result<StatusCode, ApiError> {
    shared.calls.decide((run, id), decision, |waiting| match waiting {
        Waiting::Approval(sender) => Ok(sender),
        other => Err(other),
    })
}

#[derive(Debug, Deserialize)]
pub(crate) struct AnswerRequest {
    id: String,
    answer: UserAnswer,
}

pub(crate) async fn answer(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    JsonBody(AnswerRequest { id, answer }): JsonBody<AnswerRequest>,
) -> Result<StatusCode, ApiError> {
    shared.calls.decide((run, id), answer, |waiting| match waiting {
        Waiting::Answer(sender) => Ok(sender),
        other => Err(other),
    })
}

#[derive(Debug, Deserialize)]
pub(crate) struct ResultRequest {
    id: String,
    text: String,
    #[serde(default)]
    is_error: bool,
}

pub(crate) async fn provide_result(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    JsonBody(ResultRequest { id, text, is_error }): JsonBody<ResultRequest>,
) -> Result<StatusCode, ApiError> {
    let result = if is_error { ToolResult::error(text) } else { ToolResult::ok(text) };
    shared.calls.decide((run, id), result, |waiting| match waiting {
        Waiting::Result(sender) => Ok(sender),
        other => Err(other),
    })
}
