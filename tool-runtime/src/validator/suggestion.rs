//! The names that a model probably had in mind.

use super::Budget;
use crate::suggest::suggest;

/// The nearest of these names, if the budget suffices to compare them.
pub(crate) fn suggest_within<'a>(
    wrong: &str,
    names: impl Iterator<Item = &'a str>,
    budget: &mut Budget,
) -> Option<&'a str> {
    let units = (wrong.len().min(100).pow(2)) / 16 + 1;
    suggest(wrong, names.take_while(|_| budget.spend(units).is_ok()))
}

/// The name that a model had in mind with an unknown key. A single unknown key and a single missing name belong together.
pub(crate) fn suggest_unknown<'a>(
    unknown: &str,
    unknown_count: usize,
    missing: &[&str],
    absent: impl Iterator<Item = &'a str>,
    budget: &mut Budget,
) -> Option<String> {
    let only = missing.first().filter(|_| unknown_count == 1 && missing.len() == 1);
    suggest_within(unknown, absent, budget).or(only.copied()).map(str::to_owned)
}
