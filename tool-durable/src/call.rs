//! The run of one call, which the journal records.

use crate::error::JournalError;
use crate::journal::{Journal, JournalCall, RecordedCall};
use crate::release::complete_release;
use std::pin::Pin;
use std::sync::Arc;
use tool_runtime::dispatch::{CallKey, ReadyCall, ToolFailure, ToolResult};
use tool_runtime::registry::{Annotations, Policy};
use tool_runtime::serde_json::{self, Value};

/// Middleware for [`RegistryBuilder::around_call`](tool_runtime::RegistryBuilder::around_call), for workers that run calls of
/// other processes, and for programs without a [`Session`](tool_runtime::Session): it records each call, and returns the recorded
/// result if the call arrives again, also at the same time or after a restart. `on_error` receives the errors of the journal. A call
/// that cannot be recorded does not run, and fails; in a worker, its end is
/// [`CallEnd::NotBegun`](tool_runtime::dispatch::CallEnd::NotBegun).
///
/// Add it before all other middleware, so that a call and its retries are one record. In a worker
/// ([`run_handed_out`](tool_runtime::Registry::run_handed_out)), each call has its key. Otherwise, each run context needs a
/// [`run_id`](tool_runtime::RunContext::run_id), and each dispatch its
/// [`reply_number`](tool_runtime::RunContext::reply_number): without it, and in
/// [`Registry::call`](tool_runtime::Registry::call), different calls have the same key.
///
/// It records nothing in a run with a [log](tool_runtime::session::Run::log), such as
/// [`DurableRun::journal`](crate::DurableRun::journal), and inside of another `record_calls`. Calls that a tool of such a run makes
/// with another context are recorded. The last event of a recorded result has the cause
/// [`Ran`](tool_runtime::dispatch::Cause::Ran), and its outcome has not begun.
///
/// Replies are not recorded. Store the [`PendingCalls`](tool_runtime::conversation::PendingCalls) of each reply with serde before
/// you run them, and run the stored ones after a restart: they contain the number of their reply and the ids of their calls. The
/// journal does not see calls that fail before they run: a hook or a new version of a tool can fail a call that has taken effect
/// before the restart.
///
/// ```
/// use tool_runtime::{Registry, RunContext, ToolCall, tool, tools};
/// use tool_runtime_durable::{FileJournal, record_calls};
///
/// /// Charges a card.
/// #[tool(destructive)]
/// async fn charge(euros: u32) -> String {
///     format!("charged {euros} euros")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("record_calls_{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let journal = FileJournal::open(folder.join("calls.journal"))?;
/// let registry = Registry::builder()
///     .tools(tools![charge])
///     .around_call(record_calls(&journal, |error| eprintln!("{error}")))
///     .build()?;
/// let calls = [ToolCall::new("call_0", "charge", r#"{"euros":20}"#)]; // from a stored reply
/// let context = RunContext::new().run_id("order-7").reply_number(0);
/// let messages = registry.with(&context).dispatch(&calls).await;
/// let after_a_restart = registry.with(&context).dispatch(&calls).await; // charges nothing
/// assert_eq!(messages[0].content, after_a_restart[0].content);
/// # drop((registry, journal));
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
///
/// In a worker with the same registry:
///
/// ```
/// # use tool_runtime::Registry;
/// use tool_runtime::dispatch::HandedOutCall;
///
/// # async fn work(registry: &Registry, line: &str) -> serde_json::Result<String> {
/// let call: HandedOutCall = serde_json::from_str(line)?; // a queue may deliver it twice
/// let end = registry.run_handed_out(&call).await;
/// let answer = serde_json::to_string(&end)?; // for `Session::finish_handed_out`, with the id of the call
/// # Ok(answer)
/// # }
/// ```
pub fn record_calls<J, F>(
    journal: &J,
    on_error: F,
) -> impl Fn(ReadyCall) -> CallFuture + Send + Sync + 'static + use<J, F>
where
    J: Journal + Clone + 'static,
    F: Fn(&JournalError) + Send + Sync + 'static,
{
    let journal: Arc<dyn Journal> = Arc::new(journal.clone());
    let shared = Arc::new((journal, on_error));
    move |call| {
        let shared = Arc::clone(&shared);
        Box::pin(async move {
            // It is recorded already, and would wait for itself.
            if call.is_logged() {
                return call.run().await;
            }
            call.set_logged();
            let (journal, on_error) = &*shared;
            match run_recorded(journal, &call).await {
                Ok((result, error)) => {
                    error.iter().for_each(on_error);
                    result
                }
                Err(error) => {
                    on_error(&error);
                    if matches!(error, JournalError::Storage { .. }) {
                        call.set_not_begun();
                    }
                    unrecorded(call.tool(), &error)
                }
            }
        })
    }
}

/// The future of the middleware.
type CallFuture = Pin<Box<dyn Future<Output = ToolResult> + Send>>;

/// Runs a call, or returns its recorded result. The second value is the reason why the result of a call that has run is not
/// recorded.
///
/// # Errors
///
/// The call cannot be recorded. It did not run.
pub(crate) async fn run_recorded(
    journal: &Arc<dyn Journal>,
    ready: &ReadyCall,
) -> Result<(ToolResult, Option<JournalError>), JournalError> {
    let call = JournalCall::from_ready_call(ready)?;
    let recorded = journal.begin_call(&call).await?;
    let running = RunningCall::new(journal, &call.key, recorded.as_ref());
    if let Some(recorded) = recorded {
        recorded.call.check(&call)?;
        if let Some(result) = recorded.result {
            return Ok((result, None));
        }
        if !may_run_again(ready.annotations(), ready.policy()) {
            let interrupted = ToolFailure::interrupted(&call.tool).into();
            running.finish(&interrupted).await?;
            return Ok((interrupted, None));
        }
        if ready.policy().resumable {
            let inner = journal.find_calls(&call.key.to_string(), 0).await?.into_iter();
            ready.set_recorded_inner_calls(
                inner.map(|RecordedCall { call, .. }| (call.key.position, call.tool, call.arguments)),
            );
        }
    }
    let result = ready.run().await;
    if ready.waits_for_inner_call() {
        // It has no result yet, and runs again.
        return Ok((result, None));
    }
    // A cancelled call has no result and counts as interrupted.
    if result.error_kind() == Some("cancelled") && ready.context().cancellation().is_cancelled() {
        return Ok((result, None));
    }
    // Otherwise a cancellation could end the call with another result than the journal has.
    ready.keep_result();
    let error = running.finish(&result).await.err();
    Ok((result, error))
}

/// Ends a call that has begun and does not run again, and returns its result: the recorded one, or otherwise this one. If another
/// run runs the call now, this waits for its result.
///
/// # Errors
///
/// The journal cannot be used.
pub(crate) async fn end_begun(
    journal: &Arc<dyn Journal>,
    begun: &JournalCall,
    result: ToolResult,
) -> Result<ToolResult, JournalError> {
    let recorded = journal.begin_call(begun).await?;
    let running = RunningCall::new(journal, &begun.key, recorded.as_ref());
    if let Some(result) = recorded.and_then(|recorded| recorded.result) {
        return Ok(result);
    }
    running.finish(&result).await?;
    Ok(result)
}

/// Whether a call may run again after it was interrupted.
pub(crate) fn may_run_again(annotations: Annotations, policy: Policy) -> bool {
    annotations.may_repeat() || policy.resumable
}

/// A call that runs in this process, until it has a result or is dropped.
struct RunningCall<'a> {
    journal: &'a Arc<dyn Journal>,
    key: &'a CallKey,
    is_running: bool,
}

impl<'a> RunningCall<'a> {
    /// The call after its begin, with the record that the journal had.
    fn new(journal: &'a Arc<dyn Journal>, key: &'a CallKey, recorded: Option<&RecordedCall>) -> Self {
        let is_running = recorded.is_none_or(|recorded| recorded.result.is_none());
        RunningCall { journal, key, is_running }
    }

    async fn finish(mut self, result: &ToolResult) -> Result<(), JournalError> {
        self.journal.finish_call(self.key, result).await?;
        self.is_running = false;
        Ok(())
    }
}

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        if self.is_running {
            let (journal, key) = (Arc::clone(self.journal), self.key.clone());
            // A store that cannot be used releases the call when the process has ended.
            complete_release(async move { drop(journal.release_call(&key).await) });
        }
    }
}

impl JournalCall {
    fn from_ready_call(ready: &ReadyCall) -> Result<Self, JournalError> {
        Ok(JournalCall {
            key: ready.context().key().ok_or(JournalError::NoRunId)?,
            id: ready.id().to_owned(),
            tool: ready.tool().to_owned(),
            // Those of a hook may have secrets, and may differ in the next run.
            arguments: ready.proposed_arguments().to_owned(),
        })
    }

    /// Whether these arguments are those of the call. Their text depends on the order of keys, which may differ in another build of
    /// the program.
    pub(crate) fn has_arguments(&self, arguments: &str) -> bool {
        let value = |text: &str| serde_json::from_str::<Value>(text).ok();
        self.arguments == arguments
            || value(&self.arguments).is_some_and(|known| Some(known) == value(arguments))
    }

    /// # Errors
    ///
    /// `call` is another call with the key of this one.
    fn check(&self, call: &JournalCall) -> Result<(), JournalError> {
        let is_same = (&self.key, &self.id, &self.tool) == (&call.key, &call.id, &call.tool);
        if is_same && self.has_arguments(&call.arguments) {
            return Ok(());
        }
        let (recorded, tool) = (self.tool.clone(), call.tool.clone());
        Err(JournalError::OtherCall { key: call.key.clone(), recorded, tool })
    }
}

/// The result of a call that did not run, since it cannot be recorded.
fn unrecorded(tool: &str, error: &JournalError) -> ToolResult {
    let message = match error {
        JournalError::OtherCall { .. } => {
            format!(
                "`{tool}` was not run: an earlier call has its place. That one may have taken effect: check whether it did."
            )
        }
        JournalError::NoRunId => format!("the tool `{tool}` cannot run here."),
        _ => format!("the tool `{tool}` was not run: its journal is not available now."),
    };
    ToolFailure::new(message).with_kind("journal").into()
}
