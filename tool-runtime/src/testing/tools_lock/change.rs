//! Changes, and their direction.

/// A difference between the lock and the registry.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) is_breaking: bool,
    pub(super) text: Text,
}

/// One line, and the lines below it, each with `- ` or `+ `.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) line: String,
    pub(super) diff: Vec<String>,
}

impl Text {
    pub(super) fn new(line: impl Into<String>, diff: Vec<String>) -> Self {
        Text { line: line.into(), diff }
    }
}

impl From<String> for Text {
    fn from(line: String) -> Self {
        Text { line, diff: Vec::new() }
    }
}

/// The use of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The tool reads the values. It must accept all that it accepted before.
    Arguments,
    /// The tool writes the values. It must write none that a reader of the old schema rejects.
    Result,
}

impl Role {
    /// Whether a change of a schema in this direction is breaking.
    pub(super) fn is_breaking(self, direction: Direction) -> bool {
        match direction {
            Direction::Narrower => self == Role::Arguments,
            Direction::Wider => self == Role::Result,
            Direction::Unknown => true,
            Direction::Equal => false,
        }
    }
}

/// The values that the new schema accepts, compared with those of the old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// It accepts the same values.
    Equal,
    /// It accepts more values.
    Wider,
    /// It accepts fewer values.
    Narrower,
    /// The comparison cannot tell, or both has values that the other rejects.
    Unknown,
}
