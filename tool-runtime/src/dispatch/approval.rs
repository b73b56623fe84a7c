//! Approval of one call.

use super::coercion::CoercedArgs;
use crate::approval::{Decision, ProposedCall};
use crate::context::{CallRecord, CallStatus};
use crate::message::ToolCall;
use crate::outcome::CallError;
use crate::output::ToolOutput;
use crate::panics::{CatchPanic, catch_panic};
use crate::registry::Registry;
use crate::tool::{Approval, Batch, Call};
use serde_json::value::RawValue;
use std::ops::ControlFlow;

impl Registry {
    /// `Continue` if the tool may run; `Break` with the output of the hook.
    pub(super) async fn approve(&self, call: &Call<'_>) -> Result<ControlFlow<ToolOutput>, CallError> {
        if call.approval == Approval::Bypassed {
            return Ok(ControlFlow::Continue(()));
        }
        let tool = || call.tool.name.to_string();
        match self.decide(call).await? {
            Decision::Undecided
                if call.tool.options.policy.requires_approval && call.approval != Approval::Granted =>
            {
                call.send_event(|| CallStatus::NeedsApproval { arguments: call.object().to_owned() });
                Err(CallError::NeedsApproval { tool: tool() })
            }
            Decision::Run | Decision::Undecided => Ok(ControlFlow::Continue(())),
            Decision::Deny(reason) => Err(CallError::Denied { tool: tool(), reason }),
            Decision::Respond(output) => Ok(ControlFlow::Break(output)),
        }
    }

    /// The proposed call of a tool that requires approval, with coerced arguments; `None` if it requires none, or if it
    /// would fail anyway.
    pub(crate) fn awaiting_approval(
        &self,
        batch: &Batch<'_>,
        position: usize,
        call: &ToolCall,
    ) -> Option<ProposedCall> {
        let own = self.own_call(call);
        let call = own.as_ref().unwrap_or(call);
        let inner = self.inner_call(call);
        let call = inner.or(call);
        let tool = self.tool_to_run(batch, position, call).ok()?;
        let has_reached =
            |limit: usize| batch.context.is_some_and(|context| context.has_reached(&tool.name, limit));
        let policy = &tool.options.policy;
        if !policy.requires_approval || policy.max_calls.is_some_and(has_reached) {
            return None;
        }
        self.proposed_call(batch, position, call)
    }

    /// The arguments that the tool of a call receives, as the text of one JSON object; those of the model if they are
    /// invalid.
    #[cold]
    pub(crate) fn object_to_run(&self, batch: &Batch<'_>, position: usize, call: &ToolCall) -> String {
        let inner = self.inner_call(call);
        let call = inner.or(call);
        let proposed = self.proposed_call(batch, position, call);
        proposed.map_or_else(|| call.arguments.clone(), |proposed| proposed.arguments().get().to_owned())
    }

    /// The proposed call, with coerced arguments; `None` if it would fail.
    fn proposed_call(&self, batch: &Batch<'_>, position: usize, call: &ToolCall) -> Option<ProposedCall> {
        let tool = self.tool_to_run(batch, position, call).ok()?;
        let record = CallRecord::default();
        let call = Call {
            tool,
            id: &call.id,
            arguments: &call.arguments,
            batch,
            position,
            approval: Approval::None,
            record: &record,
            all_runs: None,
            events: None,
        };
        let coerced = match self.arguments_to_start(&call) {
            Ok(coerced) => coerced.map(|CoercedArgs { arguments, .. }| arguments),
            // The batch may provide the missing state later. The arguments are validated then.
            Err(error) if matches!(*error, CallError::Unavailable { .. }) => {
                let coerced = tool.coerce(call.arguments, self.coercion_options(tool));
                coerced.map(|coerced| coerced.arguments)
            }
            Err(_) => return None,
        };
        let arguments = coerced.as_deref().unwrap_or(call.arguments);
        Call { arguments, ..call }.proposed().ok()
    }

    /// The decision of the hook, within its time limit.
    async fn decide(&self, call: &Call<'_>) -> Result<Decision, CallError> {
        let Some(hook) = self.before_call_hook() else { return Ok(Decision::Undecided) };
        let tool = || call.tool.name.to_string();
        let not_json = |source: serde_json::Error| CallError::NotJson {
            tool: tool(),
            is_truncated: source.is_eof(),
            source,
        };
        let proposed = call.proposed().map_err(not_json)?;
        let late = |allowed| CallError::HookTimedOut { tool: tool(), allowed };
        let limit = self.limits().approval_timeout.or(call.tool.timeout);
        let decision = async { CatchPanic::new(catch_panic(|| hook.decide(proposed))?).await };
        let decision = call.with_timeout(limit, decision, late).await?;
        decision.map_err(|source| CallError::HookPanicked { tool: tool(), source })
    }
}

impl Call<'_> {
    fn proposed(&self) -> Result<ProposedCall, serde_json::Error> {
        let arguments = RawValue::from_string(self.object().to_owned())?;
        // The call has not started, and reports no progress.
        let context = Call { events: None, ..*self }.context();
        let proposed = ProposedCall::new(context, arguments)
            .with_annotations(self.tool.options.annotations)
            .with_policy(self.tool.policy());
        Ok(proposed.with_approved(self.approval == Approval::Granted))
    }
}
