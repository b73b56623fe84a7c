//! The properties of objects.

use super::{Comparison, Schema};
use crate::json::TypeSet;
use crate::testing::tools_lock::change::{Direction, Role};
use crate::testing::tools_lock::path::{Path, Segment};
use crate::testing::tools_lock::renames::{Named, renames, without_description};
use serde_json::Value;
use std::collections::BTreeSet;

/// The properties that a schema does not name.
#[derive(Clone, Copy)]
enum Others<'a> {
    /// The schema does not mention them, so they count as absent.
    Ignored,
    Rejected,
    Described(Schema<'a>),
}

fn others(schema: Schema<'_>) -> Others<'_> {
    match schema.get("additionalProperties") {
        None => Others::Ignored,
        Some(Value::Bool(false)) => Others::Rejected,
        Some(described) => Others::Described(schema.inner(described)),
    }
}

/// The schemas of a keyword such as `properties`.
fn schemas<'a>(schema: Schema<'a>, keyword: &str) -> impl Iterator<Item = (&'a str, Schema<'a>)> {
    let schemas = schema.object(keyword).into_iter().flatten();
    schemas.map(move |(name, value)| (&**name, schema.inner(value)))
}

fn property<'a>(schema: Schema<'a>, name: &str) -> Option<Schema<'a>> {
    schema.object("properties")?.get(name).map(|value| schema.inner(value))
}

fn requires(schema: Schema<'_>, name: &str) -> bool {
    schema.strings("required").any(|required| required == name)
}

impl<'a> Comparison<'a> {
    pub(super) fn compare_objects(&mut self, old: Schema<'a>, new: Schema<'a>, at: &Path<'_>) {
        let is_object = |schema: Schema<'_>| schema.types().intersects(TypeSet::OBJECT);
        if !is_object(old) || !is_object(new) {
            return;
        }
        self.compare_properties(old, new, at);
        self.compare_patterns(old, new, at);
        self.compare_other_properties(old, new, at);
        match (old.get("propertyNames"), new.get("propertyNames")) {
            (None, None) => {}
            (Some(before), Some(after)) => {
                let at = at.inside(Segment::Names);
                self.compare_inside(old.inner(before), new.inner(after), &at);
            }
            (None, _) => {
                self.push(Direction::Narrower, || format!("{at}: names of fields are limited now").into());
            }
            (_, None) => {
                self.push(Direction::Wider, || {
                    format!("{at}: names of fields have no limit any more").into()
                });
            }
        }
    }

    fn compare_properties(&mut self, old: Schema<'a>, new: Schema<'a>, at: &Path<'_>) {
        let named = |schema: Schema<'a>| schemas(schema, "properties").map(|(name, _)| name);
        let all: BTreeSet<&str> = named(old)
            .chain(named(new))
            .chain(old.strings("required"))
            .chain(new.strings("required"))
            .collect();
        let renamed = if self.search.is_some() { Vec::new() } else { renamed(old, new, &all) };
        for &(before, after) in &renamed {
            self.push_change(true, || format!("{} is renamed to `{after}`", at.property(before)).into());
            let inside = at.property(after);
            if let (Some(before), Some(after)) = (property(old, before), property(new, after)) {
                self.compare_inside(before, after, &inside);
            }
            self.compare_required(requires(old, before), requires(new, after), &inside);
        }
        for name in all {
            if renamed.iter().any(|&(before, after)| before == name || after == name) {
                continue;
            }
            let inside = at.property(name);
            let is_required = (requires(old, name), requires(new, name));
            match (property(old, name), property(new, name)) {
                (Some(before), Some(after)) => {
                    self.compare_inside(before, after, &inside);
                    self.compare_required(is_required.0, is_required.1, &inside);
                }
                (Some(before), None) => {
                    let is_breaking = match self.role {
                        Role::Arguments => !self.accepts_unnamed(before, new),
                        Role::Result => is_required.0 || !self.may_become_named(new, before),
                    };
                    self.push_change(is_breaking, || format!("{inside} is removed").into());
                }
                (None, Some(after)) => {
                    let is_breaking = match self.role {
                        Role::Arguments => {
                            (is_required.1 && !is_required.0) || !self.may_become_named(old, after)
                        }
                        Role::Result => !self.accepts_unnamed(after, old),
                    };
                    let kind = match (self.role, is_required.1) {
                        (Role::Result, _) => "new",
                        (_, true) => "new required",
                        (_, false) => "new optional",
                    };
                    let noun = at.property_noun();
                    self.push_change(is_breaking, || format!("{inside} is a {kind} {noun}").into());
                }
                (None, None) => self.compare_required(is_required.0, is_required.1, &inside),
            }
            if self.has_ended() {
                return;
            }
        }
    }

    fn compare_required(&mut self, old: bool, new: bool, at: &Path<'_>) {
        match (old, new) {
            (false, true) => self.push(Direction::Narrower, || format!("{at} becomes required").into()),
            (true, false) => self.push(Direction::Wider, || format!("{at} becomes optional").into()),
            _ => {}
        }
    }

    /// Whether an object schema accepts a property that it does not name. A tool ignores an argument that nothing describes,
    /// which is a loss; a reader of a result that ignores a field loses nothing.
    fn accepts_unnamed(&mut self, sub: Schema<'a>, sup_object: Schema<'a>) -> bool {
        match others(sup_object) {
            Others::Rejected => false,
            Others::Ignored => self.role == Role::Result,
            Others::Described(sup) => self.is_accepted(sub, sup),
        }
    }

    /// Whether the schema of a property accepts the values that an object schema accepts for it without its name.
    fn may_become_named(&mut self, sub_object: Schema<'a>, sup: Schema<'a>) -> bool {
        let described = match others(sub_object) {
            Others::Described(sub) => Some(sub),
            Others::Ignored | Others::Rejected => None,
        };
        // A pattern may match its name.
        let patterns = schemas(sub_object, "patternProperties").map(|(_, schema)| schema);
        described.into_iter().chain(patterns).all(|sub| self.is_accepted(sub, sup))
    }

    fn compare_patterns(&mut self, old: Schema<'a>, new: Schema<'a>, at: &Path<'_>) {
        let keyword = "patternProperties";
        let patterns: BTreeSet<&str> =
            schemas(old, keyword).chain(schemas(new, keyword)).map(|(name, _)| name).collect();
        let (sub, sup) = self.role.order(old, new);
        for pattern in patterns {
            let inside = at.inside(Segment::Pattern(pattern));
            let find =
                |schema: Schema<'a>| schema.object(keyword)?.get(pattern).map(|value| schema.inner(value));
            let verb = match (find(old), find(new)) {
                (Some(before), Some(after)) => {
                    self.compare_inside(before, after, &inside);
                    continue;
                }
                (Some(_), None) => "is removed",
                _ => "is new",
            };
            let is_breaking = if let Some(schema) = find(sub) {
                !self.accepts_unnamed(schema, sup)
            } else {
                // It may match properties that the other schema describes in another way.
                let describes_others = matches!(others(sub), Others::Described(_));
                describes_others || sub.object("properties").is_some() || sub.object(keyword).is_some()
            };
            self.push_change(is_breaking, || format!("{inside} {verb}").into());
        }
    }

    fn compare_other_properties(&mut self, old: Schema<'a>, new: Schema<'a>, at: &Path<'_>) {
        let is_any = |schema: Schema<'_>| schema.constraints().count() == 0 && !schema.is_never();
        let nouns = if at.property_noun() == "argument" { "arguments" } else { "fields" };
        let (direction, text) = match (others(old), others(new)) {
            (Others::Described(before), Others::Described(after)) => {
                return self.compare_inside(before, after, &at.inside(Segment::OtherProperties));
            }
            (Others::Ignored, Others::Ignored) | (Others::Rejected, Others::Rejected) => return,
            (Others::Ignored, Others::Described(after)) if is_any(after.resolved()) => {
                (Direction::Equal, format!("other {nouns} are accepted explicitly now"))
            }
            (Others::Described(before), Others::Ignored) if is_any(before.resolved()) => {
                (Direction::Equal, format!("other {nouns} are not accepted explicitly any more"))
            }
            (Others::Rejected, _) => (Direction::Wider, format!("other {nouns} are accepted now")),
            (_, Others::Rejected) => (Direction::Narrower, format!("other {nouns} are rejected now")),
            (_, Others::Described(_)) => (Direction::Narrower, format!("other {nouns} have a schema now")),
            (_, Others::Ignored) => (Direction::Wider, format!("other {nouns} have no schema any more")),
        };
        self.push(direction, || format!("{at}: {text}").into());
    }
}

/// The pairs of a property that goes and the property in its place.
fn renamed<'a>(old: Schema<'a>, new: Schema<'a>, all: &BTreeSet<&'a str>) -> Vec<(&'a str, &'a str)> {
    let only = |one: Schema<'a>, other: Schema<'a>| -> Vec<Named<'a>> {
        let names = all.iter().filter(|name| property(other, name).is_none());
        names
            .filter_map(|&name| {
                let value = property(one, name)?.value;
                Some(Named { name, content: value.clone(), schema: Some(without_description(value)) })
            })
            .collect()
    };
    let (removed, added) = (only(old, new), only(new, old));
    let pairs = renames(&removed, &added).into_iter();
    pairs.filter_map(|(before, after)| Some((removed.get(before)?.name, added.get(after)?.name))).collect()
}
