//! One step of a session: its inputs, at most one request, its reply, and the decisions of the registry about the calls.

use super::calls::too_large;
use super::status::{Input, RESERVED_BYTES, Selected, UnsentCall};
use super::{Agent, BoxError};
use crate::protocol::{Decision, Report, SessionEnd, json_bytes};
use futures_util::FutureExt as _;
use serde::{Deserialize, Serialize};
use std::panic::AssertUnwindSafe;
use std::time::{SystemTime, UNIX_EPOCH};
use tool_runtime::dispatch::{HandedOutCall, ToolResult};
use tool_runtime::session::{RunEnd, RunError};
use tool_runtime::{Registry, Session};

/// An error of the client that no further attempt can change: a wrong key, or a request that the provider rejects. The step ends
/// with [`SessionEnd::Failed`], and is not repeated. Return it from the closure of [`Agent::new`](super::Agent::new).
///
/// ```
/// use tool_runtime_restate::PermanentError;
///
/// let error = PermanentError::new(std::io::Error::other("the key is wrong"));
/// assert_eq!(error.to_string(), "the key is wrong");
/// ```
#[derive(Debug)]
pub struct PermanentError(BoxError);

impl PermanentError {
    /// Wraps the error of a client.
    pub fn new(error: impl Into<BoxError>) -> Self {
        PermanentError(error.into())
    }
}

impl std::fmt::Display for PermanentError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for PermanentError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// The recorded result of a step.
#[derive(Serialize, Deserialize)]
pub(super) struct Stepped {
    pub(super) session: Session,
    /// The bytes of the session, and their limit.
    pub(super) bytes: usize,
    pub(super) max_bytes: usize,
    /// The numbers of the inputs that the session has.
    pub(super) taken: Vec<u64>,
    pub(super) report: Report,
    /// The calls that workers run, with their services.
    pub(super) handed_out: Vec<UnsentCall>,
    /// Whether another step follows at once.
    pub(super) continues: bool,
}

/// The recorded outcome of an attempt to run a step.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    Stepped(Box<Stepped>),
    Failed(StepError),
    /// An earlier attempt of the invocation may still run. Another invocation runs the step.
    GivenUp,
}

/// The error of a step.
#[derive(Serialize, Deserialize)]
pub(super) struct StepError {
    pub(super) message: String,
    /// Whether no further attempt can change it.
    pub(super) is_permanent: bool,
    /// The time of the error since 1970, and the time for which errors are repeated, in milliseconds.
    pub(super) at: u64,
    pub(super) retry_for: u64,
}

impl StepError {
    fn new(message: impl Into<String>) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let at = u64::try_from(now).unwrap_or_default();
        StepError { message: message.into(), is_permanent: false, at, retry_for: 0 }
    }

    fn permanent(message: impl Into<String>) -> Self {
        StepError { is_permanent: true, ..StepError::new(message) }
    }
}

/// Runs one step. Its outcome depends on the tools, the hooks and the model of this process, so the engine records it as a whole.
pub(super) async fn run(
    agent: &Agent,
    session_id: &str,
    session: Option<Session>,
    inputs: Vec<(u64, Input)>,
    selected: Selected,
) -> Outcome {
    let step = AssertUnwindSafe(run_once(agent, session_id, session, inputs, selected)).catch_unwind();
    let error = match step.await {
        Ok(Ok(stepped)) => return Outcome::Stepped(Box::new(stepped)),
        Ok(Err(error)) => error,
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(ToString::to_string);
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            StepError::new(format!("the worker panicked: {text}"))
        }
    };
    let retry_for = u64::try_from(agent.limits.retry_requests_for.as_millis()).unwrap_or(u64::MAX);
    Outcome::Failed(StepError { retry_for, ..error })
}

async fn run_once(
    agent: &Agent,
    session_id: &str,
    session: Option<Session>,
    mut inputs: Vec<(u64, Input)>,
    selected: Selected,
) -> Result<Stepped, StepError> {
    let (registry, max_bytes) = (agent.registry(session_id), agent.limits.max_session_bytes);
    let mut session = session.unwrap_or_else(|| (agent.first)());
    limit_results(&session, &mut inputs, max_bytes.saturating_sub(selected.reserved_bytes));
    let Applied { taken, runs } = apply(&mut session, &registry, inputs);
    let runs = runs && !selected.is_part;
    let end = if runs {
        run_session(agent, session_id, &mut session, &registry).await?
    } else {
        SessionEnd::Cancelled
    };
    let bytes = json_bytes(&session);
    if runs && bytes > max_bytes {
        return Err(StepError::permanent(session_too_large(bytes, max_bytes)));
    }
    let continues = selected.is_part || end == SessionEnd::Run(RunEnd::RequestLimit);
    let report = Report::new(&session, end);
    let service = |call: &HandedOutCall| agent.service(&call.tool).to_owned();
    let handed_out =
        session.handed_out().into_iter().map(|call| UnsentCall { service: service(&call), call }).collect();
    Ok(Stepped { session, bytes, max_bytes, taken, report, handed_out, continues })
}

async fn run_session(
    agent: &Agent,
    session_id: &str,
    session: &mut Session,
    registry: &Registry,
) -> Result<SessionEnd, StepError> {
    match agent.run.run(agent, session_id, session, registry).await.map_err(into_step_error)? {
        // The token of the process: another process runs the step.
        RunEnd::Cancelled => Err(StepError::new("the worker stops")),
        end => Ok(SessionEnd::Run(end)),
    }
}

/// The error of a session that is too large for the engine.
pub(super) fn session_too_large(bytes: usize, max_bytes: usize) -> String {
    format!(
        "the session would have {bytes} bytes, and may have at most {max_bytes}: compact it, or store long contents elsewhere"
    )
}

/// Replaces results that would make the session too large.
fn limit_results(session: &Session, inputs: &mut [(u64, Input)], max_bytes: usize) {
    let mut free = max_bytes.saturating_sub(json_bytes(session) + RESERVED_BYTES);
    for (_, input) in inputs {
        let Input::End { end, .. } = input else { continue };
        let bytes = json_bytes(end);
        if bytes > free {
            *end = too_large(bytes, free);
        } else {
            free -= bytes;
        }
    }
}

/// The effect of inputs.
struct Applied {
    /// The numbers of the inputs that the session has.
    taken: Vec<u64>,
    /// Whether the session runs: it does, unless the last input cancels it.
    runs: bool,
}

/// Applies inputs. Messages come last, since they wait for calls: if a call of the session runs or can run now, they are not taken.
fn apply(session: &mut Session, registry: &Registry, inputs: Vec<(u64, Input)>) -> Applied {
    let (mut taken, mut messages, mut runs, mut has_changed) = (Vec::new(), Vec::new(), true, false);
    for (number, input) in inputs {
        match input {
            Input::Message(message) => {
                messages.push((number, message));
                runs = true;
                continue;
            }
            // An error means that the session has the result of the call: a message or a cancellation came first.
            Input::End { id, end } => drop(session.finish_handed_out(registry, &id, end)),
            Input::Decision(decision) => {
                decide(session, decision);
                runs = true;
            }
            Input::Resume => runs = true,
            Input::Cancel { unsent } => {
                cancel(session, registry, unsent);
                // They are part of the conversation, and are not answered.
                for (number, message) in messages.drain(..) {
                    message.push(session);
                    taken.push(number);
                }
                runs = false;
            }
        }
        taken.push(number);
        has_changed = true;
    }
    if session.handed_out().is_empty() && !(has_changed && can_run_calls(session)) {
        for (number, message) in messages {
            message.push(session);
            taken.push(number);
        }
    }
    Applied { taken, runs }
}

/// Whether a run would start calls: some have no result, and wait neither for a person nor for a result.
fn can_run_calls(session: &Session) -> bool {
    let Some(pending) = session.pending() else { return false };
    let waiting: Vec<_> = session.awaiting_approval().into_iter().chain(session.awaiting_result()).collect();
    let waits = |id: &str| waiting.iter().any(|call| call.id == id || call.outer_call.as_deref() == Some(id));
    pending.calls().iter().any(|call| pending.result_of(&call.id).is_none() && !waits(&call.id))
}

fn cancel(session: &mut Session, registry: &Registry, unsent: Vec<String>) {
    for id in unsent {
        let result = ToolResult::error("cancelled by the user before it began");
        let _ = session.finish_handed_out(registry, &id, result);
    }
    session.skip_calls("cancelled by the user");
}

fn decide(session: &mut Session, decision: Decision) {
    // An error means that the call has its result already: a message or a cancellation came first.
    let _ = match decision {
        Decision::Approve { id } => session.approve(&id),
        Decision::ApproveWith { id, arguments } => session.approve_with(&id, arguments),
        Decision::Deny { id, reason } => session.deny(&id, reason),
        Decision::ProvideResult { id, result } => session.provide_result(&id, result),
    };
}

fn into_step_error(error: RunError<BoxError>) -> StepError {
    match error {
        RunError::Client(error) if error.is::<PermanentError>() => StepError::permanent(error.to_string()),
        RunError::Client(error) => StepError::new(error.to_string()),
        error => StepError::new(error.to_string()),
    }
}
