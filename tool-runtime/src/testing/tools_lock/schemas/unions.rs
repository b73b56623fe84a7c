//! Unions: `anyOf` and `oneOf`.

use super::alternatives::{Alternatives, partners};
use super::disjoint::are_disjoint;
use super::labels::label;
use super::{Comparison, Schema};
use crate::json::TypeSet;
use crate::testing::tools_lock::change::{Direction, Role, Text};
use crate::testing::tools_lock::line_diff::json_diff;
use crate::testing::tools_lock::path::{Path, Segment};

/// How the values of one alternative are accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cover {
    /// By the other form of the same alternative.
    Partner,
    /// By another alternative.
    Another,
    /// Maybe by several alternatives of a `oneOf`, which rejects them then.
    Several,
    None,
}

impl<'a> Comparison<'a> {
    /// Compares two schemas of which at least one is a union without other constraints. The other one counts as a union of
    /// its types.
    pub(super) fn compare_unions(&mut self, old: Schema<'a>, new: Schema<'a>, at: &Path<'_>) {
        let is_one_of =
            |schema: Schema<'a>| schema.is_union() && schema.union().is_some_and(|(_, is_one)| is_one);
        let one_of = [is_one_of(old), is_one_of(new)];
        self.compare_alternatives([old.alternatives(), new.alternatives()], one_of, at);
    }

    /// Compares unions next to other constraints.
    pub(super) fn compare_inner_unions(&mut self, old: Schema<'a>, new: Schema<'a>, at: &Path<'_>) {
        let inner = |schema: Schema<'a>, schemas: &'a [_]| {
            schemas.iter().map(|alternative| schema.inner(alternative)).collect::<Vec<_>>()
        };
        match (old.union(), new.union()) {
            (None, None) => {}
            (Some((olds, old_is_one_of)), Some((news, new_is_one_of))) => {
                let alternatives = [inner(old, olds), inner(new, news)];
                self.compare_alternatives(alternatives, [old_is_one_of, new_is_one_of], at);
            }
            (before, after) => {
                let (sub, sup) = self.role.order(old, new);
                let is_breaking = sup.union().is_some_and(|(schemas, is_one_of)| {
                    let all = Alternatives::of_one(self.role, sub, inner(sup, schemas), is_one_of);
                    matches!(self.cover(&all, 0), Cover::None | Cover::Several)
                });
                let verb = if before.is_none() { "added" } else { "removed" };
                let before_or_after = before.or(after).map_or(0, |(schemas, _)| schemas.len());
                self.push_change(is_breaking, || {
                    format!("{at}: a choice of {before_or_after} alternatives is {verb}").into()
                });
            }
        }
    }

    fn compare_alternatives(&mut self, schemas: [Vec<Schema<'a>>; 2], one_of: [bool; 2], at: &Path<'_>) {
        let [old, new] = schemas;
        if !self.spend(old.len() * new.len()) {
            return;
        }
        let partners = partners(&old, &new);
        let all = Alternatives { role: self.role, old, new, partners, one_of };
        if self.search.is_some() {
            let is_covered = (0..all.sub().len()).all(|sub| {
                let cover = self.cover(&all, sub);
                matches!(cover, Cover::Partner | Cover::Another)
            });
            if !is_covered {
                self.find_breaking();
            }
            return;
        }
        for &(old, new) in &all.partners {
            self.list_partners(&all, old, new, at);
        }
        for (position, old) in all.old.iter().enumerate() {
            if !all.partners.iter().any(|&(partner, _)| partner == position) {
                self.list_single(&all, Role::Arguments, position, *old, at);
            }
        }
        for (position, new) in all.new.iter().enumerate() {
            if !all.partners.iter().any(|&(_, partner)| partner == position) {
                self.list_single(&all, Role::Result, position, *new, at);
            }
        }
    }

    /// Lists the changes of an alternative that both unions have.
    fn list_partners(&mut self, all: &Alternatives<'a>, old: usize, new: usize, at: &Path<'_>) {
        let (sub, _) = self.role.order(old, new);
        let (Some(&before), Some(&after)) = (all.old.get(old), all.new.get(new)) else { return };
        let cover = self.cover(all, sub);
        if cover != Cover::Several && self.is_same(before, after) {
            return;
        }
        let label = label(before);
        let inside = at.inside(Segment::Alternative(&label));
        // `shape.circle.radius`: the only property of an alternative names it already.
        let is_property = before.resolved().object("properties").is_some_and(|all| all.contains_key(&label));
        let inside = if is_property || all.has_one_value() { at } else { &inside };
        match cover {
            Cover::Another => self.push(Direction::Equal, || {
                format!("{inside} changes, and another alternative accepts its old values").into()
            }),
            Cover::Partner | Cover::None => self.compare(before, after, inside),
            Cover::Several => {
                self.compare(before, after, inside);
                self.push_overlap(&label, at);
            }
        }
    }

    /// Lists an alternative that only one union has: the old one for `Role::Arguments`.
    fn list_single(
        &mut self,
        all: &Alternatives<'a>,
        side: Role,
        position: usize,
        schema: Schema<'a>,
        at: &Path<'_>,
    ) {
        let is_old = side == Role::Arguments;
        // The alternatives of the schema whose values must be valid.
        let cover = if side == self.role { self.cover(all, position) } else { Cover::Partner };
        let label = label(schema);
        if cover == Cover::Several {
            return self.push_overlap(&label, at);
        }
        let (verb, sides) = if is_old {
            ("removed", (Some(schema.value), None))
        } else {
            ("new", (None, Some(schema.value)))
        };
        // `null` needs no explanation.
        let is_plain = schema.is_part() || schema.types() == TypeSet::NULL;
        let diff = if is_plain { Vec::new() } else { json_diff(sides.0, sides.1) };
        self.push_change(cover == Cover::None, || {
            Text::new(format!("{at}: the alternative `{label}` is {verb}"), diff)
        });
    }

    fn push_overlap(&mut self, label: &str, at: &Path<'_>) {
        self.push(Direction::Unknown, || {
            format!("{at}: the alternative `{label}` may overlap with another one of `oneOf`").into()
        });
    }

    /// How the values of an alternative are accepted, by its position among those whose values must be valid.
    fn cover(&mut self, all: &Alternatives<'a>, sub: usize) -> Cover {
        let Some(&schema) = all.sub().get(sub) else { return Cover::None };
        let partner = all.partner_of(sub);
        let others = (0..all.sup().len()).filter(|position| Some(*position) != partner);
        let mut cover = Cover::None;
        for position in partner.into_iter().chain(others) {
            let Some(&sup) = all.sup().get(position) else { continue };
            if !self.is_accepted(schema, sup) {
                continue;
            }
            if self.is_exclusive(all, sub, position) {
                return if Some(position) == partner { Cover::Partner } else { Cover::Another };
            }
            cover = Cover::Several;
        }
        cover
    }

    /// Whether no other alternative of a `oneOf` accepts the values of `sub` that the one at `accepting` accepts.
    fn is_exclusive(&mut self, all: &Alternatives<'a>, sub: usize, accepting: usize) -> bool {
        let Some(&schema) = all.sub().get(sub) else { return false };
        let (_, is_one_of) = self.role.order(all.one_of[0], all.one_of[1]);
        !is_one_of
            || all.sup().iter().enumerate().filter(|(position, _)| *position != accepting).all(
                |(position, other)| {
                    // A valid value matches one alternative, so it does not match another one that has not changed.
                    let is_unchanged = all.one_of == [true, true]
                        && all
                            .sub_of(position)
                            .is_some_and(|(partner, before)| partner != sub && self.is_same(before, *other));
                    is_unchanged || are_disjoint(schema, *other)
                },
            )
    }
}
