//! One step of a session: its inputs, at most one request, its reply, and the decisions of the registry about the calls.

use super::calls::too_large;
use super::status::Input;
use super::{Agent, BoxError};
use crate::protocol::{CONFLICT, Decision, Report, SessionEnd, TOO_LARGE, json_bytes};
use restate_sdk::prelude::{HandlerError, TerminalError};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use tool_runtime::dispatch::ToolResult;
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
    pub(super) session_bytes: usize,
    pub(super) report: Report,
    /// The inputs that the step has not taken.
    pub(super) inputs: Vec<Input>,
    /// Whether another step follows at once.
    pub(super) continues: bool,
}

/// Runs one step. Its result depends on the tools, the hooks and the model of this process, so the engine records it as a whole.
pub(super) async fn run(
    agent: &Agent,
    session_id: &str,
    session: Option<Session>,
    inputs: Vec<Input>,
) -> Result<Stepped, HandlerError> {
    let registry = agent.registry(session_id);
    let mut session = session.unwrap_or_else(|| (agent.first)());
    let max_bytes = agent.limits.max_session_bytes;
    let inputs = limit_results(&session, inputs, max_bytes);
    let (runs, inputs) = apply(&mut session, &registry, inputs.into());
    let end = if runs {
        SessionEnd::Run(
            agent.run.run(agent, session_id, &mut session, &registry).await.map_err(into_handler_error)?,
        )
    } else {
        SessionEnd::Cancelled
    };
    let has_calls = !session.handed_out().is_empty();
    let continues =
        runs && (end == SessionEnd::Run(RunEnd::RequestLimit) || (!inputs.is_empty() && !has_calls));
    let report = Report::new(&session, end);
    let session_bytes = json_bytes(&session);
    if session_bytes > max_bytes {
        return Err(
            TerminalError::new_with_code(TOO_LARGE, session_too_large(session_bytes, max_bytes)).into()
        );
    }
    Ok(Stepped { session, session_bytes, report, inputs, continues })
}

/// The error of a session that is too large for the engine.
pub(super) fn session_too_large(bytes: usize, max_bytes: usize) -> String {
    format!(
        "the session would have {bytes} bytes, and may have at most {max_bytes}: compact it, or store long contents elsewhere"
    )
}

/// Replaces results that would make the session too large.
fn limit_results(session: &Session, mut inputs: Vec<Input>, max_bytes: usize) -> Vec<Input> {
    let mut free = max_bytes.saturating_sub(json_bytes(session));
    for input in &mut inputs {
        let Input::End { end, .. } = input else { continue };
        let bytes = json_bytes(end);
        if bytes > free {
            *end = too_large(bytes, free);
        } else {
            free -= bytes;
        }
    }
    inputs
}

/// Applies the ends of calls, and then the decisions; or, if there are none and no call runs, the messages. Returns whether the
/// session runs, and the remaining inputs.
fn apply(session: &mut Session, registry: &Registry, mut inputs: VecDeque<Input>) -> (bool, Vec<Input>) {
    let mut rest = VecDeque::new();
    let (mut is_cancelled, mut has_decided) = (false, false);
    while let Some(input) = inputs.pop_front() {
        match input {
            // The session may have ended the call otherwise, for example by a message.
            Input::End { id, end } => drop(session.finish_handed_out(registry, &id, end)),
            Input::Cancel { unsent } => {
                for id in unsent {
                    let result = ToolResult::error("cancelled by the user before it began");
                    drop(session.finish_handed_out(registry, &id, result));
                }
                session.skip_calls("cancelled by the user");
                is_cancelled = true;
            }
            other => rest.push_back(other),
        }
    }
    // The order of messages and decisions stays.
    while let Some(Input::Decision(_)) = rest.front() {
        let Some(Input::Decision(decision)) = rest.pop_front() else { break };
        decide(session, decision);
        has_decided = true;
    }
    if is_cancelled || (!has_decided && session.handed_out().is_empty()) {
        while let Some(Input::Message(_)) = rest.front() {
            let Some(Input::Message(message)) = rest.pop_front() else { break };
            message.push(session);
        }
    }
    (!is_cancelled, rest.into())
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

fn into_handler_error(error: RunError<BoxError>) -> HandlerError {
    match error {
        RunError::Client(error) if error.is::<PermanentError>() => {
            TerminalError::new_with_code(CONFLICT, error.to_string()).into()
        }
        RunError::Client(error) => HandlerError::from(error),
        error => HandlerError::from(error.to_string()),
    }
}
