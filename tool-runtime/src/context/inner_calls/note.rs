//! A note for the model about the calls that a tool has made: after an error of the tool, the model would repeat them.

use super::InnerRecord;
use crate::outcome::Truncated;
use std::sync::atomic::Ordering;

/// The number of calls that a note lists.
const MAX_CALLS: usize = 20;

pub(crate) const MAY_HAVE_EFFECT: &str = "it may have taken effect";

/// The line of a call.
pub(crate) fn inner_call_line(tool: &str, arguments: &str, end: &str) -> String {
    format!("\n- {}({}): {}", Truncated(tool), Truncated(arguments), Truncated(end))
}

/// The note with these lines. Empty if there are none.
pub(crate) fn note_of_inner_calls(lines: impl IntoIterator<Item = String>) -> String {
    let lines: String = lines.into_iter().collect();
    let calls: Vec<&str> = lines.lines().skip(1).collect();
    let listed = calls[..calls.len().min(MAX_CALLS)].join("\n");
    let more = match calls.len() {
        0 => return String::new(),
        count if count > MAX_CALLS => format!("\n- and {} more", count - MAX_CALLS),
        _ => String::new(),
    };
    format!("\nThe tool had made these calls, so do not repeat those that took effect:\n{listed}{more}")
}

impl InnerRecord {
    /// The note for a tool that fails before it has repeated all calls of earlier runs; empty if it has. It lists all of them, since
    /// the tool may not name those that it has repeated.
    pub(crate) fn note(&self) -> String {
        let mut lines = self.earlier_lines.clone();
        for (&position, call) in self.logged.get().into_iter().flatten() {
            let line = || inner_call_line(&call.tool, &call.arguments, MAY_HAVE_EFFECT);
            lines.entry(position).or_insert_with(line);
        }
        let made = self.made.load(Ordering::Relaxed);
        let has_repeated_all = lines.last_key_value().is_none_or(|(&last, _)| last < made);
        // A tool that waits continues in a later run.
        let is_empty = has_repeated_all || self.waits_for().is_some();
        if is_empty { String::new() } else { note_of_inner_calls(lines.into_values()) }
    }
}
