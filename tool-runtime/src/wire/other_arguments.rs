//! Arguments that a server states for a call in addition to those of the newest item.

use crate::message::{ToolCall, is_object, is_same_value};

/// The arguments of earlier items of a call, and those that follow complete arguments.
#[derive(Debug, Default)]
pub(super) struct OtherArguments {
    text: String,
    /// Whether they begin with a complete object.
    are_objects: bool,
}

impl OtherArguments {
    /// Takes the arguments of an item of the call, since another item states the call again. Incomplete arguments do not
    /// replace complete ones.
    pub(super) fn take_item(&mut self, arguments: String, is_complete: bool) {
        match (is_complete, self.are_objects) {
            (true, true) => self.add(&arguments),
            (true, false) => {
                let after = std::mem::replace(&mut self.text, arguments);
                self.are_objects = true;
                if is_object(&after) {
                    self.add(&after);
                }
            }
            (false, false) => self.text = arguments,
            (false, true) => {}
        }
    }

    /// Adds complete arguments, unless they are the only ones that were stated before.
    pub(super) fn add(&mut self, arguments: &str) {
        if self.text.is_empty() || !is_same_value(&self.text, arguments) {
            self.text.push_str(arguments);
        }
    }

    /// Adds a piece of text after complete arguments.
    pub(super) fn add_piece(&mut self, piece: &str) {
        self.text.push_str(piece);
    }

    /// Removes the text, unless it contradicts this complete call.
    pub(super) fn keep_contradiction(&mut self, call: &ToolCall) {
        self.are_objects = self.are_objects || call.is_contradicted_by(&self.text);
        if !self.are_objects {
            self.text.clear();
        }
    }

    /// Whether only incomplete arguments were stated.
    pub(super) fn are_incomplete(&self) -> bool {
        !self.text.is_empty() && !self.are_objects
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}
