//! The effects and the requests in a ledger.

use crate::ledger::Entry;
use crate::plan::{Place, Plan, Tool, unedited};
use std::collections::BTreeMap;

/// The entries of one order. The times are indexes in the ledger.
#[derive(Debug)]
pub(crate) struct Effect {
    pub(crate) begun: Vec<usize>,
    pub(crate) done: usize,
    /// The first approval.
    pub(crate) approved: usize,
}

pub(crate) struct Effects<'a> {
    entries: &'a [Entry],
    of_orders: BTreeMap<&'a str, Effect>,
    /// How often the model was asked for each reply.
    asks: BTreeMap<u64, u64>,
}

impl<'a> Effects<'a> {
    /// Reads the entries, and checks that the model is never asked for a recorded reply, and that each call has its key.
    pub(crate) fn new(plan: &Plan, entries: &'a [Entry]) -> Result<Self, String> {
        let mut effects = Effects { entries, of_orders: BTreeMap::new(), asks: BTreeMap::new() };
        let mut keys: BTreeMap<&str, &str> = BTreeMap::new();
        // The number of the replies that are recorded: a call of the next one has begun, for example.
        let mut recorded = 0;
        for (index, entry) in entries.iter().enumerate() {
            match entry {
                Entry::Asked { reply, .. } => {
                    if *reply < recorded {
                        return Err(format!(
                            "the model is asked again for a recorded reply: {entry:?}, entry {index}"
                        ));
                    }
                    recorded = *reply;
                    *effects.asks.entry(*reply).or_default() += 1;
                }
                Entry::Received { reply } => recorded = recorded.max(reply + 1),
                Entry::Stored { replies } => recorded = recorded.max(*replies),
                Entry::Begun { order, key } => {
                    let Place { reply, ask, .. } = Place::of(order).ok_or("an order without a place")?;
                    if *key != escaped(&plan.key(order)) {
                        return Err(format!("the key of {order} is {key}"));
                    }
                    let is_read = |order: &str| plan.tool(order) == Some(Tool::FindOrder);
                    // A read of a streamed reply begins before its reply is recorded, which may be lost.
                    if !is_read(order) {
                        recorded = recorded.max(reply + 1);
                    }
                    if ask != effects.last_ask(reply) {
                        return Err(format!("{order} is a call of a reply that was lost"));
                    }
                    let before = keys.insert(key, order).filter(|before| before != order);
                    if before.is_some_and(|before| !is_read(before)) {
                        return Err(format!("two calls have the key {key}"));
                    }
                    effects.of_order(order).begun.push(index);
                }
                Entry::Done { order } => effects.of_order(order).done += 1,
                Entry::Approved { order } => {
                    if effects.orders().any(|begun| unedited(begun) == unedited(order)) {
                        return Err(format!("a person is asked about {order}, which has begun"));
                    }
                    let effect = effects.of_order(order);
                    effect.approved = effect.approved.min(index);
                }
                _ => {}
            }
        }
        Ok(effects)
    }

    fn of_order(&mut self, order: &'a str) -> &mut Effect {
        let unknown = Effect { begun: Vec::new(), done: 0, approved: usize::MAX };
        self.of_orders.entry(order).or_insert(unknown)
    }

    pub(crate) fn of(&self, order: &str) -> &Effect {
        const NONE: &Effect = &Effect { begun: Vec::new(), done: 0, approved: usize::MAX };
        self.of_orders.get(order).unwrap_or(NONE)
    }

    /// The orders whose tools have begun.
    pub(crate) fn orders(&self) -> impl Iterator<Item = &str> {
        self.of_orders.iter().filter(|(_, effect)| !effect.begun.is_empty()).map(|(order, _)| *order)
    }

    pub(crate) fn last_ask(&self, reply: u64) -> u64 {
        self.asks.get(&reply).copied().unwrap_or_default().saturating_sub(1)
    }

    /// The replies of the model that no process has recorded, without those that the model did not send to their end.
    pub(crate) fn lost_replies(&self, plan: &Plan) -> usize {
        let is_lost = |(&reply, &asks): (&u64, &u64)| {
            (0..asks - 1).filter(|ask| plan.failure(reply, *ask).is_none()).count()
        };
        self.asks.iter().map(is_lost).sum()
    }

    /// The time at which the last reply with this number has arrived.
    pub(crate) fn replied(&self, reply: u64) -> usize {
        let is_reply =
            |entry: &Entry| matches!(entry, Entry::Replied { reply: number, .. } if *number == reply);
        self.entries.iter().rposition(is_reply).unwrap_or(usize::MAX)
    }

    /// The time at which a call of a reply has its result: the next request. After a lost reply, a person may decide otherwise
    /// about a call that waits for them, so its result belongs to the last of these requests.
    pub(crate) fn end_of_call(&self, reply: u64, waits: bool) -> usize {
        let is_next = |entry: &Entry| match entry {
            Entry::Asked { reply: number, .. } => *number == reply + 1,
            _ => false,
        };
        let request = if waits {
            self.entries.iter().rposition(is_next)
        } else {
            self.entries.iter().position(is_next)
        };
        request.unwrap_or(usize::MAX)
    }

    pub(crate) fn interruptions_between(&self, start: usize, end: usize) -> usize {
        let entries = self.entries.iter().enumerate();
        entries.filter(|(index, entry)| (start..end).contains(index) && entry.interrupts()).count()
    }
}

/// A key in visible ASCII characters, as a tool receives it.
fn escaped(key: &str) -> String {
    let escape = |byte: u8| {
        if byte.is_ascii_graphic() && byte != b'%' {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    key.bytes().map(escape).collect()
}
