//! The calls of the page that run, and the decisions for which they wait.

use crate::api_error::ApiError;
use crate::calls::run_call;
use crate::lines::lines_response;
use crate::state::Shared;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::stream;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, oneshot};
use tool_runtime::dispatch::{ToolResult, UserAnswer};

/// Lines that the page has not read yet. If there are more, events are dropped.
const MAX_LINES: usize = 1_000;

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

/// The decision of a person about a call that waits.
#[derive(Debug)]
pub(crate) enum Decision {
    Approve,
    Deny(String),
    Provide(ToolResult),
    Answer(UserAnswer),
}

/// The senders of decisions, by the run and the id of the call or question.
type Waiting = HashMap<(String, String), oneshot::Sender<Decision>>;

/// The decisions for which calls wait.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenCalls {
    waiting: Arc<Mutex<Waiting>>,
    begun: Arc<AtomicUsize>,
}

impl OpenCalls {
    fn next_run(&self) -> String {
        format!("r{}", self.begun.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Waits for the decision of a person; `None` if the run ends before.
    pub(crate) fn wait_for(&self, run: &str, id: &str) -> oneshot::Receiver<Decision> {
        let (sender, receiver) = oneshot::channel();
        self.waiting().insert((run.to_owned(), id.to_owned()), sender);
        receiver
    }

    /// Forgets the decisions for which a run waits.
    fn close(&self, run: &str) {
        self.waiting().retain(|(open, _), _| open != run);
    }

    fn decide(&self, run: String, id: String, decision: Decision) -> Result<StatusCode, ApiError> {
        let waiting = self.waiting().remove(&(run, id));
        match waiting.map(|sender| sender.send(decision)) {
            Some(Ok(())) => Ok(StatusCode::NO_CONTENT),
            _ => Err(ApiError::new(StatusCode::CONFLICT, "no call waits for this decision any more")),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a call. The response has a line for each event; if the page closes it, the call is cancelled.
pub(crate) async fn begin(
    State(shared): State<Shared>,
    Json(call): Json<ProposedCall>,
) -> Result<Response, ApiError> {
    let registry = shared.registry()?.clone();
    let calls = shared.calls.clone();
    let run = calls.next_run();
    let (sender, receiver) = mpsc::channel(MAX_LINES);
    tokio::spawn(async move {
        run_call(&registry, call, &run, &calls, sender).await;
        calls.close(&run);
    });
    let next = |mut receiver: mpsc::Receiver<String>| async move { Some((receiver.recv().await?, receiver)) };
    Ok(lines_response(stream::unfold(receiver, next)))
}

#[derive(Debug, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
enum ApprovalDecision {
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
    Json(DecideRequest { id, decision }): Json<DecideRequest>,
) -> Result<StatusCode, ApiError> {
    let decision = match decision {
        ApprovalDecision::Approve => Decision::Approve,
        ApprovalDecision::Deny { reason } => Decision::Deny(reason),
    };
    shared.calls.decide(run, id, decision)
}

#[derive(Debug, Deserialize)]
pub(crate) struct AnswerRequest {
    id: String,
    answer: UserAnswer,
}

pub(crate) async fn answer(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    Json(AnswerRequest { id, answer }): Json<AnswerRequest>,
) -> Result<StatusCode, ApiError> {
    shared.calls.decide(run, id, Decision::Answer(answer))
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
    Json(ResultRequest { id, text, is_error }): Json<ResultRequest>,
) -> Result<StatusCode, ApiError> {
    let result = if is_error { ToolResult::error(text) } else { ToolResult::ok(text) };
    shared.calls.decide(run, id, Decision::Provide(result))
}
