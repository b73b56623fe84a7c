//! The sequence of one call, from its look-up to its end.

use super::start::Started;
use super::{Ended, EndedCall};
use crate::call_span::CallSpan;
use crate::context::CallEvents;
use crate::output::ToolOutput;
use crate::registry::Registry;
use crate::tool::{Call, IncomingCall};
use std::borrow::Cow;
use std::sync::Arc;

impl Registry {
    /// Runs one call to its end. If it is a call of `call_tool`, the call in its arguments runs.
    pub(crate) async fn run_call(&self, outer: IncomingCall<'_>) -> EndedCall {
        let inner = self.inner_call(outer.call);
        let batch = &outer.batch.for_inner(&inner);
        let incoming = &IncomingCall { batch, call: inner.or(outer.call), ..outer };
        let span = CallSpan::new(self, incoming.call);
        let mut ended = span.instrument(self.run_incoming(incoming)).await;
        ended.record_in(&span, self);
        ended.is_inner = inner.get().is_some();
        ended
    }

    /// Looks up the tool, runs the steps of the call, and reports its end.
    async fn run_incoming(&self, incoming: &IncomingCall<'_>) -> EndedCall {
        let events = self.events(incoming);
        let (tool, result) = match self.look_up(incoming) {
            Ok(tool) => {
                let call = Call::new(tool, incoming, events.as_ref());
                (tool.name.clone(), self.run_steps(&call).await)
            }
            Err(error) => (Cow::Owned(incoming.call.name.clone()), Err(error.into())),
        };
        let ended = self.end(incoming, result);
        let outcome = incoming.record.outcome(incoming.batch.elapsed());
        let ended = EndedCall::new(tool, ended, outcome);
        if let Some(events) = &events {
            ended.send(events).await;
        }
        ended
    }

    /// Validates the arguments and runs the tool: at once, or after the steps that concern the call.
    async fn run_steps(&self, call: &Call<'_>) -> Result<ToolOutput, Ended> {
        match self.start(call)? {
            Some(started) if call.is_direct() => Ok(call.complete(started).await?),
            // Boxed, since a batch has a future of this size for each call.
            started => Box::pin(call.until_cancelled(self.pass_steps(call, started))).await,
        }
    }

    /// The steps between the validation and the result. One that does not concern the call does nothing.
    async fn pass_steps(&self, call: &Call<'_>, started: Option<Started<'_>>) -> Result<ToolOutput, Ended> {
        call.check_cancellation()?;
        call.check_runtime()?;
        self.decide(call).await?;
        let _permits = self.wait_in_queue(call).await?;
        let counted = call.count()?;
        call.send_start().await?;
        let result = self.run_with_middleware(call, started).await;
        counted.keep();
        Ok(result?)
    }

    /// The events of a call; `None` without listeners.
    fn events(&self, incoming: &IncomingCall<'_>) -> Option<Arc<CallEvents>> {
        let call = incoming.call;
        let tool = self.tool(&call.name).map_or(&*call.name, |tool| &tool.name);
        CallEvents::new(incoming.batch.context?, &call.id, tool)
    }
}
