//! The state of a round: the messages of its user, the effects of its tools, the removed messages.

use fastrand::Rng;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tool_runtime::history::Trimmed;
use tool_runtime::message::Message;
use tool_runtime::session::Inbox;

/// Shared by the tools and the hooks of a session.
#[derive(Clone)]
pub(crate) struct World(Arc<Mutex<Known>>);

pub(crate) struct Known {
    pub(crate) rng: Rng,
    pub(crate) reply_tokens: u64,
    pub(crate) inbox: Inbox,
    /// The texts of all messages of the user.
    pub(crate) sent: BTreeSet<String>,
    /// The texts of the messages that compaction has removed.
    pub(crate) removed: BTreeSet<String>,
    /// The number of effects of each order.
    pub(crate) charges: HashMap<u64, u32>,
    pub(crate) events: Vec<&'static str>,
}

impl World {
    pub(crate) fn new(rng: Rng, reply_tokens: u64) -> Self {
        World(Arc::new(Mutex::new(Known {
            rng,
            reply_tokens,
            inbox: Inbox::default(),
            sent: BTreeSet::new(),
            removed: BTreeSet::new(),
            charges: HashMap::new(),
            events: Vec::new(),
        })))
    }

    pub(crate) fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, event: &'static str) {
        self.known().events.push(event);
    }

    pub(crate) fn reply_tokens(&self) -> u64 {
        self.known().reply_tokens
    }

    pub(crate) fn charge(&self, order: u64) {
        *self.known().charges.entry(order).or_default() += 1;
    }

    /// The next message of the user.
    pub(crate) fn message(&self) -> String {
        let mut known = self.known();
        let message = format!("Message {:04}.", known.sent.len());
        known.sent.insert(message.clone());
        message
    }

    /// The user may send a message while a call runs.
    pub(crate) fn send_during_call(&self) {
        if self.known().rng.u32(0..6) == 0 {
            let message = self.message();
            let inbox = self.known().inbox.clone();
            inbox.push_user(message);
            self.add("message");
        }
    }

    pub(crate) fn compacted(&self, trimmed: &Trimmed) {
        let mut known = self.known();
        known.events.extend((!trimmed.truncated.is_empty()).then_some("notice"));
        known.removed.extend(
            trimmed
                .removed
                .iter()
                .filter(|message| is_user(message))
                .map(|message| message.text().to_owned()),
        );
    }
}

pub(crate) fn is_user(message: &Message) -> bool {
    matches!(message, Message::User(_)) && message.text().starts_with("Message ")
}

/// The handles of stored results in a text: in notices, `read_result with handle "3"`, and in the list of a summary.
pub(crate) fn handles(text: &str) -> Vec<String> {
    let notices = text.split("read_result with handle \"").skip(1).filter_map(|rest| rest.split('"').next());
    let list = text.split_once("Stored results, which read_result reads").map_or("", |(_, list)| list);
    let listed = list.split('"').skip(1).step_by(2);
    notices.chain(listed).map(str::to_owned).collect()
}
