//! The rules of a round, by the ledger and the last session alone.

use crate::agent::RUN_ID;
use crate::ledger::{self, Entry};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use tool_runtime::Session;
use tool_runtime::message::Message;

/// The counts of all rounds.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) agents: usize,
    pub(crate) workers: usize,
    calls: usize,
    effects: usize,
    /// The calls that were interrupted, without and with their effect.
    interrupted: [usize; 2],
    /// The calls of tools that may run again, and that did.
    repeated: usize,
    /// The replies for which the model was asked again.
    asked_again: usize,
}

impl Tally {
    pub(crate) fn has_each_kind(&self) -> bool {
        let Tally { agents, workers, interrupted: [without, with], repeated, .. } = *self;
        agents > 0 && workers > 0 && without > 0 && with > 0 && repeated > 0
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { agents, workers, calls, effects, interrupted: [without, with], repeated, asked_again } =
            self;
        write!(
            f,
            "{agents} agents and {workers} workers killed; {calls} calls, {effects} effects; interrupted: {without} without and \
             {with} with their effect; {repeated} repeated without harm; {asked_again} requests repeated"
        )
    }
}

pub(crate) fn check(folder: &Path, tally: &mut Tally) -> Result<(), String> {
    let stored = std::fs::read_to_string(folder.join("finished")).map_err(|error| error.to_string())?;
    let session: Session = serde_json::from_str(&stored).map_err(|error| error.to_string())?;
    let conversation = session.into_conversation().map_err(|_| "a call has no result")?;
    let entries = ledger::entries(folder)?;
    let mut effects: BTreeMap<String, Vec<(String, u32)>> = BTreeMap::new();
    for entry in &entries {
        if let Entry::Effect { key, tool, order } = entry {
            effects.entry(key.clone()).or_default().push((tool.clone(), *order));
        }
    }
    tally.effects += effects.values().map(Vec::len).sum::<usize>();
    let (mut reply, mut results) = (0, conversation.messages().iter());
    while let Some(message) = results.next() {
        let Message::Assistant(message) = message else { continue };
        for (position, call) in message.tool_calls.iter().enumerate() {
            let result = results.next().ok_or("a result is missing")?.text();
            let key = format!("{RUN_ID}/{reply}/{position}");
            let order: u32 = call
                .arguments
                .bytes()
                .filter(u8::is_ascii_digit)
                .fold(0, |order, digit| order * 10 + u32::from(digit - b'0'));
            let done = effects.remove(&key).unwrap_or_default();
            if done.iter().any(|effect| *effect != (call.name.clone(), order)) {
                return Err(format!("another call has the key {key}: {done:?}, and not {call:?}"));
            }
            check_call(&key, &call.name, order, result, done.len(), tally)?;
        }
        reply += 1;
    }
    if let Some((key, done)) = effects.first_key_value() {
        return Err(format!("a call that the session does not have took effect: {key} {done:?}"));
    }
    let asked = entries.iter().filter(|entry| matches!(entry, Entry::Asked { .. })).count();
    tally.asked_again += asked - reply;
    Ok(())
}

fn check_call(
    key: &str,
    tool: &str,
    order: u32,
    result: &str,
    effects: usize,
    tally: &mut Tally,
) -> Result<(), String> {
    tally.calls += 1;
    let may_repeat = matches!(tool, "label" | "find");
    let is_done = result == format!("{tool} of {order} is done");
    let interrupted =
        format!("Error: `{tool}` was interrupted. It may have taken effect: check whether it did.");
    match (may_repeat, effects) {
        (false, 1) | (true, 1..) if is_done => {}
        (false, 0 | 1) if result == interrupted => tally.interrupted[effects] += 1,
        _ => return Err(format!("{key} has {effects} effects and this result: {result}")),
    }
    tally.repeated += usize::from(effects > 1);
    Ok(())
}
