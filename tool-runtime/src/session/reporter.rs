//! The path of events from tools, which may run on other threads, to the listener of a run.

use super::Event;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The listener of a run, and the events that wait for it.
pub(super) struct Reporter<O> {
    on_event: O,
    /// `None` if nobody listens.
    channel: Option<(Events, UnboundedReceiver<Event>)>,
}

/// Sends events to the reporter of a run.
#[derive(Clone)]
pub(super) struct Events(UnboundedSender<Event>);

impl Events {
    pub(super) fn send(&self, event: Event) {
        // The run has ended if nobody receives the event.
        let _ = self.0.send(event);
    }
}

impl<O: FnMut(&Event)> Reporter<O> {
    pub(super) fn new(on_event: O, is_observed: bool) -> Self {
        let open = || {
            let (sender, receiver) = unbounded_channel();
            (Events(sender), receiver)
        };
        Reporter { on_event, channel: is_observed.then(open) }
    }

    /// The sender of events; `None` if nobody listens.
    pub(super) fn events(&self) -> Option<&Events> {
        self.channel.as_ref().map(|(events, _)| events)
    }

    /// Reports an event, after those that wait.
    pub(super) fn report(&mut self, event: impl Into<Event>) {
        if let Some(events) = self.events() {
            events.send(event.into());
            self.report_waiting();
        }
    }

    pub(super) fn report_waiting(&mut self) {
        let Some((_, receiver)) = &mut self.channel else { return };
        while let Ok(event) = receiver.try_recv() {
            (self.on_event)(&event);
        }
    }

    /// Runs the future, and reports the events that it and its tools send.
    pub(super) async fn run<F: Future>(&mut self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|context| {
            let polled = future.as_mut().poll(context);
            // Receiving registers the waker, for events of other threads.
            while let Some((_, receiver)) = &mut self.channel {
                let Poll::Ready(Some(event)) = receiver.poll_recv(context) else { break };
                (self.on_event)(&event);
            }
            if polled.is_ready() {
                self.report_waiting();
            }
            polled
        })
        .await
    }
}
