//! The path of events from tools, which may run on other threads, to the listener of a run.

use super::Event;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The listener of a run, and the events that wait for it. `None` without a listener.
pub(super) struct Reporter<O>(Option<Listener<O>>);

struct Listener<O> {
    on_event: O,
    sender: EventSender,
    receiver: UnboundedReceiver<Event>,
}

/// Sends events to the reporter of a run.
#[derive(Clone)]
pub(super) struct EventSender(UnboundedSender<Event>);

impl EventSender {
    pub(super) fn send(&self, event: Event) {
        // If there is no receiver, the run has ended.
        let _ = self.0.send(event);
    }
}

impl<O: FnMut(&Event)> Reporter<O> {
    pub(super) fn new(on_event: Option<O>) -> Self {
        Reporter(on_event.map(|on_event| {
            let (sender, receiver) = unbounded_channel();
            Listener { on_event, sender: EventSender(sender), receiver }
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
            listener.report_waiting();
        }
    }

    /// Runs the future, and reports the events that it and its tools send.
    pub(super) async fn run<F: Future>(&mut self, future: F) -> F::Output {
        let Some(listener) = &mut self.0 else { return future.await };
        let mut future = pin!(future);
        poll_fn(|context| {
            let polled = future.as_mut().poll(context);
            // Receiving registers the waker, for events of other threads.
            while let Poll::Ready(Some(event)) = listener.receiver.poll_recv(context) {
                (listener.on_event)(&event);
            }
            if polled.is_ready() {
                listener.report_waiting();
            }
            polled
        })
        .await
    }
}

impl<O: FnMut(&Event)> Listener<O> {
    fn report_waiting(&mut self) {
        while let Ok(event) = self.receiver.try_recv() {
            (self.on_event)(&event);
        }
    }
}
