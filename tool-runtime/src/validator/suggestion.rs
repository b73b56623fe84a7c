//! Suggestions for wrong names in arguments.

use super::Budget;
use crate::suggest::{misspells, suggest};

/// The nearest of the names that the budget allows to compare.
pub(crate) fn suggest_within<'a>(
    wrong: &str,
    names: impl Iterator<Item = &'a str>,
    budget: &mut Budget,
) -> Option<&'a str> {
    let units = (wrong.len().min(100).pow(2)) / 16 + 1;
    suggest(wrong, names.take_while(|_| budget.spend(units).is_ok()))
}

/// The suggestion for an unknown key: the nearest absent name or, if there are one unknown key and one missing name with a
/// common word, the latter.
pub(crate) fn suggest_unknown<'a>(
    unknown: &str,
    unknown_count: usize,
    missing: &[&str],
    absent: impl Iterator<Item = &'a str>,
    budget: &mut Budget,
) -> Option<String> {
    let only = missing.first().filter(|name| {
        unknown_count == 1 && missing.len() == 1 && (misspells(name, unknown) || misspells(unknown, name))
    });
    suggest_within(unknown, absent, budget).or(only.copied()).map(str::to_owned)
}
