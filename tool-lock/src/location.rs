//! Paths of arguments, such as `order.lines[].quantity`.

use super::change::Role;
use serde_json::Value;
use std::fmt;

/// A location in the arguments or in the result. The path of the whole is empty.
#[derive(Clone)]
pub(super) struct Location {
    pub(super) role: Role,
    path: String,
}

impl Location {
    pub(super) fn root(role: Role) -> Self {
        Location { role, path: String::new() }
    }

    pub(super) fn property(&self, name: &str) -> Self {
        let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '$');
        let dot = if self.path.is_empty() { "" } else { "." };
        if name.is_empty() || !name.chars().all(is_plain) {
            return self.with(&format!("[{}]", Value::from(name)));
        }
        self.with(&format!("{dot}{name}"))
    }

    /// `*` for other properties, `[]` for the items, `[1]` for one of them, `(name)` for an alternative.
    pub(super) fn with(&self, part: &str) -> Self {
        Location { role: self.role, path: format!("{}{part}", self.path) }
    }

    /// The word for a property here.
    pub(super) fn noun(&self) -> &'static str {
        if self.path.is_empty() && self.role == Role::Arguments { "argument" } else { "field" }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&*self.path, self.role) {
            ("", Role::Arguments) => f.write_str("the arguments"),
            ("", Role::Result) => f.write_str("the result"),
            (path, Role::Arguments) => write!(f, "`{path}`"),
            (path, Role::Result) => write!(f, "`{path}` of the result"),
        }
    }
}
