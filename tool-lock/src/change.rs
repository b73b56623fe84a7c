//! Changes, and their direction.

/// A difference between the lock file and the registry.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) is_breaking: bool,
    pub(super) line: String,
    /// Lines with `- ` and `+ `.
    pub(super) diff: Vec<String>,
}

impl Change {
    pub(super) fn breaking(line: impl Into<String>) -> Self {
        Change { is_breaking: true, line: line.into(), diff: Vec::new() }
    }

    pub(super) fn compatible(line: impl Into<String>) -> Self {
        Change { is_breaking: false, line: line.into(), diff: Vec::new() }
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
            Direction::Incompatible => true,
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
    /// Each accepts values that the other rejects, or the comparison cannot decide.
    Incompatible,
}
