//! The steps between two replies: messages of the inbox, hooks, and compaction.

use super::between_replies::HookError;
use super::message_changes::MessagesBefore;
use super::run_log::LogError;
use super::run_loop::RunLoop;
use super::{CompactReason, Event, Flow, RunEnd, RunError, Session};
use crate::conversation::Request;
use crate::message::Message;
use crate::wire::ErrorKind;

/// An error between two replies.
pub(super) enum StepError {
    Log(LogError),
    Hook(HookError),
    Compaction(HookError),
    Store(HookError),
}

impl<E> From<StepError> for RunError<E> {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Log(error) => RunError::Log(error),
            StepError::Hook(error) => RunError::Hook(error),
            StepError::Compaction(error) => RunError::Compaction(error),
            StepError::Store(error) => RunError::Store(error),
        }
    }
}

impl<O: FnMut(&Event), P: FnMut(Request) -> Request> RunLoop<'_, O, P> {
    /// The steps before the next request, or before this end of the run. Returns how the run ends now.
    pub(super) async fn between_replies(
        &mut self,
        mut end: Option<RunEnd>,
    ) -> Result<Option<RunEnd>, StepError> {
        self.has_shortened_request = false;
        self.messages_before = None;
        if let Some(logged) = &self.logged {
            let changes = logged.log().replay_changes(self.session, &self.settings.registry);
            if changes.await.map_err(StepError::Log)? {
                return Ok(end);
            }
            self.messages_before = Some(MessagesBefore::new(self.session));
        }
        self.take_messages();
        let waiting = waiting_calls(self.session);
        let flow = self.settings.hooks.call(self.session).await.map_err(StepError::Hook)?;
        if waiting_calls(self.session) != waiting {
            end = self.run_pending().await.map_err(StepError::Log)?;
        }
        let correction = self.correction();
        if let Some(end) = end.or_else(|| self.end_before_request(correction.is_some())) {
            return Ok(Some(end));
        }
        if flow == Flow::Stop {
            return Ok(Some(RunEnd::Stopped));
        }
        if let Some(correction) = correction {
            self.session.push(Message::user(correction));
        }
        self.compact(CompactReason::BeforeRequest).await?;
        self.record_changes().await?;
        self.settings.store.store_claim(self.session).await?;
        Ok(None)
    }

    /// Adds the messages of the inbox, if the run continues with them.
    fn take_messages(&mut self) {
        let correction = self.correction();
        let has_answer = match self.session.messages().last() {
            Some(Message::Assistant(reply)) => RunEnd::from_reply(reply).is_some() && correction.is_none(),
            _ => false,
        };
        let is_start = self.requests == 0;
        let continues = is_start || !has_answer || self.settings.continues_with_inbox;
        if self.session.pending().is_some() || self.is_cancelled() || !continues {
            return;
        }
        if let Some(correction) = correction.filter(|_| !self.session.inbox().is_empty()) {
            self.session.push(Message::user(correction));
        }
        while let Some(content) = self.session.inbox.pop() {
            let text = content.as_str().to_owned();
            self.session.push_user(content);
            self.reporter.report(Event::UserMessage { text });
        }
    }

    /// Compacts the session, and returns whether it has changed.
    async fn compact(&mut self, reason: CompactReason) -> Result<bool, StepError> {
        let tokens = self.run_tokens();
        let Some(compact) = &mut self.settings.compact else { return Ok(false) };
        let compacted = tokens.until_cancelled(compact.compact(self.session, reason)).await;
        let Some(trimmed) = compacted.transpose().map_err(StepError::Compaction)?.flatten() else {
            return Ok(false);
        };
        self.reporter.report(Event::Compacted {
            removed: trimmed.removed.len(),
            truncated: trimmed.truncated.len(),
            has_reached_target: trimmed.is_within_budget,
        });
        Ok(true)
    }

    /// Compacts the session after an error of the provider, once for each request. Returns whether the run repeats the request.
    pub(super) async fn compact_rejected(&mut self, kind: Option<ErrorKind>) -> Result<bool, StepError> {
        if kind != Some(ErrorKind::ContextTooLong) || self.has_shortened_request {
            return Ok(false);
        }
        self.has_shortened_request = true;
        // A cancelled run ends in place of the next request.
        self.repeats_request = self.compact(CompactReason::ContextTooLong).await? || self.is_cancelled();
        if self.repeats_request {
            self.requests = self.requests.saturating_sub(1);
            self.record_changes().await?;
        }
        Ok(self.repeats_request)
    }

    async fn record_changes(&mut self) -> Result<(), StepError> {
        let (Some(logged), Some(before)) = (&self.logged, &self.messages_before) else { return Ok(()) };
        let Some(changes) = before.changes(self.session) else { return Ok(()) };
        let recorded = logged.log().record_changes(self.session, &self.settings.registry, changes);
        recorded.await.map_err(StepError::Log)
    }
}

/// The numbers of calls that wait for an approval, and for a result.
fn waiting_calls(session: &Session) -> Option<(usize, usize)> {
    let pending = session.pending()?;
    Some((pending.awaiting_approval().len(), pending.awaiting_result().len()))
}
