//! The decision whether a call runs: of the `before_call` hook, and of a person.

use super::Ended;
use super::prepare::PreparedTool;
use crate::approval::{Decision, ProposedCall};
use crate::outcome::CallError;
use crate::output::ToolResult;
use crate::panics::{CatchPanic, catch_panic};
use crate::registry::Registry;
use crate::tool::{Approval, Call};
use crate::tool_name::HOSTED_APPROVAL;

impl Registry {
    /// Ends the call unless its tool may run. Returns the tool, with the arguments of the hook if it has other ones.
    pub(super) async fn decide<'a>(
        &self,
        call: &'a Call<'a>,
        tool: Option<PreparedTool<'a>>,
    ) -> Result<Option<PreparedTool<'a>>, Ended> {
        if call.incoming.approval == Approval::Bypassed {
            return Ok(tool);
        }
        let is_approved = call.incoming.approval.is_granted();
        let requires_approval = call.tool.options.policy.requires_approval;
        // The provider asks a person, so a hook can deny the call, and cannot approve it.
        let asks_person = call.incoming.call.asks_approval() && !is_approved;
        match self.decision_of_hook(call).await? {
            decision if decision.asks(is_approved, requires_approval) || asks_person && decision.runs() => {
                // No person is asked about a call that cannot run.
                call.check_limit()?;
                Err(Ended::NeedsApproval { arguments: call.incoming.object().to_owned(), error: None })
            }
            Decision::Run | Decision::Undecided | Decision::Ask => Ok(tool),
            Decision::RunWith(_) if call.tool.name == HOSTED_APPROVAL => {
                let reason = "the provider runs it with the arguments of the model".to_owned();
                Err(CallError::Denied { tool: call.tool.name.to_string(), reason }.into())
            }
            Decision::RunWith(arguments) => Ok(self.prepare_with(call, arguments.to_string())?),
            Decision::Deny(reason) => {
                Err(CallError::Denied { tool: call.tool.name.to_string(), reason }.into())
            }
            Decision::Respond(output) => {
                call.incoming.record.set_response_of_hook();
                Err(Ended::Finished(ToolResult::ok(output).into_result()))
            }
        }
    }

    /// The decision of the hook, within its time limit.
    async fn decision_of_hook(&self, call: &Call<'_>) -> Result<Decision, CallError> {
        let Some(hook) = self.before_call_hook() else { return Ok(Decision::Undecided) };
        let tool = || call.tool.name.to_string();
        let proposed = call.proposed();
        let late = |allowed| CallError::HookTimedOut { tool: tool(), allowed };
        let limit = self.limits().approval_timeout.or(call.tool.timeout);
        let decision = async { CatchPanic::new(catch_panic(|| hook.decide(proposed))?).await };
        let decision = call.with_timeout(limit, decision, late).await?;
        decision.map_err(|source| CallError::HookPanicked { tool: tool(), source })
    }
}

impl Call<'_> {
    fn proposed(&self) -> ProposedCall {
        ProposedCall {
            // The call has not started, and reports no progress.
            context: Call { events: None, ..*self }.context(),
            annotations: self.tool.options.annotations,
            policy: self.tool.policy(),
            arguments: self.incoming.object().trim().to_owned(),
            is_approved: self.incoming.approval.is_granted(),
        }
    }
}
