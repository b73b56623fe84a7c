//! The alternatives of two unions, and which of them belong together.

use super::Schema;
use super::labels::label;
use crate::json::TypeSet;
use crate::testing::tools_lock::change::Role;

pub(super) struct Alternatives<'a> {
    pub(super) role: Role,
    pub(super) old: Vec<Schema<'a>>,
    pub(super) new: Vec<Schema<'a>>,
    /// The positions of the old and the new form of the same alternative.
    pub(super) partners: Vec<(usize, usize)>,
    /// Whether the old union, and the new one, is a `oneOf`.
    pub(super) one_of: [bool; 2],
}

impl<'a> Alternatives<'a> {
    /// One schema whose values must be valid, and the alternatives that must accept them.
    pub(super) fn of_one(role: Role, sub: Schema<'a>, sup: Vec<Schema<'a>>, is_one_of: bool) -> Self {
        let (old, new) = role.order(vec![sub], sup);
        let (old_is_one_of, new_is_one_of) = role.order(false, is_one_of);
        Alternatives { role, old, new, partners: Vec::new(), one_of: [old_is_one_of, new_is_one_of] }
    }

    /// The alternatives whose values must be valid.
    pub(super) fn sub(&self) -> &[Schema<'a>] {
        self.role.order(&self.old, &self.new).0
    }

    /// The alternatives that must accept them.
    pub(super) fn sup(&self) -> &[Schema<'a>] {
        self.role.order(&self.old, &self.new).1
    }

    /// The position in `sup` of the other form of an alternative in `sub`.
    pub(super) fn partner_of(&self, sub: usize) -> Option<usize> {
        let mut pairs = self.partners.iter().map(|&(old, new)| self.role.order(old, new));
        pairs.find(|(position, _)| *position == sub).map(|(_, sup)| sup)
    }

    /// The alternative in `sub`, with its position, whose other form is at this position in `sup`.
    pub(super) fn sub_of(&self, sup: usize) -> Option<(usize, Schema<'a>)> {
        let mut pairs = self.partners.iter().map(|&(old, new)| self.role.order(old, new));
        let (sub, _) = pairs.find(|(_, position)| *position == sup)?;
        Some((sub, *self.sub().get(sub)?))
    }

    /// Whether each union has one alternative other than null, so that a path need not name it.
    pub(super) fn has_one_value(&self) -> bool {
        [&self.old, &self.new].into_iter().all(|schemas| {
            schemas.iter().filter(|schema| schema.resolved().types() != TypeSet::NULL).count() <= 1
        })
    }
}

/// Pairs the alternatives: equal ones, then those with the same label, then the last two.
pub(super) fn partners(old: &[Schema<'_>], new: &[Schema<'_>]) -> Vec<(usize, usize)> {
    let mut partners: Vec<(usize, usize)> = Vec::new();
    for (position, before) in old.iter().enumerate() {
        let is_free = |candidate: usize| !partners.iter().any(|&(_, new)| new == candidate);
        let equal = new
            .iter()
            .enumerate()
            .find(|(candidate, after)| is_free(*candidate) && before.value == after.value);
        if let Some((candidate, _)) = equal {
            partners.push((position, candidate));
        }
    }
    let labels = [old, new].map(|schemas| schemas.iter().map(|schema| label(*schema)).collect::<Vec<_>>());
    let [old_labels, new_labels] = &labels;
    let mut rest_old: Vec<usize> =
        (0..old.len()).filter(|at| !partners.iter().any(|(old, _)| old == at)).collect();
    let mut rest_new: Vec<usize> =
        (0..new.len()).filter(|at| !partners.iter().any(|(_, new)| new == at)).collect();
    let only = |rest: &[usize], labels: &[String], label: &String| {
        let mut found = rest.iter().filter(|&&at| labels.get(at) == Some(label));
        found.next().copied().filter(|_| found.next().is_none())
    };
    for label in old_labels {
        let pair = (only(&rest_old, old_labels, label), only(&rest_new, new_labels, label));
        if let (Some(before), Some(after)) = pair {
            partners.push((before, after));
            rest_old.retain(|at| *at != before);
            rest_new.retain(|at| *at != after);
        }
    }
    if let ([before], [after]) = (&rest_old[..], &rest_new[..]) {
        let types =
            |schemas: &[Schema<'_>], at: usize| schemas.get(at).map(|schema| schema.resolved().types());
        // An alternative of another type is another alternative.
        if types(old, *before) == types(new, *after) {
            partners.push((*before, *after));
        }
    }
    partners.sort_unstable();
    partners
}
