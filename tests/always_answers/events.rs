//! The events of the calls: their order, their times, and the result in the last one.

use crate::TIMER_DELAY;
use crate::ending::Ending;
use crate::middleware::Behaviour;
use crate::oracle::{Oracle, Possible};
use crate::plan::{Batch, Kind};
use crate::running::Running;
use crate::tally::Tally;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tool_runtime::dispatch::{CallEvent, CallStatus, Outcome};
use tool_runtime::{RunContext, ToolMessage};

/// The events of one batch, each with its time since the start of the dispatch.
#[derive(Clone)]
pub(crate) struct Recorded {
    begun: Instant,
    events: Arc<Mutex<Vec<(Duration, CallEvent)>>>,
}

impl Recorded {
    /// Listens to a batch that is dispatched now.
    pub(crate) fn listen(context: RunContext) -> (RunContext, Self) {
        let recorded = Recorded { begun: Instant::now(), events: Arc::default() };
        let Recorded { begun, events } = recorded.clone();
        let context = context.on_event(move |event| {
            events.lock().unwrap_or_else(PoisonError::into_inner).push((begun.elapsed(), event.clone()));
        });
        (context, recorded)
    }

    fn take(&self) -> Vec<(Duration, CallEvent)> {
        std::mem::take(&mut *self.events.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The end of one batch.
pub(crate) struct Dispatched {
    /// `None` if the dispatch was dropped.
    pub(crate) messages: Option<Vec<ToolMessage>>,
    pub(crate) recorded: Recorded,
}

impl Oracle<'_> {
    pub(crate) fn assert_events(
        &self,
        tenant: usize,
        batch: &Batch,
        dispatched: &Dispatched,
        running: &Running,
        tally: &mut Tally,
    ) {
        let all = dispatched.recorded.take();
        for (position, planned) in batch.calls.iter().enumerate() {
            let id = &planned.call.id;
            let events: Vec<_> = all.iter().filter(|(_, event)| event.id == *id).collect();
            let sharing = batch.calls.iter().filter(|other| other.call.id == *id).count();
            if sharing == 1 {
                let call = CallEvents {
                    events: &events,
                    possible: self.possible(tenant, position),
                    max_bytes: self.settings.max_bytes(),
                };
                let message = dispatched.messages.as_ref().map(|messages| &messages[position]);
                call.assert_order();
                call.assert_progress(&running.progress((tenant, position)));
                call.assert_last(message, tally);
                call.count(tally);
            } else if dispatched.messages.is_some() {
                let last = events.iter().filter(|(_, event)| is_last(event)).count();
                assert_eq!(last, sharing, "one last event for each call of the id {id:?}");
            }
        }
        let mut ends = all.iter().filter(|(_, event)| is_last(event)).map(|(at, _)| at);
        let first = ends.next();
        if ends.next_back() > first {
            tally.count("event: finished before another call");
        }
    }
}

/// Middleware that kept a call reports progress after its end.
pub(crate) fn assert_no_events_after_the_last(
    running: &Running,
    dispatched: &[Dispatched],
    tally: &mut Tally,
) {
    for call in running.take_kept() {
        call.context().progress(1_000, None, "after the end");
        tally.count("no event after the last");
    }
    for batch in dispatched.iter().filter(|batch| batch.messages.is_some()) {
        let late = batch.recorded.take();
        assert!(late.is_empty(), "after the end of its call: {late:?}");
    }
}

fn is_last(event: &CallEvent) -> bool {
    matches!(event.status, CallStatus::NeedsApproval { .. } | CallStatus::Finished { .. })
}

/// The events of one call.
struct CallEvents<'a> {
    events: &'a [&'a (Duration, CallEvent)],
    possible: Possible<'a>,
    max_bytes: usize,
}

impl CallEvents<'_> {
    fn assert_order(&self) {
        let planned = self.possible.planned;
        let mut has_started = false;
        for (index, (_, event)) in self.events.iter().enumerate() {
            assert_eq!(event.tool, planned.call.name);
            let is_at_the_end = index + 1 == self.events.len();
            match event.status {
                CallStatus::Started { .. } => {
                    assert_eq!(index, 0, "`Started` is first: {:?}", self.events);
                    has_started = true;
                }
                CallStatus::Progress { .. } => assert!(has_started, "progress before the start"),
                // Progress that a thread reports while the call is stopped may still wait, and is skipped.
                CallStatus::EventsSkipped { .. } => {
                    assert!(has_started && self.may_report_late(), "skipped: {:?}", self.events);
                }
                _ => assert!(is_at_the_end, "nothing comes after the last event: {:?}", self.events),
            }
        }
        match self.possible.starts {
            // The dispatch may be dropped before the start.
            Some(true) if !self.possible.ends_before_drop => {}
            Some(starts) => assert_eq!(has_started, starts, "{planned:?}: {:?}", self.events),
            None => {}
        }
    }

    fn assert_progress(&self, reported: &[(u64, String)]) {
        let sent = self.events.iter().filter_map(|(_, event)| match &event.status {
            CallStatus::Progress { done, text, .. } => Some((*done, text.clone())),
            _ => None,
        });
        let sent: Vec<_> = sent.collect();
        let planned = self.possible.planned;
        assert!(
            sent == reported || self.may_report_late() && reported.starts_with(&sent),
            "all progress of {planned:?}, in its order: {sent:?} of {reported:?}"
        );
    }

    /// A thread may report after the end of its call, and so may a task that is aborted but not dropped yet.
    fn may_report_late(&self) -> bool {
        let planned = self.possible.planned;
        matches!(planned.kind, Kind::Blocks(_)) || planned.middleware.contains(&Behaviour::Spawn)
    }

    /// The last event has the result of the message, and happens when the call ends.
    fn assert_last(&self, message: Option<&ToolMessage>, tally: &mut Tally) {
        let Possible { planned, ref endings, ends_before_drop, .. } = self.possible;
        let last = self.events.last().filter(|(_, event)| is_last(event));
        let Some((at, event)) = last else {
            assert!(message.is_none(), "{planned:?} has no last event");
            assert!(!ends_before_drop, "{planned:?} has no last event, and its dispatch was dropped later");
            tally.count("dropped before its last event");
            return;
        };
        if message.is_none() {
            tally.count("dropped after its last event");
        }
        let is_possible = |error: Option<&str>, text: &str| {
            let matches = |it: &&Ending| it.matches(error, text, usize::MAX) && is_at(it, *at);
            assert!(
                endings.iter().any(|it| matches(&it)),
                "{planned:?}: got {error:?} {text:.200} after {at:?}, where it may be {endings:.2000?}",
            );
        };
        match &event.status {
            CallStatus::NeedsApproval { arguments, .. } => {
                assert_eq!(*arguments, planned.call.arguments);
                is_possible(Some("needs_approval"), endings[0].whole_text().as_str());
                if let Some(message) = message {
                    assert_eq!(message.error_kind(), Some("needs_approval"));
                }
            }
            CallStatus::Finished { result, outcome, .. } => {
                assert_ne!(result.error_kind(), Some("needs_approval"));
                is_possible(result.error_kind(), &result.text());
                assert_eq!(outcome.duration(), *at, "the event happens when the call ends");
                if let Some(message) = message {
                    let whole = Ending::output(result.text());
                    assert!(whole.matches(None, message.text(), self.max_bytes), "{message:?} and {event:?}");
                    assert_eq!(message.error_kind(), result.error_kind());
                    let of_message = message.outcome().map(Outcome::duration);
                    assert_eq!(of_message, Some(outcome.duration()));
                }
            }
            other => unreachable!("{other:?} is not a last event"),
        }
    }

    fn count(&self, tally: &mut Tally) {
        for (_, event) in self.events {
            tally.count(match event.status {
                CallStatus::Started { .. } => "event: started",
                CallStatus::Progress { .. } => "event: progress",
                CallStatus::NeedsApproval { .. } => "event: needs approval",
                CallStatus::EventsSkipped { .. } => "event: skipped",
                _ => "event: finished",
            });
        }
    }
}

/// Whether the call may have ended at this time.
pub(crate) fn is_at(ending: &Ending, time: Duration) -> bool {
    ending.earliest <= time && time <= ending.latest + TIMER_DELAY
}
