//! The path of events from tools, which may run on other threads, to the listener of a run.

use super::Event;
use crate::context::StartGate;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

/// The listener of a run, and the events that wait for it. `None` without a listener.
pub(super) struct Reporter<O>(Option<Listener<O>>);

struct Listener<O> {
    on_event: O,
    sender: EventSender,
    receiver: UnboundedReceiver<Item>,
}

/// An item of the channel to the listener.
enum Item {
    Event(Event),
    /// Dropped when the listener has received the events before it.
    Flush(#[expect(dead_code, reason = "only its drop has an effect")] oneshot::Sender<()>),
}

/// Sends events to the reporter of a run.
#[derive(Clone)]
pub(super) struct EventSender(UnboundedSender<Item>);

impl EventSender {
    pub(super) fn send(&self, event: Event) {
        // If there is no receiver, the run has ended.
        let _ = self.0.send(Item::Event(event));
    }

    /// A gate that lets calls start when the listener has received all events.
    pub(super) fn start_gate(&self) -> StartGate {
        let sender = self.0.clone();
        StartGate::new(move |received| drop(sender.send(Item::Flush(received))))
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
            while let Poll::Ready(Some(item)) = listener.receiver.poll_recv(context) {
                listener.receive(&item);
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
        while let Ok(item) = self.receiver.try_recv() {
            self.receive(&item);
        }
    }

    fn receive(&mut self, item: &Item) {
        if let Item::Event(event) = item {
            (self.on_event)(event);
        }
    }
}
