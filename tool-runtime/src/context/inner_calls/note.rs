//! A note for the model about the calls that a tool has made: after an error of the tool, the model would repeat them.

use super::InnerRecord;
use crate::outcome::Truncated;

/// The number of calls that a note lists.
const MAX_CALLS: usize = 20;

pub(crate) const MAY_HAVE_EFFECT: &str = "it may have taken effect";

/// The line of a call.
pub(crate) fn inner_call_line(tool: &str, arguments: &str, end: &str) -> String {
    format!("\n- {}({}): {}", Truncated(tool), Truncated(arguments), Truncated(end))
}

/// The note with these lines. Empty if there are none.
pub(crate) fn note_of_inner_calls(lines: impl IntoIterator<Item = String>) -> String {
    let mut lines: Vec<String> = lines.into_iter().collect();
    if lines.is_empty() {
        return String::new();
    }
    let others = lines.len().saturating_sub(MAX_CALLS);
    lines.truncate(MAX_CALLS);
    let more = if others > 0 { format!("\n- and {others} more") } else { String::new() };
    format!("\nIt had made these calls, so do not repeat those that took effect:{}{more}", lines.concat())
}

impl InnerRecord {
    /// The note for a tool that fails before it has repeated all calls of earlier runs; empty if it has.
    pub(crate) fn note(&self) -> String {
        if self.waits_for().is_some() {
            return String::new();
        }
        let mut lines = self.earlier.clone();
        for (&position, call) in self.logged.get().into_iter().flatten() {
            let line = || inner_call_line(&call.tool, &call.arguments, MAY_HAVE_EFFECT);
            lines.entry(position).or_insert_with(line);
        }
        let is_unrepeated = lines.keys().next_back().is_some_and(|last| *last >= self.made());
        if is_unrepeated { note_of_inner_calls(lines.into_values()) } else { String::new() }
    }
}
