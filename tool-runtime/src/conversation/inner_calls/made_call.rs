//! One call that a tool makes.

use super::InnerCallError;
use super::kept::{InnerPending, KeptCalls};
use crate::context::{
    CallContext, CallRecord, InnerRecord, LoggedInnerCall, Progress, Question, RunContext, UserAnswer,
};
use crate::conversation::pending::{CallState, CallsRun};
use crate::dispatch::{arguments_text, unless_cancelled};
use crate::fingerprint::Fingerprint;
use crate::message::{ToolCall, inner_id, means_none};
use crate::outcome::CallError;
use crate::output::{ToolFailure, ToolResult};
use crate::registry::Registry;
use crate::tool::{Batch, Unfinished};
use crate::tool_name::QUESTION;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Why nobody can be asked.
const NOBODY_ANSWERS: &str =
    "the tool is not `resumable` in a session, and the run context has no `on_question`";

/// A call that a tool makes, or a question that it asks.
pub(in crate::conversation) struct MadeCall {
    context: CallContext,
    /// `None` for a question.
    registry: Option<Registry>,
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
        let call = ToolCall::new("", tool, arguments);
        let is_barrier = registry.is_barrier(&call);
        let mut made = MadeCall::numbered(context, call, is_barrier);
        (made.registry, made.failure) = (Some(registry), failure);
        made
    }

    /// A question with this text and this schema.
    pub(in crate::conversation) fn question(context: CallContext, text: String, schema: Value) -> Self {
        let question =
            Question { id: String::new(), call: String::new(), tool: context.tool.clone(), text, schema };
        // It has only strings and a JSON value.
        let arguments = serde_json::to_string(&question).unwrap_or_default();
        MadeCall::numbered(context, ToolCall::new("", QUESTION, arguments), false)
    }

    fn numbered(context: CallContext, mut call: ToolCall, is_barrier: bool) -> Self {
        let position = context.inner_calls.push(is_barrier, |position| inner_id(context.id(), position));
        call.id = inner_id(context.id(), position);
        let kept = context.inner_calls.record().and_then(InnerRecord::kept);
        MadeCall { context, registry: None, call, position, failure: None, kept, progress: Progress::Ended }
    }

    /// Compares the call with that of an earlier run, and adds it if there is none.
    ///
    /// # Errors
    ///
    /// The call differs from the recorded one, or it must wait for a later run.
    pub(in crate::conversation) fn add(&mut self) -> Result<(), InnerCallError> {
        self.check()?;
        if let Some(record) = self.record() {
            record.count_made(self.position);
        }
        if self.kept_call().is_some() {
            return Ok(());
        }
        let context = self.registry.as_ref().and_then(Registry::run_context);
        let is_allowed = context.is_none_or(RunContext::count_inner_call);
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
        let Some(registry) = &self.registry else { return false };
        let contained = registry.contained_call(&self.call);
        let call = contained.or(&self.call);
        let coerced = || registry.coerced_arguments(call);
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
        let mut running = self.start()?;
        if let Some(logged) = self.record().and_then(|record| record.logged(self.position)) {
            running.follow_log(logged);
        }
        if let (None, Some(registry)) = (running.state.result(), &self.registry) {
            let unfinished = self.kept.as_ref().map_or(Unfinished::Fail, |kept| kept.unfinished);
            let order = Some(self.context.inner_calls.order());
            let batch = Batch { order, unfinished, ..registry.new_batch(0) };
            let run = CallsRun { registry, batch: &batch, repeated: None };
            let record = CallRecord::default();
            running.state.prepare(registry, &mut running.call);
            if self.kept.is_some() && registry.is_resumable(&running.call) {
                record.set_inner_calls(running.state.start_inner_calls(unfinished));
            }
            run.run_call(self.position, &mut running.call, &mut running.state, record).await;
        }
        match running.state.result() {
            Some(message) => Ok(message.clone().into()),
            None => Err(self.waits()),
        }
    }

    /// Asks the user, unless an earlier run has the answer.
    pub(in crate::conversation) async fn ask(&mut self) -> Result<UserAnswer, InnerCallError> {
        let cannot_ask = |reason: String| InnerCallError::CannotAsk { reason };
        let mut running = self.start()?;
        if let Some(answer) = running.state.result() {
            return serde_json::from_str(answer.text()).map_err(|error| cannot_ask(error.to_string()));
        }
        let (id, outer_call) = (self.call.id.clone(), self.context.id().to_owned());
        let question = Question::read(id, outer_call, &self.call.arguments).ok_or_else(|| {
            cannot_ask("the schema of the answer is too large: it is nested too deeply".to_owned())
        })?;
        question.validator().map_err(cannot_ask)?;
        let asked = unless_cancelled(self.context.run.token(), self.context.ask_here(&question));
        let asked = unless_cancelled(Some(&self.context.cancellation), asked).await;
        let Some(answer) = asked.flatten() else {
            let is_kept = self.kept.is_some();
            return Err(if is_kept { self.waits() } else { cannot_ask("the call was cancelled".to_owned()) });
        };
        match answer {
            None if self.kept.as_ref().is_some_and(|kept| kept.unfinished == Unfinished::Keep) => {
                running.state = CallState::waiting_for_result(None, None, None);
                Err(self.waits())
            }
            None => Err(cannot_ask(NOBODY_ANSWERS.to_owned())),
            Some(answer) => {
                let answer =
                    answer.and_then(|answer| question.check(&answer).map(|()| answer)).map_err(cannot_ask)?;
                running.state = CallState::answered(&self.call, &answer);
                Ok(answer)
            }
        }
    }

    /// Starts the call, as an earlier run has left it.
    fn start(&mut self) -> Result<RunningCall, InnerCallError> {
        // With `finish_effects`, the tool itself continues for a while.
        let is_cancelled = self.context.run.token().is_some_and(CancellationToken::is_cancelled);
        let running = if is_cancelled { None } else { RunningCall::start(self) };
        running.ok_or_else(|| self.waits())
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
            // The calls of its tool follow the log themselves.
            self.state = CallState { inner: self.state.inner.take(), ..CallState::default() };
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
