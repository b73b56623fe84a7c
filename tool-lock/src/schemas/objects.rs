//! The properties of objects.

use super::{Comparison, Schema};
use crate::change::{Direction, Role};
use crate::location::Location;
use crate::renames::{Named, renames, without_description};
use serde_json::Value;
use std::collections::BTreeSet;

/// The properties that a schema does not name.
#[derive(Clone, Copy)]
enum Others<'a> {
    /// The schema does not mention them, so they count as absent.
    Absent,
    Rejected,
    Described(Schema<'a>),
}

fn others(schema: Schema<'_>) -> Others<'_> {
    match schema.get("additionalProperties") {
        None => Others::Absent,
        Some(Value::Bool(false)) => Others::Rejected,
        Some(described) => Others::Described(schema.inner(described)),
    }
}

/// The schema of a property that a schema names in `properties`, or only in `required`.
fn named<'a>(schema: Schema<'a>, name: &str) -> Option<Schema<'a>> {
    schema.property(name).or_else(|| {
        schema.requires(name).then(|| match others(schema) {
            Others::Absent => schema.any(),
            Others::Rejected => schema.never(),
            Others::Described(described) => described,
        })
    })
}

/// Whether a schema names a property only in `required`, and its patterns may describe it.
fn may_have_pattern(schema: Schema<'_>, name: &str) -> bool {
    schema.property(name).is_none() && schema.requires(name) && schema.get("patternProperties").is_some()
}

/// Whether a schema accepts properties that it does not name, with values that it describes.
fn describes_others(schema: Schema<'_>) -> bool {
    matches!(others(schema), Others::Described(_)) || schema.get("patternProperties").is_some()
}

impl Comparison {
    pub(super) fn compare_objects(&mut self, old: Schema<'_>, new: Schema<'_>, at: &Location) {
        let names = |schema: Schema<'_>| {
            let required = schema.array("required").unwrap_or_default().iter().filter_map(Value::as_str);
            let properties = schema.object("properties").into_iter().flatten().map(|(name, _)| &**name);
            properties.chain(required).map(str::to_owned).collect::<Vec<_>>()
        };
        let mut all: BTreeSet<String> = names(old).into_iter().chain(names(new)).collect();
        for (before, after) in renamed(old, new) {
            self.push(Direction::Incompatible, format!("{} is renamed to `{after}`", at.property(&before)));
            self.compare_property(old, new, [&before, &after], at);
            all.remove(&before);
            all.remove(&after);
        }
        for name in &all {
            self.compare_property(old, new, [name, name], at);
        }
        self.compare_other_properties(old, new, at);
    }

    /// Compares a property that may have another name in the new schema.
    fn compare_property(
        &mut self,
        old: Schema<'_>,
        new: Schema<'_>,
        [before, after]: [&String; 2],
        at: &Location,
    ) {
        let inside = at.property(after);
        let was_required = old.requires(before);
        let is_required = new.requires(after);
        if may_have_pattern(old, before) != may_have_pattern(new, after) {
            return self
                .push(Direction::Incompatible, format!("{inside} changes, and its effect is unknown"));
        }
        match (named(old, before), named(new, after)) {
            (Some(before), Some(after)) => self.compare(before, after, &inside),
            (Some(_), None) => {
                let direction = match self.role {
                    // The tool ignores or rejects the argument.
                    Role::Arguments => Direction::Narrower,
                    Role::Result if was_required || describes_others(new) => Direction::Incompatible,
                    Role::Result => Direction::Equal,
                };
                return self.push(direction, format!("{inside} is removed"));
            }
            (None, Some(_)) => {
                let is_rejected = self.role == Role::Result && matches!(others(old), Others::Rejected);
                let direction = if describes_others(old) || is_rejected {
                    Direction::Incompatible
                } else if self.role == Role::Arguments && is_required && !was_required {
                    Direction::Narrower
                } else {
                    Direction::Equal
                };
                let kind = match (self.role, is_required) {
                    (Role::Result, _) => "new",
                    (Role::Arguments, true) => "new required",
                    (Role::Arguments, false) => "new optional",
                };
                return self.push(direction, format!("{inside} is a {kind} {}", at.noun()));
            }
            (None, None) => {}
        }
        match (was_required, is_required) {
            (false, true) => self.push(Direction::Narrower, format!("{inside} becomes required")),
            (true, false) => self.push(Direction::Wider, format!("{inside} becomes optional")),
            _ => {}
        }
    }

    fn compare_other_properties(&mut self, old: Schema<'_>, new: Schema<'_>, at: &Location) {
        let noun = at.noun();
        let (direction, text) = match (others(old), others(new)) {
            (Others::Absent, Others::Absent) | (Others::Rejected, Others::Rejected) => return,
            (Others::Described(before), Others::Described(after)) => {
                let dot = if at.noun() == "argument" { "*" } else { ".*" };
                return self.compare(before, after, &at.with(dot));
            }
            (Others::Absent, Others::Described(after)) if after.is_any() => {
                (Direction::Equal, "are described now")
            }
            (Others::Described(before), Others::Absent) if before.is_any() => {
                (Direction::Equal, "are not described any more")
            }
            (Others::Rejected, _) => (Direction::Wider, "are accepted now"),
            (_, Others::Rejected) => (Direction::Narrower, "are rejected now"),
            (_, Others::Described(_)) => (Direction::Narrower, "have a schema now"),
            (_, Others::Absent) => (Direction::Wider, "have no schema any more"),
        };
        self.push(direction, format!("{at}: other {noun}s {text}"));
    }
}

/// The removed names of properties, and the names that replace them.
fn renamed(old: Schema<'_>, new: Schema<'_>) -> Vec<(String, String)> {
    let only = |one: Schema<'_>, other: Schema<'_>| -> Vec<Named> {
        let properties = one.object("properties").into_iter().flatten();
        let properties = properties.filter(|(name, _)| other.property(name).is_none());
        let named = properties
            .map(|(name, value)| Named { name: name.clone(), identity: Some(without_description(value)) });
        named.collect()
    };
    renames(only(old, new), only(new, old))
}
