//! Calls that repeat a failed one.

use super::Place;
use std::collections::{HashMap, VecDeque};

/// The failed calls since the last user message that no later call has repeated, by tool.
#[derive(Debug, Default)]
pub(super) struct Retries {
    /// Those of earlier replies, the oldest first: a model repeats them in their order.
    failed: HashMap<String, VecDeque<Place>>,
    /// Those of the reply in progress.
    new: Vec<(String, Place)>,
}

impl Retries {
    /// Adds a call, and returns the failed call of the same tool in an earlier reply that it repeats.
    pub(super) fn add(&mut self, tool: &str, place: Place, is_error: bool) -> Option<Place> {
        if is_error {
            self.new.push((tool.to_owned(), place));
        }
        self.failed.get_mut(tool)?.pop_front()
    }

    /// Ends a reply: the model has read its errors before the next one.
    pub(super) fn end_reply(&mut self) {
        for (tool, place) in self.new.drain(..) {
            self.failed.entry(tool).or_default().push_back(place);
        }
    }

    pub(super) fn clear(&mut self) {
        self.failed.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, Retries};

    #[test]
    fn only_the_next_reply_after_an_error_is_a_retry() {
        let place = |index| Place { index, position: 0 };
        let mut retries = Retries::default();
        assert_eq!(retries.add("a", place(1), true), None);
        assert_eq!(retries.add("a", place(2), true), None); // the same reply
        retries.end_reply();
        assert_eq!(retries.add("b", place(3), false), None);
        assert_eq!(retries.add("a", place(3), true), Some(place(1)));
        retries.end_reply();
        assert_eq!(retries.add("a", place(5), false), Some(place(2)));
        assert_eq!(retries.add("a", place(5), false), Some(place(3)));
        retries.end_reply();
        assert_eq!(retries.add("a", place(7), true), None);
        retries.end_reply();
        retries.clear();
        assert_eq!(retries.add("a", place(9), false), None);
    }
}
