//! Limits of numbers, lengths and counts, and the keywords `pattern`, `format` and `uniqueItems`.

use super::{Comparison, Schema};
use crate::change::Direction;
use crate::json_type::JsonType;
use crate::line_diff::json_diff;
use crate::location::Location;
use crate::number::compare_numbers;
use serde_json::{Number, Value};
use std::cmp::Ordering;
use std::fmt;

/// Limits with a type that has them, their words, and whether they are lower ones. A set with numbers has integers.
const LIMITS: [(JsonType, &str, &str, bool); 8] = [
    (JsonType::Integer, "minimum", "minimum", true),
    (JsonType::Integer, "maximum", "maximum", false),
    (JsonType::String, "minLength", "minimum length", true),
    (JsonType::String, "maxLength", "maximum length", false),
    (JsonType::Array, "minItems", "minimum number of items", true),
    (JsonType::Array, "maxItems", "maximum number of items", false),
    (JsonType::Object, "minProperties", "minimum number of fields", true),
    (JsonType::Object, "maxProperties", "maximum number of fields", false),
];

/// One bound of a range.
#[derive(Clone, Copy)]
struct Limit<'a> {
    number: &'a Number,
    is_exclusive: bool,
}

impl fmt::Display for Limit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.number, if self.is_exclusive { " (exclusive)" } else { "" })
    }
}

impl Comparison {
    /// Compares the limits of the types that both schemas accept.
    pub(super) fn compare_limits(&mut self, old: Schema<'_>, new: Schema<'_>, at: &Location) {
        let types = &old.types() & &new.types();
        for (kind, keyword, words, is_lower) in LIMITS {
            if types.contains(&kind) {
                let limits = [old, new].map(|schema| limit(schema, keyword, is_lower));
                self.compare_limit(limits, words, is_lower, at);
            }
        }
        if types.contains(&JsonType::String) {
            self.compare_text_keyword("pattern", old, new, at);
            self.compare_text_keyword("format", old, new, at);
        }
        if types.contains(&JsonType::Array) {
            let unique = |schema: Schema<'_>| schema.get("uniqueItems") == Some(&Value::Bool(true));
            match (unique(old), unique(new)) {
                (false, true) => {
                    self.push(Direction::Narrower, format!("{at}: items must be unique now"));
                }
                (true, false) => self.push(Direction::Wider, format!("{at}: items may repeat now")),
                _ => {}
            }
        }
    }

    fn compare_limit(&mut self, limits: [Option<Limit<'_>>; 2], words: &str, is_lower: bool, at: &Location) {
        match limits {
            [None, None] => {}
            [None, Some(new)] => {
                self.push(Direction::Narrower, format!("{at}: a {words} of {new} is added"));
            }
            [Some(old), None] => {
                self.push(Direction::Wider, format!("{at}: the {words} of {old} is removed"));
            }
            [Some(old), Some(new)] => {
                let order = strictness(old, new, is_lower);
                let direction = match order {
                    Ordering::Less => Direction::Narrower,
                    Ordering::Greater => Direction::Wider,
                    Ordering::Equal => return,
                };
                let verb = if (order == Ordering::Less) == is_lower { "rises" } else { "falls" };
                self.push(direction, format!("{at}: the {words} {verb} from {old} to {new}"));
            }
        }
    }

    fn compare_text_keyword(&mut self, keyword: &str, old: Schema<'_>, new: Schema<'_>, at: &Location) {
        let (before, after) = (old.get(keyword), new.get(keyword));
        let (direction, verb) = match (before, after) {
            _ if before == after => return,
            (None, _) => (Direction::Narrower, "is added"),
            (_, None) => (Direction::Wider, "is removed"),
            _ => (Direction::Incompatible, "changes"),
        };
        self.push_diff(direction, format!("{at}: the {keyword} {verb}"), json_diff(before, after));
    }
}

/// The limit of a keyword, or that of its exclusive form if that is stricter.
fn limit<'a>(schema: Schema<'a>, keyword: &str, is_lower: bool) -> Option<Limit<'a>> {
    let read = |keyword: &str, is_exclusive: bool| {
        // Without a float, it is too large to be compared.
        let number = schema.get(keyword)?.as_number().filter(|number| number.as_f64().is_some())?;
        Some(Limit { number, is_exclusive })
    };
    let exclusive = match keyword {
        "minimum" => read("exclusiveMinimum", true),
        "maximum" => read("exclusiveMaximum", true),
        _ => None,
    };
    match (read(keyword, false), exclusive) {
        (Some(one), Some(other)) if strictness(one, other, is_lower) == Ordering::Less => Some(other),
        (one, other) => one.or(other),
    }
}

/// `Less`: `new` is stricter than `old`.
fn strictness(old: Limit<'_>, new: Limit<'_>, is_lower: bool) -> Ordering {
    let order = compare_numbers(old.number, new.number);
    let order = if is_lower { order } else { order.reverse() };
    order.then(old.is_exclusive.cmp(&new.is_exclusive))
}
