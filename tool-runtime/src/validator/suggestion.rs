//! The names that a model probably had in mind.

use super::Budget;
use crate::outcome::MOST_FAULTS;
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

/// The nearest known name for each unknown key.
pub(crate) fn suggestions<'k, K, I>(
    unknown: &[K],
    missing: &[&str],
    known: impl Fn() -> I,
    budget: &mut Budget,
) -> Vec<Option<String>>
where
    K: AsRef<str>,
    I: Iterator<Item = &'k str>,
{
    // One unknown key and one missing name belong together.
    let only = match (unknown, missing) {
        ([_], &[name]) => Some(name),
        _ => None,
    };
    let suggest = |(index, key): (usize, &K)| {
        // An error message lists no more of them.
        let is_listed = index < MOST_FAULTS;
        let name = is_listed.then(|| suggest_within(key.as_ref(), known(), budget)).flatten();
        name.or(only).map(str::to_owned)
    };
    unknown.iter().enumerate().map(suggest).collect()
}
