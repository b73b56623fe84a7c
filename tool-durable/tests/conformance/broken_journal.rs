//! Stores that break one rule each.

use crate::defect::Defect;
use crate::memory_journal::{MemoryJournal, State, Step, is_inner};
use tokio::task::yield_now;
use tool_runtime::dispatch::{CallKey, ToolResult};
use tool_runtime_durable::{Journal, JournalCall, JournalError, JournalFuture, JournalReply, RecordedCall};

/// A store in memory with a defect.
#[derive(Clone)]
pub(crate) struct BrokenJournal {
    journal: MemoryJournal,
    defect: Defect,
}

impl BrokenJournal {
    pub(crate) fn new(defect: Defect) -> Self {
        BrokenJournal { journal: MemoryJournal::default(), defect }
    }

    /// Waits until no step is in progress for which the condition is true.
    async fn wait(&self, condition: impl Fn(&Step) -> bool) {
        loop {
            let ended = self.journal.ended();
            if !self.journal.lock().in_progress.iter().any(&condition) {
                return;
            }
            ended.await;
        }
    }

    fn recorded(&self, key: &CallKey) -> Option<RecordedCall> {
        self.journal.lock().calls.get(key).cloned()
    }

    /// Another task can begin the step between the check and the change.
    async fn begin_in_two_steps(&self, step: Step) {
        self.wait(|other| *other == step).await;
        yield_now().await;
        self.journal.lock().in_progress.insert(step);
    }

    async fn begin_call_in_two_steps(
        &self,
        call: &JournalCall,
    ) -> Result<Option<RecordedCall>, JournalError> {
        let step = Step::Call(call.key.clone());
        self.begin_in_two_steps(step.clone()).await;
        let recorded = self.recorded(&call.key);
        match &recorded {
            None => drop(
                self.journal.lock().calls.insert(call.key.clone(), RecordedCall::new(call.clone(), None)),
            ),
            Some(recorded) if recorded.result.is_some() => self.journal.end(&step),
            Some(_) => {}
        }
        Ok(recorded)
    }

    fn stored_run_id(&self, run_id: &str) -> String {
        const LENGTH: usize = 255;
        match self.defect {
            Defect::BeginIgnoresCase => run_id.to_lowercase(),
            Defect::BeginIgnoresSpaces => run_id.trim_end().to_owned(),
            _ if run_id.len() > LENGTH => run_id[..LENGTH].to_owned(),
            _ => run_id.to_owned(),
        }
    }

    fn stored_result(&self, result: &ToolResult) -> ToolResult {
        const LENGTH: usize = 1 << 16;
        match self.defect {
            Defect::FinishLosesErrorKind if result.is_error() => {
                ToolResult::error(result.text().trim_start_matches("Error: "))
            }
            Defect::FinishTruncatesResult if result.text().len() > LENGTH => {
                ToolResult::ok(result.text().chars().take(LENGTH).collect::<String>())
            }
            _ => result.clone(),
        }
    }

    /// Whether the run with this id is removed together with another one.
    fn is_removed(&self, run_id: &str, removed: &str) -> bool {
        let is_like = |text: &str, pattern: &str| {
            let mut letters = pattern.chars().zip(text.chars());
            letters.all(|(pattern, letter)| pattern == letter || pattern == '_' || pattern == '%')
        };
        match self.defect {
            Defect::RemoveKeepsInnerRuns => run_id == removed,
            Defect::RemoveTakesPrefix => run_id.starts_with(removed),
            Defect::RemoveTakesFolder => run_id == removed || run_id.starts_with(&format!("{removed}/")),
            Defect::RemoveTakesPattern if removed.contains("_%") => {
                run_id == removed || (run_id.len() > removed.len() && is_like(run_id, removed))
            }
            _ => run_id == removed || is_inner(run_id, removed),
        }
    }

    /// Whether a step prevents the removal of a run.
    fn prevents_removal(&self, step: &Step, removed: &str) -> bool {
        let is_of_run = step.run_id() == removed || is_inner(step.run_id(), removed);
        match (self.defect, step) {
            (Defect::RemoveIgnoresRunningCalls, Step::Call(_))
            | (Defect::RemoveIgnoresRequests, Step::Reply(..)) => false,
            (Defect::RemoveIgnoresInnerRunningCalls, Step::Call(key)) => key.run_id == removed,
            (Defect::RemoveWaitsForAllRuns, _) => true,
            _ => is_of_run,
        }
    }

    fn remove(&self, state: &mut State, run_id: &str) {
        let is_large = |recorded: &RecordedCall| recorded.call.arguments.len() > 1000;
        if self.defect == Defect::RemoveKeepsLargeRecords {
            state.calls.retain(|key, recorded| !self.is_removed(&key.run_id, run_id) || is_large(recorded));
        } else if self.defect == Defect::RemoveKeepsResults {
            // The next begin has the result.
            state.calls.retain(|key, recorded| key.run_id != run_id || recorded.result.is_some());
        } else {
            state.calls.retain(|key, _| !self.is_removed(&key.run_id, run_id));
        }
        if self.defect != Defect::RemoveKeepsReplies {
            state.replies.retain(|(other, _), _| !self.is_removed(other, run_id));
        }
    }
}

impl Journal for BrokenJournal {
    fn find_calls<'a>(&'a self, run_id: &'a str, reply: u64) -> JournalFuture<'a, Vec<RecordedCall>> {
        Box::pin(async move {
            let mut found = self.journal.find_calls(run_id, reply).await?;
            match self.defect {
                Defect::FindIgnoresPosition => {
                    for next in found.clone() {
                        let mut other = next.clone();
                        other.call.key.position += 1;
                        found.push(other);
                    }
                }
                Defect::FindReturnsAllReplies => {
                    let state = self.journal.lock();
                    found =
                        state.calls.values().filter(|call| call.call.key.run_id == run_id).cloned().collect();
                }
                Defect::FindReturnsTenCalls => found.truncate(10),
                _ => {}
            }
            Ok(found)
        })
    }

    fn begin_call<'a>(&'a self, call: &'a JournalCall) -> JournalFuture<'a, Option<RecordedCall>> {
        let step = Step::Call(call.key.clone());
        if self.defect == Defect::BeginStartsUnpolled {
            let begun = self.journal.try_begin(call);
            return Box::pin(async move {
                match begun {
                    Ok(recorded) => Ok(recorded),
                    Err(_) => self.journal.begin_call(call).await,
                }
            });
        }
        Box::pin(async move {
            match self.defect {
                Defect::BeginReplacesCall => {
                    let recorded = self.journal.begin_call(call).await?;
                    if let Some(record) = self.journal.lock().calls.get_mut(&call.key) {
                        record.call = call.clone();
                    }
                    Ok(recorded)
                }
                Defect::FinishDoesNotEndCall => {
                    self.wait(|other| *other == step).await;
                    self.journal.begin_call(call).await
                }
                Defect::BeginRunsFinishedCall => {
                    self.wait(|other| *other == step).await;
                    let recorded = self.journal.begin_call(call).await?;
                    self.journal.lock().in_progress.insert(step);
                    Ok(recorded)
                }
                Defect::BeginDoesNotWait => {
                    Ok(self.journal.try_begin(call).unwrap_or_else(|_| self.recorded(&call.key)))
                }
                Defect::BeginReturnsEarlierRecord => {
                    let earlier = self.recorded(&call.key);
                    self.journal.begin_call(call).await?;
                    Ok(earlier)
                }
                Defect::BeginContinuesAfterDrop => {
                    let (journal, call) = (self.journal.clone(), call.clone());
                    let begin = tokio::spawn(async move { journal.begin_call(&call).await });
                    begin.await.map_err(JournalError::storage)?
                }
                Defect::BeginIsNotAtomic => self.begin_call_in_two_steps(call).await,
                Defect::BeginAgainIsNotAtomic => match self.recorded(&call.key) {
                    Some(RecordedCall { result: None, .. }) => self.begin_call_in_two_steps(call).await,
                    _ => self.journal.begin_call(call).await,
                },
                Defect::BeginWaitsForOtherCalls => {
                    self.wait(|other| *other != step && matches!(other, Step::Call(_))).await;
                    self.journal.begin_call(call).await
                }
                Defect::BeginIgnoresCase | Defect::BeginIgnoresSpaces | Defect::BeginTruncatesRunId => {
                    let mut stored = call.clone();
                    stored.key.run_id = self.stored_run_id(&call.key.run_id);
                    self.journal.begin_call(&stored).await
                }
                _ => self.journal.begin_call(call).await,
            }
        })
    }

    fn finish_call<'a>(&'a self, key: &'a CallKey, result: &'a ToolResult) -> JournalFuture<'a, ()> {
        let step = Step::Call(key.clone());
        Box::pin(async move {
            match self.defect {
                Defect::FinishLosesResult => self.journal.release_call(key).await,
                Defect::FinishReplacesResult => {
                    if let Some(recorded) = self.journal.lock().calls.get_mut(key) {
                        recorded.result = None;
                    }
                    self.journal.finish_call(key, result).await
                }
                Defect::FinishNeedsRunningCall if !self.journal.lock().in_progress.contains(&step) => {
                    let has_result = self.recorded(key).is_some_and(|recorded| recorded.result.is_some());
                    if has_result { Ok(()) } else { Err(JournalError::storage("the call does not run")) }
                }
                Defect::FinishDoesNotEndCall => {
                    self.journal.finish_call(key, result).await?;
                    self.journal.lock().in_progress.insert(step);
                    Ok(())
                }
                _ => self.journal.finish_call(key, &self.stored_result(result)).await,
            }
        })
    }

    fn release_call<'a>(&'a self, key: &'a CallKey) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            match self.defect {
                Defect::ReleaseDoesNotEndCall => Ok(()),
                Defect::ReleaseWakesNobody => {
                    self.journal.lock().in_progress.remove(&Step::Call(key.clone()));
                    Ok(())
                }
                _ => self.journal.release_call(key).await,
            }
        })
    }

    fn find_reply<'a>(&'a self, run_id: &'a str, number: u64) -> JournalFuture<'a, Option<JournalReply>> {
        if self.defect != Defect::FindReplyIgnoresRun {
            return self.journal.find_reply(run_id, number);
        }
        Box::pin(async move {
            let state = self.journal.lock();
            Ok(state.replies.values().find(|reply| reply.number == number).cloned())
        })
    }

    fn begin_reply<'a>(&'a self, run_id: &'a str, number: u64) -> JournalFuture<'a, Option<JournalReply>> {
        let step = Step::Reply(run_id.to_owned(), number);
        if self.defect == Defect::RequestStartsUnpolled {
            let is_recorded = self.journal.lock().replies.contains_key(&(run_id.to_owned(), number));
            let is_requested = !is_recorded && self.journal.lock().in_progress.insert(step);
            return Box::pin(async move {
                if is_requested { Ok(None) } else { self.journal.begin_reply(run_id, number).await }
            });
        }
        Box::pin(async move {
            match self.defect {
                Defect::RequestsRecordedReply => {
                    self.wait(|other| *other == step).await;
                    let recorded = self.journal.begin_reply(run_id, number).await?;
                    self.journal.lock().in_progress.insert(step);
                    Ok(recorded)
                }
                Defect::RequestDoesNotWait => self.journal.find_reply(run_id, number).await,
                Defect::RequestContinuesAfterDrop => {
                    let (journal, run_id) = (self.journal.clone(), run_id.to_owned());
                    let begin = tokio::spawn(async move { journal.begin_reply(&run_id, number).await });
                    begin.await.map_err(JournalError::storage)?
                }
                Defect::RequestIsNotAtomic => {
                    let recorded = self.journal.find_reply(run_id, number).await?;
                    if recorded.is_none() {
                        self.begin_in_two_steps(step).await;
                    }
                    let recorded = self.journal.find_reply(run_id, number).await?;
                    if recorded.is_some() {
                        self.journal.release_reply(run_id, number).await?;
                    }
                    Ok(recorded)
                }
                Defect::RequestWaitsForOtherReplies => {
                    self.wait(|other| *other != step && matches!(other, Step::Reply(..))).await;
                    self.journal.begin_reply(run_id, number).await
                }
                _ => self.journal.begin_reply(run_id, number).await,
            }
        })
    }

    fn record_reply<'a>(&'a self, reply: &'a JournalReply) -> JournalFuture<'a, bool> {
        Box::pin(async move {
            let mut stored = reply.clone();
            match self.defect {
                Defect::RecordReplacesReply => {
                    self.journal.lock().replies.insert((reply.run_id.clone(), reply.number), stored);
                    self.journal.end(&Step::Reply(reply.run_id.clone(), reply.number));
                    Ok(true)
                }
                Defect::RecordIsAlwaysNew => {
                    self.journal.record_reply(reply).await?;
                    Ok(true)
                }
                Defect::RecordLosesFields => {
                    stored.arguments.clear();
                    self.journal.record_reply(&stored).await
                }
                Defect::RecordDoesNotEndRequest => {
                    let is_new = self.journal.record_reply(reply).await?;
                    self.journal.lock().in_progress.insert(Step::Reply(reply.run_id.clone(), reply.number));
                    Ok(is_new)
                }
                _ => self.journal.record_reply(reply).await,
            }
        })
    }

    fn release_reply<'a>(&'a self, run_id: &'a str, number: u64) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            match self.defect {
                Defect::ReleaseDoesNotEndRequest => Ok(()),
                _ => self.journal.release_reply(run_id, number).await,
            }
        })
    }

    fn remove_run<'a>(&'a self, run_id: &'a str) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            let mut state = self.journal.lock();
            if state.in_progress.iter().any(|step| self.prevents_removal(step, run_id)) {
                return match self.defect {
                    Defect::RemoveEndsWithError => Err(JournalError::storage("the run is locked")),
                    _ => Err(JournalError::in_progress(run_id)),
                };
            }
            let is_known = state.calls.keys().any(|key| key.run_id == run_id)
                || state.replies.keys().any(|(other, _)| other == run_id);
            if self.defect == Defect::UnknownRunIsAnError && !is_known {
                return Err(JournalError::storage("there is no such run"));
            }
            self.remove(&mut state, run_id);
            Ok(())
        })
    }
}
