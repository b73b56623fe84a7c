//! The comparison of two schemas, keyword by keyword: each change with its place, and whether it is breaking.
//!
//! A change of arguments is breaking unless the new schema accepts all values of the old one; a change of a result is breaking
//! unless the old schema accepts all values of the new one. The comparison never searches for another explanation: a change
//! that it does not understand is breaking.
//!
//! A property that a schema does not name counts as absent, unless `additionalProperties` describes it: an optional
//! property that is added to an open object is compatible.

mod limits;
mod objects;
mod schema;
mod types;
mod unions;

use super::change::{Change, Direction, Role};
use super::line_diff::{json_diff, line_diff};
use super::location::Location;
use schema::Schema;
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};

/// The depth of compared schemas. A thread has little stack, and references make a schema deeper than its JSON.
const MAX_DEPTH: usize = 100;
/// The number of compared pairs of schemas.
const MAX_PAIRS: usize = 100_000;

/// The keywords that constrain nothing, apart from `description` and `title`.
const ANNOTATIONS: [&str; 6] = ["default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"];

/// The changes from the old schema to the new one.
pub(super) fn compare_schemas(old: &Value, new: &Value, role: Role) -> Vec<Change> {
    if old == new {
        return Vec::new();
    }
    let root = Location::root(role);
    let mut comparison = Comparison {
        role,
        changes: Vec::new(),
        compared: HashSet::new(),
        depth: 0,
        is_in_one_of: false,
        is_too_complex: false,
    };
    comparison.compare(Schema::root(old), Schema::root(new), &root);
    if comparison.is_too_complex {
        comparison.push(Direction::Incompatible, format!("{root}: the schemas are too complex to compare"));
    } else if comparison.changes.is_empty() {
        comparison.push(Direction::Equal, format!("{root}: the schema changes, and accepts the same values"));
    }
    comparison.changes
}

struct Comparison {
    role: Role,
    changes: Vec<Change>,
    /// The pairs that were compared, by address, and whether they were in a `oneOf`. Each is compared once, since a type may
    /// contain itself.
    compared: HashSet<(*const Value, *const Value, bool)>,
    depth: usize,
    /// Whether a value must match exactly one alternative: then each change of an alternative may reject values.
    is_in_one_of: bool,
    is_too_complex: bool,
}

impl Comparison {
    /// Compares two schemas at the same place.
    fn compare(&mut self, old: Schema<'_>, new: Schema<'_>, at: &Location) {
        self.compare_descriptions(old, new, at);
        let (old, new) = (old.resolved(), new.resolved());
        let pair = (std::ptr::from_ref(old.value), std::ptr::from_ref(new.value), self.is_in_one_of);
        if !self.compared.insert(pair) {
            return;
        }
        if self.depth == MAX_DEPTH || self.compared.len() > MAX_PAIRS {
            self.is_too_complex = true;
            return;
        }
        self.depth += 1;
        self.compare_keywords(old, new, at);
        self.depth -= 1;
    }

    fn compare_keywords(&mut self, old: Schema<'_>, new: Schema<'_>, at: &Location) {
        match (old.is_never(), new.is_never()) {
            (false, false) => {}
            (true, true) => return,
            (true, false) => return self.push(Direction::Wider, format!("{at} accepts values now")),
            (false, true) => {
                return self.push(Direction::Narrower, format!("{at} accepts no value any more"));
            }
        }
        if self.compare_unions(old, new, at) || !self.compare_types(old, new, at) {
            return;
        }
        self.compare_values(old, new, at);
        self.compare_limits(old, new, at);
        self.compare_objects(old, new, at);
        self.compare_arrays(old, new, at);
        self.compare_others(old, new, at);
    }

    /// Compares the keywords that constrain nothing.
    fn compare_descriptions(&mut self, old: Schema<'_>, new: Schema<'_>, at: &Location) {
        for keyword in ["description", "title"] {
            let (before, after) = (old.annotation(keyword), new.annotation(keyword));
            if before != after {
                let [before, after] =
                    [before, after].map(|text| text.and_then(Value::as_str).unwrap_or_default());
                let diff = line_diff(before, after);
                self.push_diff(Direction::Equal, format!("{at}: the {keyword} changes"), diff);
            }
        }
        for keyword in ANNOTATIONS {
            let (before, after) = (old.annotation(keyword), new.annotation(keyword));
            if before != after {
                let diff = json_diff(before, after);
                self.push_diff(Direction::Equal, format!("{at}: `{keyword}` changes"), diff);
            }
        }
    }

    /// Compares `prefixItems` and `items`.
    fn compare_arrays(&mut self, old: Schema<'_>, new: Schema<'_>, at: &Location) {
        let count = old.first_items().len().max(new.first_items().len());
        for index in 0..count {
            self.compare(old.item(index), new.item(index), &at.with(&format!("[{index}]")));
        }
        if old.get("items").is_some() || new.get("items").is_some() {
            self.compare(old.item(count), new.item(count), &at.with("[]"));
        }
    }

    /// Compares the keywords that no other method compares: they must be the same.
    fn compare_others(&mut self, old: Schema<'_>, new: Schema<'_>, at: &Location) {
        let keywords: BTreeSet<&str> = old.constraints().chain(new.constraints()).collect();
        for keyword in keywords {
            let (before, after) = (old.get(keyword), new.get(keyword));
            if schema::is_compared(old, keyword) && schema::is_compared(new, keyword) {
                continue;
            }
            if let ("$ref", Some(Value::String(before)), Some(Value::String(after))) =
                (keyword, before, after)
            {
                if let (Some(old), Some(new)) = (old.target(before), new.target(after)) {
                    self.compare(old, new, at);
                    continue;
                }
            }
            if let ("allOf", Some(Value::Array(before)), Some(Value::Array(after))) = (keyword, before, after)
            {
                if before.len() == after.len() {
                    for (before, after) in before.iter().zip(after) {
                        self.compare(old.inner(before), new.inner(after), at);
                    }
                    continue;
                }
            }
            // `unevaluatedProperties` depends on the keywords next to it.
            let is_same = if keyword == "$ref" {
                // It leads to another document, or to an anchor.
                before == after && before.and_then(Value::as_str).is_some_and(|text| !text.starts_with('#'))
            } else if keyword.starts_with("unevaluated") {
                old.value == new.value && schema::have_same_references(old, new, Some(old.value))
            } else {
                before == after && schema::have_same_references(old, new, before)
            };
            if !is_same {
                let line = format!("{at}: `{keyword}` changes, and its effect is unknown");
                self.push_diff(Direction::Incompatible, line, json_diff(before, after));
            }
        }
    }

    fn push(&mut self, direction: Direction, line: String) {
        self.push_diff(direction, line, Vec::new());
    }

    fn push_diff(&mut self, direction: Direction, line: String, diff: Vec<String>) {
        let direction = if self.is_in_one_of && direction != Direction::Equal {
            Direction::Incompatible
        } else {
            direction
        };
        let is_breaking = self.role.is_breaking(direction);
        self.changes.push(Change { is_breaking, line, diff });
    }
}
