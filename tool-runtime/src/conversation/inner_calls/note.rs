//! The calls that a tool has made, as a note for the model: after an error of the tool, the model would repeat them.

use crate::context::CallRecord;
use crate::conversation::pending::CallState;
use crate::outcome::Truncated;

/// The number of calls that a note lists.
const MAX_CALLS: usize = 20;

const MAY_HAVE_EFFECT: &str = "it may have taken effect";

impl CallState {
    /// A note about the calls that the tool has made. Empty if there are none.
    pub(in crate::conversation) fn note_of_inner_calls(&self) -> String {
        note(self.begun_calls(0))
    }

    /// A note about the calls of earlier runs that this run has not made.
    pub(in crate::conversation) fn note_of_unrepeated_calls(&self, record: &CallRecord) -> String {
        let record = record.inner_calls();
        let kept = self.begun_calls(record.map_or(0, |record| record.made()));
        let logged = record.into_iter().flat_map(|record| record.logged_only());
        let logged = || logged.map(|call| line(&call.tool, &call.arguments, MAY_HAVE_EFFECT)).collect();
        note(if kept.is_empty() { logged() } else { kept })
    }

    /// The calls of the tool that have begun, from this number on.
    fn begun_calls(&self, from: usize) -> Vec<String> {
        let Some(inner) = self.inner.as_deref() else { return Vec::new() };
        let calls = inner.calls.calls().iter().zip(&inner.calls.states).skip(from);
        let begun = calls.filter_map(|(call, state)| {
            let end = match state.result() {
                Some(result) if result.is_error() => result.text(),
                Some(_) => "ok",
                None if state.has_begun() => MAY_HAVE_EFFECT,
                None => return None,
            };
            Some(line(&call.name, &call.arguments, end))
        });
        begun.collect()
    }
}

fn line(tool: &str, arguments: &str, end: &str) -> String {
    format!("\n- {}({}): {}", Truncated(tool), Truncated(arguments), Truncated(end))
}

fn note(mut calls: Vec<String>) -> String {
    if calls.is_empty() {
        return String::new();
    }
    let others = calls.len().saturating_sub(MAX_CALLS);
    calls.truncate(MAX_CALLS);
    let more = if others > 0 { format!("\n- and {others} more") } else { String::new() };
    format!("\nIt had made these calls, so do not repeat those that took effect:{}{more}", calls.concat())
}
