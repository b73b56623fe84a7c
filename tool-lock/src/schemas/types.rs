//! The types of values, and lists of values.

use super::{Comparison, Schema};
use crate::change::Direction;
use crate::json_type::type_names;
use crate::line_diff::{json_diff, short_json};
use crate::location::Location;
use serde_json::Value;

impl Comparison {
    /// Compares the types. Returns false if no value is of both, so that no other keyword matters.
    pub(super) fn compare_types(&mut self, old: Schema<'_>, new: Schema<'_>, at: &Location) -> bool {
        let (before, after) = (old.types(), new.types());
        let (direction, verb) = if before == after {
            return true;
        } else if before.is_subset(&after) {
            (Direction::Wider, "widens")
        } else if after.is_subset(&before) {
            (Direction::Narrower, "narrows")
        } else {
            (Direction::Incompatible, "changes")
        };
        self.push(
            direction,
            format!("{at}: the type {verb} from {} to {}", type_names(&before), type_names(&after)),
        );
        !before.is_disjoint(&after)
    }

    /// Compares `enum` and `const`.
    pub(super) fn compare_values(&mut self, old: Schema<'_>, new: Schema<'_>, at: &Location) {
        let (before, after) = (old.values(), new.values());
        let is_listed = |schema: Schema<'_>| schema.get("enum").or(schema.get("const")).is_some();
        match (before, after) {
            (Some(before), Some(after)) if is_listed(old) || is_listed(new) => {
                self.compare_lists(before, after, at);
            }
            (None, Some(after)) if is_listed(new) => {
                self.push(
                    Direction::Narrower,
                    format!("{at} accepts only {} now", short_json(&after.into())),
                );
            }
            (Some(before), None) if is_listed(old) => self.push(
                Direction::Wider,
                format!("{at} accepts other values than {} now", short_json(&before.into())),
            ),
            _ => {}
        }
    }

    fn compare_lists(&mut self, before: &[Value], after: &[Value], at: &Location) {
        if let ([before], [after]) = (before, after) {
            if before != after {
                let diff = json_diff(Some(before), Some(after));
                self.push_diff(Direction::Incompatible, format!("{at}: the only value changes"), diff);
            }
            return;
        }
        for value in before.iter().filter(|value| !after.contains(value)) {
            self.push(Direction::Narrower, format!("{at}: the value {} is removed", short_json(value)));
        }
        for value in after.iter().filter(|value| !before.contains(value)) {
            self.push(Direction::Wider, format!("{at}: the value {} is new", short_json(value)));
        }
    }
}
