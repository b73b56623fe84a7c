//! The path of events from tools, which may run on other threads, to the listener of a run.

use super::Event;
use crate::context::{CallEvent, CallStatus, EventQueue, Queued, StartGate};
use crate::panics::catch_panic;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// The time after which the reporter polls the run again, even if events wait, so that a slow listener delays no time limit. It is
/// long enough for a fast listener to receive the events of a tool that awaits between them.
const MAX_TIME: Duration = Duration::from_millis(10);

/// The time after the cancellation of the run after which progress and data that wait are skipped: a listener may be slow.
const MAX_TIME_CANCELLED: Duration = Duration::from_secs(1);

/// The listener of a run, and the events that wait for it. `None` without a listener.
pub(super) struct Reporter<O: FnMut(&Event)>(Option<Listener<O>>);

struct Listener<O: FnMut(&Event)> {
    on_event: O,
    sender: EventSender,
    cancellation: Option<CancellationToken>,
    /// When the listener received the first event after the cancellation.
    cancelled: Option<Instant>,
}

/// An item of the queue to the listener.
enum Item {
    Event(Event),
    /// Dropped when the listener has received the events before it.
    Flush(#[expect(dead_code, reason = "only its drop has an effect")] oneshot::Sender<()>),
}

impl From<CallEvent> for Item {
    fn from(event: CallEvent) -> Self {
        Item::Event(Event::Call(event))
    }
}

impl Queued for Item {
    fn call(&self) -> Option<&CallEvent> {
        match self {
            Item::Event(Event::Call(call)) => Some(call),
            _ => None,
        }
    }
}

/// Sends events to the reporter of a run.
#[derive(Clone)]
pub(super) struct EventSender(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    items: EventQueue<Item>,
    /// Wakes the task of the run.
    waker: Option<Waker>,
    has_ended: bool,
}

impl EventSender {
    pub(super) fn send(&self, event: Event) {
        self.add(Item::Event(event));
    }

    fn add(&self, item: Item) {
        let mut waiting = self.lock();
        if !waiting.has_ended {
            waiting.items.push(item);
        }
        let waker = waiting.waker.take();
        drop(waiting);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// A gate that lets calls start when the listener has received all events.
    pub(super) fn start_gate(&self) -> StartGate {
        let sender = self.clone();
        StartGate::new(move |received| sender.add(Item::Flush(received)))
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // No code panics while it has the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<O: FnMut(&Event)> Reporter<O> {
    pub(super) fn new(on_event: Option<O>, cancellation: Option<CancellationToken>) -> Self {
        Reporter(on_event.map(|on_event| {
            let sender = EventSender(Arc::default());
            Listener { on_event, sender, cancellation, cancelled: None }
        }))
    }

    /// The sender of events; `None` without a listener.
    pub(super) fn sender(&self) -> Option<&EventSender> {
        self.0.as_ref().map(|listener| &listener.sender)
    }

    /// Reports an event, after those that wait.
    pub(super) fn report(&mut self, event: impl Into<Event>) {
        if let Some(listener) = &mut self.0 {
            listener.sender.send(event.into());
            let end = listener.sender.lock().items.pushed();
            while listener.report_next(end) {}
        }
    }

    /// Runs the future, and reports the events that it and its tools send.
    pub(super) async fn run<F: Future>(&mut self, future: F) -> F::Output {
        let Some(listener) = &mut self.0 else { return future.await };
        let mut future = pin!(future);
        // The output, and the number of the events before it.
        let mut ended = None;
        poll_fn(|context| {
            if ended.is_none() {
                if let Poll::Ready(output) = future.as_mut().poll(context) {
                    ended = Some((output, listener.sender.lock().items.pushed()));
                }
            }
            let end = ended.as_ref().map(|(_, end)| *end);
            match listener.report_some(end, context) {
                Poll::Ready(()) => ended.take().map_or(Poll::Pending, |(output, _)| Poll::Ready(output)),
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    }
}

impl<O: FnMut(&Event)> Listener<O> {
    /// Reports events, all of them or those before `end`. It is pending if some of them still wait.
    fn report_some(&mut self, end: Option<u64>, context: &mut Context<'_>) -> Poll<()> {
        let started = Instant::now();
        while started.elapsed() <= MAX_TIME {
            let mut waiting = self.sender.lock();
            let end = end.unwrap_or_else(|| waiting.items.pushed());
            if waiting.items.removed() >= end {
                waiting.waker = Some(context.waker().clone());
                return Poll::Ready(());
            }
            drop(waiting);
            self.report_next(end);
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }

    /// Reports the next event before `end`; `false` if there is none.
    fn report_next(&mut self, end: u64) -> bool {
        let mut waiting = self.sender.lock();
        if waiting.items.removed() >= end {
            return false;
        }
        let is_cancelled = self.cancellation.as_ref().is_some_and(CancellationToken::is_cancelled);
        if is_cancelled {
            let cancelled = self.cancelled.get_or_insert_with(Instant::now);
            if cancelled.elapsed() > MAX_TIME_CANCELLED {
                waiting.items.skip_all();
            }
        }
        let item = waiting.items.pop();
        drop(waiting);
        match &item {
            // A call starts after the listener has received this event. It does not start after the cancellation.
            Some(Item::Event(event)) if is_cancelled && is_start(event) => {}
            Some(Item::Event(event)) => (self.on_event)(event),
            _ => {}
        }
        item.is_some()
    }
}

fn is_start(event: &Event) -> bool {
    matches!(event, Event::Call(CallEvent { status: CallStatus::Started { .. }, .. }))
}

fn is_last(event: &Event) -> bool {
    matches!(event, Event::Call(CallEvent { status: CallStatus::Finished { .. }, .. }))
}

impl<O: FnMut(&Event)> Drop for Listener<O> {
    /// The session has the results of the calls that have ended, so the listener receives their last events, even if the run is
    /// dropped.
    fn drop(&mut self) {
        let mut waiting = self.sender.lock();
        waiting.has_ended = true;
        let mut items = std::mem::take(&mut waiting.items);
        drop(waiting);
        while let Some(item) = items.pop() {
            // Calls may wait for a flush, which its drop ends.
            let Item::Event(event) = item else { continue };
            if is_last(&event) {
                // The panic hook of the process has reported it.
                let _ = catch_panic(|| (self.on_event)(&event));
            }
        }
    }
}
