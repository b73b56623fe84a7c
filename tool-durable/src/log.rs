//! The replies of a run, and the calls of earlier processes.

use crate::call::{end_begun, may_run_again, run_recorded};
use crate::error::JournalError;
use crate::journal::{Journal, JournalCall, JournalReply, RecordedCall};
use crate::newest_user::NewestUser;
use crate::release::complete_release;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tool_runtime::dispatch::{ReadyCall, ToolFailure, ToolResult};
use tool_runtime::message::{Completeness, Message};
use tool_runtime::session::{LoggedResult, MessageChanges, RunLog, RunLogFuture};
use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, ToolMessage, ToolOutput};

/// The kind of the error of a call that a person denied or skipped.
const DENIED: &str = "denied";

/// Records the replies and the calls of one run in a journal.
pub(crate) struct JournalLog {
    journal: Arc<dyn Journal>,
    newest_user: NewestUser,
    /// The reply that this run requests.
    requested: Mutex<Option<(String, u64)>>,
    next: Mutex<NextReply>,
    /// Whether the calls are recorded in addition to the replies.
    records_calls: bool,
}

/// The state before the next reply is requested.
#[derive(Default)]
struct NextReply {
    /// The changes of the run before the request.
    changes: Option<MessageChanges>,
    /// Whether the session has the recorded changes.
    is_replayed: bool,
}

impl JournalLog {
    pub(crate) fn new(journal: Arc<dyn Journal>) -> Self {
        JournalLog {
            journal,
            newest_user: NewestUser::default(),
            requested: Mutex::default(),
            next: Mutex::default(),
            records_calls: true,
        }
    }

    /// Records only the replies.
    pub(crate) fn without_calls(journal: Arc<dyn Journal>) -> Self {
        JournalLog { records_calls: false, ..JournalLog::new(journal) }
    }

    fn requested(&self) -> MutexGuard<'_, Option<(String, u64)>> {
        self.requested.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> MutexGuard<'_, NextReply> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunLog for JournalLog {
    fn find_reply<'a>(
        &'a self,
        session: &'a mut Session,
        registry: &'a Registry,
    ) -> RunLogFuture<'a, Option<AssistantMessage>> {
        Box::pin(async move {
            let (run_id, number) = (run_id(registry)?, session.replies());
            let Some(recorded) = self.journal.begin_reply(&run_id, number).await? else {
                *self.requested() = Some((run_id, number));
                return Ok(None);
            };
            if !self.has_same_changes(session, &recorded)
                || recorded.user_text != self.newest_user.text(session)
            {
                return Err(JournalError::OtherMessages { run_id, number }.into());
            }
            Ok(Some(recorded.message))
        })
    }

    fn replay_changes<'a>(
        &'a self,
        session: &'a mut Session,
        registry: &'a Registry,
    ) -> RunLogFuture<'a, bool> {
        Box::pin(async move {
            let recorded = self.journal.find_reply(&run_id(registry)?, session.replies()).await?;
            let is_replayed = recorded.is_some_and(|recorded| {
                self.follows(session, &recorded) || self.replay_changes(session, &recorded)
            });
            *self.next() = NextReply { changes: None, is_replayed };
            Ok(is_replayed)
        })
    }

    fn record_changes<'a>(
        &'a self,
        _: &'a Session,
        _: &'a Registry,
        changes: MessageChanges,
    ) -> RunLogFuture<'a, ()> {
        self.next().changes = Some(changes);
        self.newest_user.forget();
        Box::pin(async { Ok(()) })
    }

    fn record_reply<'a>(
        &'a self,
        session: &'a Session,
        registry: &'a Registry,
        reply: &'a AssistantMessage,
    ) -> RunLogFuture<'a, ()> {
        Box::pin(async move {
            let mut recorded = JournalReply {
                run_id: run_id(registry)?,
                number: session.replies(),
                user_text: self.newest_user.text(session).to_owned(),
                results: Vec::new(),
                arguments: BTreeMap::new(),
                changes: self.next().changes.take(),
                message: reply.clone(),
            };
            self.compare_calls(session, &mut recorded).await?;
            let is_new = self.journal.record_reply(&recorded).await?;
            *self.requested() = None;
            if is_new {
                return Ok(());
            }
            let JournalReply { run_id, number, .. } = recorded;
            Err(JournalError::ReplyRecorded { run_id, number }.into())
        })
    }

    fn before_calls<'a>(&'a self, session: &'a mut Session, registry: &'a Registry) -> RunLogFuture<'a, ()> {
        Box::pin(async move { Ok(self.replay_calls(session, registry).await?) })
    }

    fn run_call(&self, call: ReadyCall) -> RunLogFuture<'_, LoggedResult> {
        Box::pin(async move {
            // An early call has no reply in the journal yet, and no effect: after a crash, it runs again, or another one in its
            // place.
            if call.is_early() || !self.records_calls {
                return Ok(call.run().await.into());
            }
            let (result, error) = run_recorded(&self.journal, &call).await?;
            Ok(match error {
                None => result.into(),
                Some(error) => LoggedResult::unrecorded(result, error),
            })
        })
    }

    fn after_run(&self) {
        let Some((run_id, number)) = self.requested().take() else { return };
        let journal = Arc::clone(&self.journal);
        // A store that cannot be used releases the reply when the process has ended.
        complete_release(async move { drop(journal.release_reply(&run_id, number).await) });
    }
}

impl JournalLog {
    /// Whether a recorded reply is the next one of the session, without changes.
    fn follows(&self, session: &Session, recorded: &JournalReply) -> bool {
        // The provider continues a reply that it has paused.
        let is_answered = match session.messages().last() {
            Some(Message::Assistant(reply)) => reply.completeness() != Completeness::Paused,
            _ => false,
        };
        recorded.changes.is_none()
            && !is_answered
            && session.pending().is_none()
            && recorded.user_text == self.newest_user.text(session)
    }

    /// Whether the session has the changes of a recorded reply. Another run may have recorded it since
    /// [`replay_changes`](RunLog::replay_changes).
    fn has_same_changes(&self, session: &mut Session, recorded: &JournalReply) -> bool {
        let NextReply { changes, is_replayed, .. } = &*self.next();
        match (changes, &recorded.changes) {
            _ if *is_replayed => true,
            (Some(own), Some(recorded)) => own == recorded,
            (None, Some(_)) => self.replay_changes(session, recorded),
            (own, None) => own.is_none(),
        }
    }

    /// Replays the changes before a recorded reply, if they fit.
    fn replay_changes(&self, session: &mut Session, recorded: &JournalReply) -> bool {
        let is_replayed = recorded.changes.as_ref().is_some_and(|changes| session.replay_changes(changes));
        if is_replayed {
            self.newest_user.forget();
        }
        is_replayed
    }

    /// Adds the results and the arguments of the newest calls of the session that the journal does not have.
    async fn compare_calls(&self, session: &Session, next: &mut JournalReply) -> Result<(), JournalError> {
        let Some((calls, results)) = newest_calls(session) else { return Ok(()) };
        let number = session.replies().saturating_sub(1);
        let reply = self.journal.find_reply(&next.run_id, number).await?;
        let mut recorded = self.recorded_calls(&next.run_id, number).await?;
        for (position, call) in calls.iter().enumerate() {
            let sent = reply.as_ref().and_then(|reply| reply.message.tool_calls.get(position));
            if sent.is_some_and(|sent| sent.arguments != call.arguments) {
                next.arguments.insert(call.id.clone(), call.arguments.clone());
            }
            let Some(&result) = results.get(&*call.id) else { continue };
            let Some(RecordedCall { call: begun, result: recorded }) = recorded.remove(&position) else {
                next.results.push(result.clone());
                continue;
            };
            let recorded = match recorded {
                Some(recorded) => recorded,
                // The call was too late for `call_timeout`, or its result could not be recorded.
                None => end_begun(&self.journal, &begun, result.clone().into()).await?,
            };
            if contradicts(&recorded, result) {
                return Err(JournalError::OtherResult { key: begun.key });
            }
            if !is_same_result(&recorded, result) {
                next.results.push(result.clone());
            }
        }
        Ok(())
    }

    /// The recorded calls of a reply, by position.
    async fn recorded_calls(
        &self,
        run_id: &str,
        reply: u64,
    ) -> Result<HashMap<usize, RecordedCall>, JournalError> {
        let calls = self.journal.find_calls(run_id, reply).await?.into_iter();
        Ok(calls.map(|recorded| (recorded.call.key.position, recorded)).collect())
    }

    /// Gives the pending calls their results from the journal, and approves those that run again. A call that has begun
    /// gets its result even without its tool, valid arguments or the approval of a hook.
    async fn replay_calls(&self, session: &mut Session, registry: &Registry) -> Result<(), JournalError> {
        let (run_id, number) = (run_id(registry)?, session.replies().saturating_sub(1));
        let reply = self.journal.find_reply(&run_id, number).await?;
        let next = self.journal.find_reply(&run_id, session.replies()).await?;
        let next = next.filter(|next| next.user_text_before() == self.newest_user.text(session));
        let calls = reply.as_ref().map_or(&[][..], |reply| &reply.message.tool_calls);
        let results = next.as_ref().map_or(&[][..], |next| &next.results);
        let results = by_id(results.iter().rev());
        let mut recorded_calls = self.recorded_calls(&run_id, number).await?;
        for (position, call) in open_calls(session) {
            let mut recorded = recorded_calls.remove(&position);
            let known = calls.get(position);
            if let Some(RecordedCall { call: begun, result: result @ None }) = &mut recorded
                && is_same_call(begun, known, &call)
                && !may_repeat(begun, registry)
                && !results.contains_key(&*call.id)
            {
                // It may wait, and the session counts the call as begun meanwhile.
                let interrupted = ToolFailure::interrupted(&begun.tool).into();
                *result = Some(end_begun(&self.journal, begun, interrupted).await?);
            }
            if recorded.is_some() || (session.is_claimed() && reply.is_some()) {
                // The journal has each call that has begun. An error means that the session does not count this one as begun.
                let _ = session.set_not_begun(&call.id);
            }
            let arguments = next.as_ref().and_then(|next| next.arguments.get(&call.id));
            if let Some(arguments) = arguments {
                let _ = session.approve_with(&call.id, arguments);
            }
            let result = results.get(&*call.id).map(|&result| result.clone());
            let result = match (result, recorded) {
                (Some(result), None) => {
                    let _ = session.__set_recorded_result(&call.id, result);
                    continue;
                }
                (None, None) => continue,
                (Some(result), Some(_)) => result.into(),
                // The middleware compares the calls when the arguments are coerced.
                (None, Some(recorded)) if !is_same_call(&recorded.call, known, &call) => continue,
                (None, Some(RecordedCall { result: Some(result), call: begun })) => {
                    if next.is_none() {
                        repeat_edit(session, &begun, &call);
                    }
                    result
                }
                (None, Some(RecordedCall { result: None, call: begun })) => {
                    approve_again(session, &begun, &call);
                    continue;
                }
            };
            let _ = session.replay_result(registry, &call.id, result);
        }
        Ok(())
    }
}

/// The id of the run that is bound to a registry.
fn run_id(registry: &Registry) -> Result<String, JournalError> {
    let key = registry.run_context().and_then(|context| context.key(0, 0));
    key.map(|key| key.run_id).ok_or(JournalError::NoRunId)
}

/// Whether the tool of this registry may run a call again after it was interrupted.
fn may_repeat(begun: &JournalCall, registry: &Registry) -> bool {
    registry.tool(&begun.tool).is_some_and(|tool| may_run_again(tool.annotations, tool.policy))
}

/// Whether a call of the session is the one that has begun.
fn is_same_call(begun: &JournalCall, recorded: Option<&ToolCall>, call: &ToolCall) -> bool {
    begun.id == call.id && (recorded == Some(call) || begun.has_arguments(&call.arguments))
}

/// Repeats the edit of a person, who has approved the call with other arguments. The texts may also differ otherwise.
fn repeat_edit(session: &mut Session, begun: &JournalCall, call: &ToolCall) {
    // The arguments of `call_tool` contain those of the tool.
    if begun.tool == call.name && !begun.has_arguments(&call.arguments) {
        let _ = session.approve_with(&call.id, &begun.arguments);
    }
}

/// Approves a call with the arguments with which it has begun.
fn approve_again(session: &mut Session, begun: &JournalCall, call: &ToolCall) {
    // A call that waits for its result still waits.
    let _ = if begun.arguments == call.arguments {
        session.approve(&call.id)
    } else {
        session.approve_with(&call.id, &begun.arguments)
    };
}

/// Whether a session reports that a call did not run, although it has run.
fn contradicts(recorded: &ToolResult, message: &ToolMessage) -> bool {
    message.error_kind() == Some(DENIED) && recorded.error_kind() != Some(DENIED) && !is_pending(recorded)
}

fn is_pending(recorded: &ToolResult) -> bool {
    recorded.output().is_some_and(ToolOutput::is_pending)
}

/// Whether the model receives the recorded result.
fn is_same_result(recorded: &ToolResult, message: &ToolMessage) -> bool {
    let has_same_text = recorded.error_kind() == message.error_kind() && recorded.text() == message.text();
    has_same_text && !is_pending(recorded)
}

/// The calls of the newest reply with calls, and their results.
fn newest_calls(session: &Session) -> Option<(&[ToolCall], HashMap<&str, &ToolMessage>)> {
    let mut results = Vec::new();
    for message in session.messages().iter().rev() {
        match message {
            Message::Tool(result) => results.push(result),
            Message::Assistant(reply) => return Some((&reply.tool_calls, by_id(results.into_iter().rev()))),
            _ => {}
        }
    }
    None
}

/// The last of several results with the same id counts.
fn by_id<'a>(results: impl Iterator<Item = &'a ToolMessage>) -> HashMap<&'a str, &'a ToolMessage> {
    results.map(|result| (&*result.tool_call_id, result)).collect()
}

/// The pending calls without results, with their positions in the reply.
fn open_calls(session: &Session) -> Vec<(usize, ToolCall)> {
    let Some(pending) = session.pending() else { return Vec::new() };
    let calls = pending.calls().iter().enumerate();
    let open = calls.filter(|(_, call)| pending.result_of(&call.id).is_none());
    open.map(|(position, call)| (position, call.clone())).collect()
}
