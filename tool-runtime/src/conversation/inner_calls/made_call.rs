//! One call that a tool makes.

use super::InnerCallError;
use super::kept::{InnerPending, KeptCalls};
use crate::context::{CallContext, CallRecord, InnerRecord, LoggedInnerCall, Progress, RunContext};
use crate::conversation::pending::{CallState, CallsRun};
use crate::dispatch::arguments_text;
use crate::fingerprint::Fingerprint;
use crate::message::{ToolCall, inner_id, means_none};
use crate::outcome::CallError;
use crate::output::{ToolFailure, ToolResult};
use crate::registry::Registry;
use crate::tool::{Batch, Unfinished};
use serde::Serialize;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A call that a tool makes.
pub(super) struct MadeCall {
    context: CallContext,
    registry: Registry,
    call: ToolCall,
    position: usize,
    /// The reason why the call cannot run.
    failure: Option<ToolFailure>,
    kept: Option<Arc<KeptCalls>>,
    /// Whether later calls may begin.
    progress: Progress,
}

impl MadeCall {
    pub(super) fn new(
        context: CallContext,
        registry: Registry,
        tool: String,
        arguments: &impl Serialize,
    ) -> Self {
        let (arguments, failure) = match arguments_text(&tool, arguments) {
            Ok(arguments) if means_none(&arguments) => ("{}".to_owned(), None),
            Ok(arguments) => (arguments, None),
            Err(error) => (String::new(), Some(error.into())),
        };
        let mut call = ToolCall::new("", tool, arguments);
        let is_barrier = registry.is_barrier(&call);
        let position = context.inner_calls.push(is_barrier, |position| inner_id(context.id(), position));
        call.id = inner_id(context.id(), position);
        let kept = context.inner_calls.record().and_then(InnerRecord::kept);
        MadeCall { context, registry, call, position, failure, kept, progress: Progress::Ended }
    }

    /// Compares the call with that of an earlier run, and adds it if there is none.
    ///
    /// # Errors
    ///
    /// The call differs from the recorded one, or it must wait for a later run.
    pub(super) fn add(&mut self) -> Result<(), InnerCallError> {
        self.check()?;
        if let Some(record) = self.record() {
            record.count_made(self.position);
        }
        if self.kept_call().is_some() {
            return Ok(());
        }
        let is_allowed = self.registry.run_context().is_none_or(RunContext::count_inner_call);
        let Some(kept) = &self.kept else {
            if !is_allowed {
                let (tool, source) =
                    (self.call.name.clone(), "the run has reached its limit of calls".into());
                self.failure = Some(CallError::Unavailable { tool, source }.into());
            }
            return Ok(());
        };
        if let Some(inner) = kept.lock().as_mut().filter(|_| is_allowed) {
            inner.made.push(self.fingerprint());
            inner.calls.push(self.call.clone());
            return Ok(());
        }
        Err(self.waits())
    }

    /// # Errors
    ///
    /// This is not the call that an earlier run has made here, or an earlier call was not.
    fn check(&self) -> Result<(), InnerCallError> {
        let Some(record) = self.record() else { return Ok(()) };
        let recorded_tool = match (self.kept_call(), record.logged(self.position)) {
            _ if record.has_diverged() => None,
            (Some((made, _)), _) if made == self.fingerprint() => return Ok(()),
            (Some((_, tool)), _) => Some(tool),
            (None, Some(logged)) if !self.is_logged(logged) => Some(logged.tool.clone()),
            _ => return Ok(()),
        };
        record.set_diverged();
        let (number, tool) = (self.position, self.call.name.clone());
        Err(InnerCallError::Diverged { number, recorded_tool, tool })
    }

    /// Whether the log has recorded this call.
    fn is_logged(&self, logged: &LoggedInnerCall) -> bool {
        let contained = self.registry.contained_call(&self.call);
        let call = contained.or(&self.call);
        let coerced = || self.registry.coerced_arguments(call);
        let has_arguments = |arguments: String| logged.has_arguments(&arguments);
        logged.tool == call.name
            && (logged.has_arguments(&call.arguments) || coerced().is_some_and(has_arguments))
    }

    fn record(&self) -> Option<&InnerRecord> {
        self.context.inner_calls.record()
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::new(&[&self.call.name, &self.call.arguments])
    }

    /// The call that an earlier run has made here, and the name of its tool.
    fn kept_call(&self) -> Option<(Fingerprint, String)> {
        let kept = self.kept.as_ref()?.lock();
        let InnerPending { made, calls } = kept.as_ref()?;
        Some((*made.get(self.position)?, calls.calls().get(self.position)?.name.clone()))
    }

    /// Runs the call, unless it has its result.
    pub(super) async fn run(&mut self) -> Result<ToolResult, InnerCallError> {
        if let Some(failure) = self.failure.take() {
            return Ok(failure.into());
        }
        // With `finish_effects`, the tool itself continues for a while.
        let is_cancelled = self.context.run.token().is_some_and(CancellationToken::is_cancelled);
        let running = if is_cancelled { None } else { RunningCall::start(self) };
        let Some(mut running) = running else { return Err(self.waits()) };
        if let Some(logged) = self.record().and_then(|record| record.logged(self.position)) {
            running.follow_log(logged);
        }
        if running.state.result().is_none() {
            let unfinished = self.kept.as_ref().map_or(Unfinished::Fail, |kept| kept.unfinished);
            let order = Some(self.context.inner_calls.order());
            let batch = Batch { order, unfinished, ..self.registry.new_batch(0) };
            let run = CallsRun { registry: &self.registry, batch: &batch, repeated: None };
            let record = CallRecord::default();
            running.state.prepare(&self.registry, &mut running.call);
            if self.kept.is_some() && self.registry.is_resumable(&running.call) {
                record.set_inner_calls(running.state.start_inner_calls(unfinished));
            }
            run.run_call(self.position, &mut running.call, &mut running.state, record).await;
        }
        match running.state.result() {
            Some(message) => Ok(message.clone().into()),
            None => Err(self.waits()),
        }
    }

    /// The call waits, and so does the call of the tool.
    fn waits(&mut self) -> InnerCallError {
        self.progress = Progress::Waits;
        if let Some(record) = self.record() {
            record.set_waits_for(&self.call.id);
        }
        InnerCallError::Waits { id: self.call.id.clone() }
    }
}

impl Drop for MadeCall {
    fn drop(&mut self) {
        self.context.inner_calls.order().end(self.position, self.progress);
    }
}

/// A call that runs. When it is dropped, its state is kept.
struct RunningCall {
    call: ToolCall,
    state: CallState,
    position: usize,
    kept: Option<Arc<KeptCalls>>,
}

impl RunningCall {
    /// The call as an earlier run has left it. `None` if the call of the tool has ended.
    fn start(made: &MadeCall) -> Option<Self> {
        let (position, kept) = (made.position, made.kept.clone());
        let (call, state) = match &kept {
            Some(kept) => kept.lock().as_mut()?.calls.start(position)?,
            None => (made.call.clone(), CallState::default()),
        };
        Some(RunningCall { call, state, position, kept })
    }

    /// Continues a call that the log has recorded, with its arguments there: a session that was stored before may have another
    /// decision about it, or none.
    fn follow_log(&mut self, logged: &LoggedInnerCall) {
        if self.state.may_follow_log() {
            self.call.set_arguments(logged.arguments.clone());
            self.state = CallState::default();
            self.state.approve(&self.call);
        }
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        let Some(kept) = &self.kept else { return };
        if let Some(inner) = kept.lock().as_mut() {
            inner.calls.put_back(self.position, &mut self.call, &mut self.state);
        }
    }
}
