//! The rules that a history breaks.

use serde::Serialize;
use tool_runtime::history::{self, HistoryError, Violation};
use tool_runtime::message::Message;
use tool_runtime::wire::Wire;
use tool_runtime_repair::{possible_violations, quoted_error, rejected_by};

/// A rule that a message breaks.
#[derive(Debug, Serialize)]
pub(super) struct ViolationView {
    index: usize,
    position: usize,
    id: String,
    rule: &'static str,
    text: String,
    /// Whether only some servers reject it.
    is_possible: bool,
    rejected_by: &'static [&'static str],
    quoted: Option<QuotedErrorView>,
}

/// The error message of a provider.
#[derive(Debug, Serialize)]
struct QuotedErrorView {
    by: &'static str,
    text: String,
}

/// The violations of all servers, and those of some servers of this wire.
pub(super) fn violations(messages: &[Message], wire: &dyn Wire) -> Vec<ViolationView> {
    let certain = history::validate(messages).err();
    let certain = certain.iter().flat_map(HistoryError::violations);
    let possible = possible_violations(messages, wire);
    let mut views: Vec<_> = certain
        .map(|violation| ViolationView::new(violation, wire, false))
        .chain(possible.iter().map(|violation| ViolationView::new(violation, wire, true)))
        .collect();
    views.sort_by_key(|view| view.index);
    views
}

impl ViolationView {
    fn new(violation: &Violation, wire: &dyn Wire, is_possible: bool) -> Self {
        let quoted = quoted_error(violation, wire);
        ViolationView {
            index: violation.index,
            position: violation.position,
            id: violation.id.clone(),
            rule: violation.kind.name(),
            text: violation.kind.to_string(),
            is_possible,
            rejected_by: rejected_by(violation.kind),
            quoted: quoted.map(|error| QuotedErrorView { by: error.by, text: error.text }),
        }
    }
}
