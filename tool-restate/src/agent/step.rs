//! One step of a session: its inputs, at most one request, its reply, and the decisions of the registry about the calls.

use super::Agent;
use super::apply::{Applied, apply, limit_results};
use super::input::{Input, Selected};
use super::status::{UnsentCall, session_too_large};
use super::step_error::{Failure, StepError};
use crate::protocol::{Report, SessionEnd, json_bytes};
use futures_util::FutureExt as _;
use serde::{Deserialize, Serialize};
use std::panic::AssertUnwindSafe;
use tool_runtime::dispatch::HandedOutCall;
use tool_runtime::session::RunEnd;
use tool_runtime::{Registry, Session};

/// The recorded outcome of an attempt to run a step.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    Stepped(Box<Stepped>),
    Failed(StepError),
    /// An earlier attempt of the invocation may still run. Another invocation runs the step.
    GivenUp,
}

/// The result of a step.
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

/// A step before it runs.
pub(super) struct Step {
    pub(super) session_id: String,
    pub(super) session: Option<Session>,
    pub(super) inputs: Vec<(u64, Input)>,
    pub(super) selected: Selected,
}

impl Step {
    /// Runs the step. Its outcome depends on the tools, the hooks and the model of this process, so the engine records it as a whole.
    pub(super) async fn run(self, agent: &Agent) -> Outcome {
        let failure = match AssertUnwindSafe(self.try_run(agent)).catch_unwind().await {
            Ok(Ok(stepped)) => return Outcome::Stepped(Box::new(stepped)),
            Ok(Err(failure)) => failure,
            Err(panic) => Failure::from_panic(&*panic),
        };
        Outcome::Failed(failure.into_step_error(agent.limits.retry_requests_for))
    }

    async fn try_run(self, agent: &Agent) -> Result<Stepped, Failure> {
        let Step { session_id, session, mut inputs, selected } = self;
        let (registry, max_bytes) = (agent.registry(&session_id), agent.limits.max_session_bytes);
        let mut session = session.unwrap_or_else(|| (agent.first)());
        limit_results(&session, &mut inputs, max_bytes.saturating_sub(selected.message_bytes));
        let Applied { taken, runs } = apply(&mut session, &registry, inputs);
        let runs = runs && !selected.is_partial;
        let end = if runs {
            run_session(agent, &session_id, &mut session, &registry).await?
        } else {
            SessionEnd::Cancelled
        };
        let bytes = json_bytes(&session);
        // A cancellation is accepted at any size, and the next step checks the size after a partial one.
        if bytes > max_bytes && runs {
            return Err(Failure::permanent(session_too_large(bytes, max_bytes)));
        }
        let continues = selected.is_partial || end == SessionEnd::Run(RunEnd::RequestLimit);
        let unsent = |call: HandedOutCall| UnsentCall { service: agent.service(&call.tool).to_owned(), call };
        let handed_out = session.handed_out().into_iter().map(unsent).collect();
        let report = Report::new(&session, end);
        Ok(Stepped { session, bytes, max_bytes, taken, report, handed_out, continues })
    }
}

async fn run_session(
    agent: &Agent,
    session_id: &str,
    session: &mut Session,
    registry: &Registry,
) -> Result<SessionEnd, Failure> {
    match agent.run_step(session_id, session, registry).await? {
        // The token of the process: another process runs the step.
        RunEnd::Cancelled => Err(Failure::temporary("the worker stops")),
        end => Ok(SessionEnd::Run(end)),
    }
}
