//! Paths of arguments, such as `order.lines[].quantity`.

use super::change::Role;
use serde_json::Value;
use std::fmt;

/// A place in a schema. It borrows the path that it extends.
#[derive(Clone, Copy)]
pub(super) enum Path<'p> {
    Root(Role),
    Inside(&'p Path<'p>, Segment<'p>),
}

#[derive(Clone, Copy)]
pub(super) enum Segment<'p> {
    Property(&'p str),
    /// The properties that match a pattern.
    Pattern(&'p str),
    /// The properties that the schema does not name.
    OtherProperties,
    /// The names of the properties.
    Names,
    Items,
    /// The item at an index.
    Item(usize),
    /// An alternative of a union.
    Alternative(&'p str),
}

impl<'p> Path<'p> {
    pub(super) fn inside(&'p self, segment: Segment<'p>) -> Path<'p> {
        Path::Inside(self, segment)
    }

    pub(super) fn property(&'p self, name: &'p str) -> Path<'p> {
        self.inside(Segment::Property(name))
    }

    /// The word for a property of this object.
    pub(super) fn property_noun(&self) -> &'static str {
        if matches!(self, Path::Root(Role::Arguments)) { "argument" } else { "field" }
    }

    fn role(&self) -> Role {
        match self {
            Path::Root(role) => *role,
            Path::Inside(outer, _) => outer.role(),
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Path::Inside(outer, segment) = self else { return Ok(()) };
        outer.write(f)?;
        let dot = if matches!(outer, Path::Root(_)) { "" } else { "." };
        match segment {
            Segment::Property(name) if is_plain(name) => write!(f, "{dot}{name}"),
            Segment::Property(name) => write!(f, "[{}]", Value::from(*name)),
            Segment::Pattern(pattern) => write!(f, "{dot}/{pattern}/"),
            Segment::OtherProperties => write!(f, "{dot}*"),
            Segment::Names => write!(f, "{dot}(names)"),
            Segment::Items => f.write_str("[]"),
            Segment::Item(index) => write!(f, "[{index}]"),
            Segment::Alternative(label) => write!(f, "({label})"),
        }
    }
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '$'))
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.role()) {
            (Path::Root(Role::Arguments), _) => f.write_str("the arguments"),
            (Path::Root(Role::Result), _) => f.write_str("the result"),
            (_, Role::Arguments) => {
                f.write_str("`")?;
                self.write(f)?;
                f.write_str("`")
            }
            (_, Role::Result) => {
                f.write_str("`")?;
                self.write(f)?;
                f.write_str("` of the result")
            }
        }
    }
}
