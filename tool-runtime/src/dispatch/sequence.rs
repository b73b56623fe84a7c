//! The sequence of one call, from its look-up to its end.

use super::start::Started;
use super::{Ended, EndedCall};
use crate::call_span::CallSpan;
use crate::context::CallEvents;
use crate::output::ToolOutput;
use crate::registry::Registry;
use crate::tool::{Call, IncomingCall};
use std::borrow::Cow;

impl Registry {
    /// Runs one call to its end. If it is a call of `call_tool`, the call in its arguments runs.
    pub(crate) async fn run_call(&self, outer: &IncomingCall<'_>) -> EndedCall {
        let inner = self.inner_call(outer.call);
        let incoming = &outer.or_inner(&inner);
        let span = CallSpan::new(self, incoming.call);
        let found = self.look_up(incoming);
        let tool = match &found {
            Ok(tool) => tool.name.clone(),
            Err(_) => Cow::Owned(incoming.call.name.clone()),
        };
        let context = incoming.batch.context;
        let events = context.and_then(|context| CallEvents::new(context, &incoming.call.id, &tool));
        let result = match found {
            Ok(tool) => {
                let call = Call::new(tool, incoming, events.as_ref());
                span.instrument(self.run_steps(&call)).await
            }
            Err(error) => Err(error.into()),
        };
        let ended = EndedCall::new(self, incoming, tool, result);
        if let Some(events) = &events {
            span.instrument(ended.send(events)).await;
        }
        ended.record_in(&span, self);
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
}
