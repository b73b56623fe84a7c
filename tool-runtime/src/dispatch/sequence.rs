//! The sequence of one call, from its look-up to its end.
//!
//! A step runs once for each call. One that belongs to each run of middleware is also in `run_tool` (`dispatch/middleware.rs`). A guard
//! that a step returns is dropped after the run.

use super::prepare::PreparedTool;
use super::{Ended, EndedCall};
use crate::call_span::CallSpan;
use crate::context::CallEvents;
use crate::outcome::CallError;
use crate::output::ToolOutput;
use crate::panics::CatchPanic;
use crate::registry::Registry;
use crate::tool::{Call, IncomingCall};
use futures_util::future::BoxFuture;
use std::borrow::Cow;
use std::sync::Arc;

/// The events of a call, which end at its end or when its future is dropped.
struct OpenEvents(Arc<CallEvents>);

impl Drop for OpenEvents {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Registry {
    /// Runs one call to its end, and lets later ones begin.
    pub(crate) async fn run_call(&self, call: &IncomingCall<'_>) -> EndedCall {
        let ended = self.run_to_end(call).await;
        if let Some(release) = ended.release(call.batch, call.position) {
            release.complete().await;
        }
        ended
    }

    /// Runs one call to its end. If it is a call of `call_tool`, the call in its arguments runs. Its caller stores the end before
    /// it awaits the `Release`, since its future may be dropped there.
    pub(crate) async fn run_to_end(&self, outer: &IncomingCall<'_>) -> EndedCall {
        let contained = self.contained_call(outer.call);
        let incoming = &outer.or_contained(&contained);
        let span = CallSpan::new(self, incoming.call);
        let found = self.look_up(incoming);
        let tool = match &found {
            Ok(tool) => tool.name.clone(),
            Err(_) => Cow::Owned(incoming.call.name.clone()),
        };
        let context = incoming.batch.context;
        let events = context.and_then(|context| CallEvents::new(context, &incoming.call.id, &tool));
        let open_events = events.clone().map(OpenEvents);
        let result = match found {
            Ok(tool) => {
                let call = Call::new(tool, incoming, events.as_ref());
                span.instrument(self.prepare_and_run(&call)).await
            }
            Err(failure) => Err(Ended::rejected(self, incoming, failure)),
        };
        let mut ended = EndedCall::new(incoming, tool, result);
        if let Some(events) = events {
            span.in_scope(|| ended.send(events, incoming));
        }
        drop(open_events);
        ended.record_in(&span, self);
        ended
    }

    /// Validates the arguments and runs the tool: at once, or after the steps that concern the call.
    async fn prepare_and_run(&self, call: &Call<'_>) -> Result<ToolOutput, Ended> {
        let rejected = |error: Box<CallError>| Ended::rejected(self, call.incoming, error.into());
        match self.prepare(call).map_err(rejected)? {
            Some(tool) if call.is_direct() => Ok(call.complete(tool).await?),
            tool => {
                let ended = CatchPanic::new(self.pass_steps(call, tool)).await;
                ended.unwrap_or_else(|source| Err(call.panicked(source).into()))
            }
        }
    }

    /// The steps between the validation and the run. They rely on their order: a call that waits for a decision or for an
    /// earlier call holds no permit, and a call that waits for a permit does not count. A step does nothing for a call that
    /// does not need it. A call that needs a step must not be direct.
    ///
    /// Boxed, since a reply has a future of the direct way for each call.
    fn pass_steps<'a>(
        &'a self,
        call: &'a Call<'a>,
        tool: Option<PreparedTool<'a>>,
    ) -> BoxFuture<'a, Result<ToolOutput, Ended>> {
        Box::pin(call.until_cancelled(async move {
            call.check_cancellation()?;
            call.check_runtime()?;
            let tool = self.decide(call, tool).await?;
            call.wait_for_turn().await?;
            let running = async {
                let counted = call.count()?;
                call.send_start().await?;
                let result = match call.hand_out() {
                    Some(handed_out) => Err(handed_out),
                    None => self.run_with_middleware(call, tool).await.map_err(Ended::from),
                };
                counted.keep();
                result
            };
            self.run_in_queue(call, running).await
        }))
    }
}
