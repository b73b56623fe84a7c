//! Events that wait for a listener, in a limited amount of memory.

use super::{CallEvent, CallStatus};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

/// The bytes of progress and data of tools that wait. Further ones are skipped, unless none waits.
const MAX_BYTES: usize = 16 << 20;

/// An event, which may be that of a call.
pub(crate) trait Queued: From<CallEvent> {
    fn call(&self) -> Option<&CallEvent>;
}

impl Queued for CallEvent {
    fn call(&self) -> Option<&CallEvent> {
        Some(self)
    }
}

/// Events in their order. A tool may send progress and data faster than the listener receives them: the queue skips those that
/// exceed its limit, and those of calls that have reached their time limit or were cancelled, and reports their number.
#[derive(Debug)]
pub(crate) struct EventQueue<T> {
    /// With the bytes of progress and data, and 0 for others.
    events: VecDeque<(T, usize)>,
    bytes: usize,
    /// The number of events since the beginning that do not wait any more.
    removed: u64,
    /// The skipped events that are not reported yet, by the key of the call.
    skipped: HashMap<String, u64>,
    /// The keys of the calls whose progress and data are skipped, since they were stopped.
    stopped: HashSet<String>,
    skips_all: bool,
}

impl<T> Default for EventQueue<T> {
    fn default() -> Self {
        EventQueue {
            events: VecDeque::new(),
            bytes: 0,
            removed: 0,
            skipped: HashMap::new(),
            stopped: HashSet::new(),
            skips_all: false,
        }
    }
}

impl<T: Queued> EventQueue<T> {
    pub(crate) fn push(&mut self, event: T) {
        let bytes = match event.call() {
            Some(call) => {
                if let CallStatus::EventsSkipped { events } = call.status {
                    // Another queue has skipped them. One report before the next event of the call is enough.
                    return count(&mut self.skipped, &key(call), events);
                }
                let bytes = skippable_bytes(call);
                if bytes > 0 && self.bytes > 0 && self.bytes.saturating_add(bytes) > MAX_BYTES {
                    return count(&mut self.skipped, &key(call), 1);
                }
                if call.status.is_end_of_stopped_call() {
                    self.stopped.insert(key(call).into_owned());
                }
                bytes
            }
            None => 0,
        };
        self.bytes = self.bytes.saturating_add(bytes);
        self.events.push_back((event, bytes));
    }

    /// The next event for the listener.
    pub(crate) fn pop(&mut self) -> Option<T> {
        while let Some((event, bytes)) = self.events.front() {
            let Some(call) = event.call() else { break };
            if *bytes > 0 && (self.skips_all || self.stopped.contains(&*key(call))) {
                count(&mut self.skipped, &key(call), 1);
                self.remove_first();
                continue;
            }
            if let Some(events) = self.skipped.remove(&*key(call)) {
                return Some(
                    CallEvent { status: CallStatus::EventsSkipped { events }, ..call.clone() }.into(),
                );
            }
            if call.status.is_last() {
                self.stopped.remove(&*key(call));
            }
            break;
        }
        self.remove_first()
    }

    /// Skips the progress and data of all calls from now on.
    pub(crate) fn skip_all(&mut self) {
        self.skips_all = true;
    }

    fn remove_first(&mut self) -> Option<T> {
        let (event, bytes) = self.events.pop_front()?;
        self.bytes = self.bytes.saturating_sub(bytes);
        self.removed += 1;
        Some(event)
    }

    /// The number of events since the beginning.
    pub(crate) fn pushed(&self) -> u64 {
        self.removed + self.events.len() as u64
    }

    /// The number of events that do not wait any more.
    pub(crate) fn removed(&self) -> u64 {
        self.removed
    }
}

/// Identifies the call of an event. Calls that tools make may have the ids of calls of the model.
fn key(event: &CallEvent) -> Cow<'_, str> {
    match &event.outer_call {
        None => Cow::Borrowed(&event.id),
        Some(outer) => Cow::Owned(format!("{outer}\0{}", event.id)),
    }
}

fn count(skipped: &mut HashMap<String, u64>, id: &str, more: u64) {
    match skipped.get_mut(id) {
        Some(events) => *events += more,
        None => drop(skipped.insert(id.to_owned(), more)),
    }
}

/// The bytes of an event that a tool sends as often as it likes; 0 for others.
fn skippable_bytes(event: &CallEvent) -> usize {
    let data = match &event.status {
        CallStatus::Progress { text, .. } => text.len(),
        CallStatus::Emitted { data } => bytes_of(data),
        _ => return 0,
    };
    size_of::<CallEvent>() + event.id.len() + event.tool.len() + data
}

/// About the bytes of a value in memory.
fn bytes_of(value: &Value) -> usize {
    let (mut bytes, mut rest) = (0, vec![value]);
    while let Some(value) = rest.pop() {
        bytes += size_of::<Value>();
        match value {
            Value::String(text) => bytes += text.len(),
            Value::Array(items) => rest.extend(items),
            Value::Object(fields) => {
                bytes += fields.keys().map(|key| size_of::<String>() + key.len()).sum::<usize>();
                rest.extend(fields.values());
            }
            _ => {}
        }
    }
    bytes
}
