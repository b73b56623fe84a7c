//! Whether a call may run.

use super::panics::{self, Held};
use super::work::Work;
use crate::approval::{Decision, ProposedCall};
use crate::messages::means_none;
use crate::outcome::CallError;
use crate::output::ToolOutput;
use crate::registry::{Entry, Registry};
use serde_json::value::RawValue;
use std::ops::ControlFlow;
use tokio::time::Instant;

impl Registry {
    /// Goes on if the tool may run, and not where there is an answer in its place.
    pub(super) async fn approve(
        &self,
        tool: &Entry,
        work: &Work<'_>,
    ) -> Result<ControlFlow<ToolOutput>, CallError> {
        if work.is_by_hand {
            return Ok(ControlFlow::Continue(()));
        }
        match self.decide(tool, work).await? {
            Decision::Undecided if tool.options.hints.requires_approval => {
                Err(CallError::NeedsApproval { tool: tool.name.to_string() })
            }
            Decision::Run | Decision::Undecided => Ok(ControlFlow::Continue(())),
            Decision::Deny(reason) => Err(CallError::Denied { tool: tool.name.to_string(), reason }),
            Decision::Answer(output) => Ok(ControlFlow::Break(output)),
        }
    }

    /// What the hook says, in its time.
    async fn decide(&self, tool: &Entry, work: &Work<'_>) -> Result<Decision, CallError> {
        let Some(hook) = self.before_call_hook() else { return Ok(Decision::Undecided) };
        let name = || tool.name.to_string();
        let arguments = if means_none(work.arguments) { "{}" } else { work.arguments };
        let arguments = RawValue::from_string(arguments.to_owned())
            .map_err(|source| CallError::NotJson { tool: name(), source })?;
        let proposed = ProposedCall::new(self.scope(tool, work).context(), tool.options.hints, arguments);
        let late = |allowed| CallError::HookTimedOut { tool: name(), allowed };
        let allowed = self.limits().approval_timeout.or(tool.options.hints.timeout);
        let begun = Instant::now();
        let deciding = panics::caught(async { Held::new(hook.decide(proposed)).await });
        match (tool.in_time(allowed, deciding, late).await?, allowed) {
            // A hook that does not wait cannot be interrupted, and is too late all the same.
            (Ok(_), Some(allowed)) if begun.elapsed() > allowed => Err(late(allowed)),
            (decided, _) => decided.map_err(|source| CallError::HookPanicked { tool: name(), source }),
        }
    }
}
