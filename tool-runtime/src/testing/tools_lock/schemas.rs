//! The comparison of two schemas: each change with its path, and whether it is breaking.
//!
//! A change of arguments is breaking unless the new schema accepts all values of the old one; a change of a result is
//! breaking unless the old schema accepts all values of the new one. The comparison finds this keyword by keyword, so a
//! change that it cannot prove compatible is breaking.
//!
//! A property that a schema does not name counts as absent, unless `additionalProperties` describes it: an optional
//! property that comes to an open object is compatible.

mod alternatives;
mod arrays;
mod disjoint;
mod labels;
mod limits;
mod objects;
mod others;
mod same;
mod schema;
mod types;
mod unions;

use super::change::{Change, Direction, Role, Text};
use super::line_diff::{json_diff, line_diff};
use super::path::Path;
use schema::{Identity, Schema};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The number of compared pairs of schemas for one tool, and of values for keywords that are compared as a whole.
const MAX_STEPS: usize = 100_000;
/// The depth of compared schemas. A thread has little stack, and references make a schema deeper than its JSON.
const MAX_DEPTH: usize = 100;

type Pair = (Identity, Identity);

/// The changes from the old schema to the new one.
pub(super) fn compare_schemas(old: &Value, new: &Value, role: Role) -> Vec<Change> {
    if old == new {
        return Vec::new();
    }
    let root = Path::Root(role);
    let mut comparison = Comparison::new(role, [old, new]);
    comparison.compare(Schema::root(old), Schema::root(new), &root);
    let mut changes = std::mem::take(&mut comparison.changes);
    // The list names no pair of schemas inside itself, so a union that contains itself could hide a change from it.
    let is_understood = changes.iter().any(|change| change.is_breaking) || comparison.is_compatible();
    let (is_breaking, text) = if comparison.is_exhausted {
        (true, "the schemas are too complex to compare")
    } else if !is_understood {
        (true, "the schema changes, and the comparison cannot tell how")
    } else if changes.is_empty() {
        (false, "the schema changes, and accepts the same values")
    } else {
        return changes;
    };
    changes.push(Change { is_breaking, text: format!("{root}: {text}").into() });
    changes
}

struct Comparison<'a> {
    role: Role,
    /// The old and the new schema. They are borrowed, so that each schema inside them keeps its address, which identifies it.
    roots: [&'a Value; 2],
    changes: Vec<Change>,
    steps: usize,
    depth: usize,
    /// The number of properties and items around the compared schemas. References and unions do not count.
    level: usize,
    is_exhausted: bool,
    /// The pairs whose changes are being listed, or have been listed.
    listed: HashMap<Pair, Listed>,
    /// `Some` while the comparison only searches for a breaking change.
    search: Option<Search>,
    rejected: HashSet<Pair>,
    accepted: HashMap<Pair, Option<usize>>,
}

/// The entries of the list about a pair of schemas.
#[derive(Clone)]
enum Listed {
    /// It has no changes, or the comparison has not ended, so that a type inside itself is listed once.
    Unchanged,
    /// Its changes are listed at a path.
    Changed { path: String, is_breaking: bool },
}

/// A search for a breaking change.
#[derive(Default)]
struct Search {
    has_found: bool,
    /// The pairs in `accepted` that were added, the last one last. `accepted` has the level of a pair whose comparison has not
    /// ended: inside it, the pair is assumed to be compatible.
    trail: Vec<Pair>,
}

impl<'a> Comparison<'a> {
    fn new(role: Role, roots: [&'a Value; 2]) -> Self {
        Comparison {
            role,
            roots,
            changes: Vec::new(),
            steps: 0,
            depth: 0,
            level: 0,
            is_exhausted: false,
            listed: HashMap::new(),
            search: None,
            rejected: HashSet::new(),
            accepted: HashMap::new(),
        }
    }

    /// Compares two schemas at the same place.
    fn compare(&mut self, old: Schema<'a>, new: Schema<'a>, at: &Path<'_>) {
        if self.has_ended() || !self.spend(1) {
            return;
        }
        if self.depth == MAX_DEPTH {
            self.is_exhausted = true;
            return;
        }
        self.depth += 1;
        let pair = (old.resolved().identity(), new.resolved().identity());
        if self.search.is_some() {
            self.search_pair(pair, old.resolved(), new.resolved(), at);
        } else {
            self.list_pair(pair, old, new, at);
        }
        self.depth -= 1;
    }

    /// Compares the schemas of a property or an item.
    fn compare_inside(&mut self, old: Schema<'a>, new: Schema<'a>, at: &Path<'_>) {
        self.level += 1;
        self.compare(old, new, at);
        self.level -= 1;
    }

    fn list_pair(&mut self, pair: Pair, old: Schema<'a>, new: Schema<'a>, at: &Path<'_>) {
        let listed = self.listed.get(&pair).cloned();
        self.compare_descriptions(old, new, listed.is_some(), at);
        match listed {
            Some(Listed::Unchanged) => {}
            Some(Listed::Changed { path, is_breaking }) => {
                self.push_change(is_breaking, || format!("{at}: the same changes as in {path}").into());
            }
            None => {
                let before = self.changes.len();
                self.listed.insert(pair, Listed::Unchanged);
                self.compare_keywords(old.resolved(), new.resolved(), at);
                let changes = self.changes.get(before..).unwrap_or_default();
                if !changes.is_empty() {
                    let is_breaking = changes.iter().any(|change| change.is_breaking);
                    self.listed.insert(pair, Listed::Changed { path: at.to_string(), is_breaking });
                }
            }
        }
    }

    fn search_pair(&mut self, pair: Pair, old: Schema<'a>, new: Schema<'a>, at: &Path<'_>) {
        match self.accepted.get(&pair) {
            // A union that contains itself has no values of its own, so the assumption would accept any.
            Some(Some(level)) if *level >= self.level => return self.find_breaking(),
            Some(_) => return,
            None if self.rejected.contains(&pair) => return self.find_breaking(),
            None => {}
        }
        let Some(search) = &mut self.search else { return };
        let mark = search.trail.len();
        search.trail.push(pair);
        self.accepted.insert(pair, Some(self.level));
        self.compare_keywords(old, new, at);
        let is_accepted = !self.has_ended();
        if is_accepted {
            self.accepted.insert(pair, None);
            return;
        }
        // The pairs inside may have been accepted by the assumption.
        for pair in self.search.iter_mut().flat_map(|search| search.trail.drain(mark..)) {
            self.accepted.remove(&pair);
        }
        if !self.is_exhausted {
            self.rejected.insert(pair);
        }
    }

    /// Whether the change of the whole schema is compatible.
    fn is_compatible(&mut self) -> bool {
        let [old, new] = self.roots.map(Schema::root);
        let (sub, sup) = self.role.order(old, new);
        self.is_accepted(sub, sup)
    }

    /// Whether the values of one schema are valid under another one: `sub` is the schema whose values must be valid.
    fn is_accepted(&mut self, sub: Schema<'a>, sup: Schema<'a>) -> bool {
        // The role orders both pairs in the same way.
        let (old, new) = self.role.order(sub, sup);
        let mut inner = Search::default();
        if let Some(outer) = &mut self.search {
            inner.trail = std::mem::take(&mut outer.trail);
        }
        let outer = self.search.replace(inner);
        self.compare(old, new, &Path::Root(self.role));
        let ended = std::mem::replace(&mut self.search, outer).unwrap_or_default();
        if let Some(outer) = &mut self.search {
            outer.trail = ended.trail;
        }
        !ended.has_found && !self.is_exhausted
    }

    /// Compares the schemas to which references lead.
    fn compare_keywords(&mut self, old: Schema<'a>, new: Schema<'a>, at: &Path<'_>) {
        if old.is_never() || new.is_never() {
            if old.is_never() != new.is_never() {
                let (direction, text) = if old.is_never() {
                    (Direction::Wider, "accepts values now")
                } else {
                    (Direction::Narrower, "accepts no value any more")
                };
                self.push(direction, || format!("{at} {text}").into());
            }
            return;
        }
        if old.is_union() || new.is_union() {
            return self.compare_unions(old, new, at);
        }
        if !self.compare_types(old, new, at) {
            return;
        }
        self.compare_values(old, new, at);
        self.compare_limits(old, new, at);
        self.compare_objects(old, new, at);
        self.compare_arrays(old, new, at);
        self.compare_inner_unions(old, new, at);
        self.compare_others(old, new, at);
    }

    /// Compares the keywords that constrain nothing. `is_listed`: those of the schemas to which references lead are listed
    /// at another path.
    fn compare_descriptions(&mut self, old: Schema<'a>, new: Schema<'a>, is_listed: bool, at: &Path<'_>) {
        if old.is_part() || new.is_part() || (is_listed && old.is_resolved() && new.is_resolved()) {
            return;
        }
        for keyword in ["description", "title"] {
            let (before, after) = (old.description(keyword), new.description(keyword));
            if before == after {
                continue;
            }
            let [before, after] =
                [before, after].map(|text| text.and_then(Value::as_str).unwrap_or_default());
            self.push(Direction::Equal, || {
                Text::new(format!("{at}: the {keyword} changes"), line_diff(before, after))
            });
        }
        for keyword in ["default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"] {
            let (before, after) = (old.description(keyword), new.description(keyword));
            if before != after {
                self.push(Direction::Equal, || {
                    Text::new(format!("{at}: `{keyword}` changes"), json_diff(before, after))
                });
            }
        }
    }

    fn push(&mut self, direction: Direction, text: impl FnOnce() -> Text) {
        self.push_change(self.role.is_breaking(direction), text);
    }

    fn push_change(&mut self, is_breaking: bool, text: impl FnOnce() -> Text) {
        match &mut self.search {
            Some(search) => search.has_found |= is_breaking,
            None => self.changes.push(Change { is_breaking, text: text() }),
        }
    }

    fn find_breaking(&mut self) {
        self.search.iter_mut().for_each(|search| search.has_found = true);
    }

    /// Whether the rest of the comparison has no effect.
    fn has_ended(&self) -> bool {
        self.is_exhausted || self.search.as_ref().is_some_and(|search| search.has_found)
    }

    /// Returns false if the limit of steps is reached.
    fn spend(&mut self, steps: usize) -> bool {
        self.steps += steps;
        self.is_exhausted |= self.steps > MAX_STEPS;
        !self.is_exhausted
    }
}
