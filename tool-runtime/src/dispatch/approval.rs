//! Approval of one call.

use super::run::Place;
use super::work::{Approval, Work};
use crate::approval::{Decision, ProposedCall};
use crate::context::{BatchContext, Progress};
use crate::message::{ToolCall, means_none};
use crate::outcome::CallError;
use crate::output::ToolOutput;
use crate::panics::{self, CatchPanic};
use crate::registry::Registry;
use serde_json::value::RawValue;
use std::ops::ControlFlow;

impl Registry {
    /// `Continue` if the tool may run; `Break` with the result of the hook.
    pub(super) async fn approve(&self, work: &Work<'_>) -> Result<ControlFlow<ToolOutput>, CallError> {
        if work.approval == Approval::ByHand {
            return Ok(ControlFlow::Continue(()));
        }
        let tool = work.tool;
        match self.decide(work).await? {
            Decision::Undecided
                if tool.options.policy.requires_approval && work.approval != Approval::Given =>
            {
                Err(CallError::NeedsApproval { tool: tool.name.to_string() })
            }
            Decision::Run | Decision::Undecided => Ok(ControlFlow::Continue(())),
            Decision::Deny(reason) => Err(CallError::Denied { tool: tool.name.to_string(), reason }),
            Decision::Respond(output) => Ok(ControlFlow::Break(output)),
        }
    }

    /// The proposed call of a tool that requires approval, with coerced arguments; `None` if it requires none, or if it
    /// would fail anyway.
    pub(crate) fn awaiting_approval(
        &self,
        index: usize,
        call: &ToolCall,
        batch: &BatchContext,
    ) -> Option<ProposedCall> {
        let tool = self.entry(&call.name).filter(|tool| tool.options.policy.requires_approval)?;
        if call.is_truncated || self.exceeded_by(index).is_some() {
            return None;
        }
        let (place, progress) = (Place::default(), Progress::default());
        let work = Work::new(tool, &call.id, &call.arguments, batch, &progress);
        match panics::catch_panic(|| self.begin_as_meant(&work, &place)) {
            Ok(Ok((work, started))) => {
                drop(started);
                self.proposed(&work).ok()
            }
            // The batch may provide the missing state later. The arguments are validated then.
            Ok(Err(error)) if matches!(*error, CallError::Unavailable { .. }) => {
                let mended = tool.coerce(work.arguments, self.coercion_options(tool));
                let arguments = mended.as_ref().map_or(work.arguments, |mended| &mended.arguments);
                self.proposed(&Work { arguments, ..work }).ok()
            }
            Ok(Err(_)) | Err(_) => None,
        }
    }

    fn proposed(&self, work: &Work<'_>) -> Result<ProposedCall, serde_json::Error> {
        let arguments = if means_none(work.arguments) { "{}" } else { work.arguments };
        let arguments = RawValue::from_string(arguments.to_owned())?;
        let options = &work.tool.options;
        let proposed = ProposedCall::new(self.scope(work).context(), arguments)
            .with_annotations(options.annotations)
            .with_policy(options.policy);
        Ok(proposed.with_approved(work.approval == Approval::Given))
    }

    /// The decision of the hook, within its time limit.
    async fn decide(&self, work: &Work<'_>) -> Result<Decision, CallError> {
        let Some(hook) = self.before_call_hook() else { return Ok(Decision::Undecided) };
        let tool = work.tool;
        let name = || tool.name.to_string();
        let not_json = |source: serde_json::Error| CallError::NotJson {
            tool: name(),
            is_truncated: source.is_eof(),
            source,
        };
        let proposed = self.proposed(work).map_err(not_json)?;
        let late = |allowed| CallError::HookTimedOut { tool: name(), allowed };
        let allowed = self.limits().approval_timeout.or(tool.options.policy.timeout);
        let decision = async { CatchPanic::new(panics::catch_panic(|| hook.decide(proposed))?).await };
        let decision = tool.in_time(allowed, decision, late).await?;
        decision.map_err(|source| CallError::HookPanicked { tool: name(), source })
    }
}
