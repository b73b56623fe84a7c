//! The decision whether a call runs: of the `before_call` hook, and of a person.

use super::Ended;
use crate::approval::{Decision, ProposedCall};
use crate::outcome::CallError;
use crate::output::ToolResult;
use crate::panics::{CatchPanic, catch_panic};
use crate::registry::Registry;
use crate::tool::{Approval, Call, IncomingCall};
use serde_json::value::RawValue;

impl Registry {
    /// Ends the call unless its tool may run.
    pub(super) async fn decide(&self, call: &Call<'_>) -> Result<(), Ended> {
        if call.incoming.approval == Approval::Bypassed {
            return Ok(());
        }
        let needs_approval =
            call.tool.options.policy.requires_approval && !call.incoming.approval.is_granted();
        match self.decision_of_hook(call).await? {
            Decision::Undecided if needs_approval => {
                // No person is asked about a call that cannot run.
                call.check_limit()?;
                Err(Ended::NeedsApproval { arguments: call.incoming.object().to_owned(), error: None })
            }
            Decision::Run | Decision::Undecided => Ok(()),
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
        let proposed = call.proposed()?;
        let late = |allowed| CallError::HookTimedOut { tool: tool(), allowed };
        let limit = self.limits().approval_timeout.or(call.tool.timeout);
        let decision = async { CatchPanic::new(catch_panic(|| hook.decide(proposed))?).await };
        let decision = call.with_timeout(limit, decision, late).await?;
        decision.map_err(|source| CallError::HookPanicked { tool: tool(), source })
    }

    /// The proposed call of a tool that requires approval, with coerced arguments; `None` if it requires none, or if it
    /// would fail anyway.
    pub(crate) fn awaiting_approval(&self, incoming: &IncomingCall<'_>) -> Option<ProposedCall> {
        let own = self.own_call(incoming.call);
        let call = own.as_ref().unwrap_or(incoming.call);
        let inner = self.inner_call(call);
        let incoming = &IncomingCall { call, ..*incoming }.or_inner(&inner);
        let tool = self.look_up(incoming).ok()?;
        let call = Call::new(tool, incoming, None);
        if !tool.options.policy.requires_approval || call.check_limit().is_err() {
            return None;
        }
        match self.prepare(&call) {
            Ok(_) => {}
            // The run context may provide the missing state later. The arguments are validated then.
            Err(error) if matches!(*error, CallError::Unavailable { .. }) => {
                if let Some(coerced) = tool.coerce(incoming.arguments(), self.coercion_options(incoming.call))
                {
                    call.incoming.record.set_coerced(coerced.arguments);
                }
            }
            Err(_) => return None,
        }
        call.proposed().ok()
    }
}

impl Call<'_> {
    fn proposed(&self) -> Result<ProposedCall, CallError> {
        let arguments = RawValue::from_string(self.incoming.object().to_owned());
        let tool = || self.tool.name.to_string();
        let arguments =
            arguments.map_err(|source| CallError::NotJson { tool: tool(), is_truncated: false, source })?;
        // The call has not started, and reports no progress.
        let context = Call { events: None, ..*self }.context();
        let proposed = ProposedCall::new(context, arguments)
            .with_annotations(self.tool.options.annotations)
            .with_policy(self.tool.policy());
        Ok(proposed.with_approved(self.incoming.approval.is_granted()))
    }
}
