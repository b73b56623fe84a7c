//! The positions of pending calls, so that a decision about one of many calls takes no longer than about one of few.

use crate::message::ToolCall;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

#[derive(Clone, Debug, Default)]
pub(super) struct Positions {
    /// By id. Computed when a call is looked up for the first time, since most calls run without a decision.
    by_id: OnceLock<Arc<HashMap<String, usize>>>,
}

impl Positions {
    /// The position of the call with this id. The ids of the calls never change.
    pub(super) fn find(&self, id: &str, calls: &[ToolCall]) -> Option<usize> {
        let by_id = self.by_id.get_or_init(|| {
            let positions = calls.iter().enumerate().rev();
            Arc::new(positions.map(|(position, call)| (call.id.clone(), position)).collect())
        });
        by_id.get(id).copied()
    }
}
