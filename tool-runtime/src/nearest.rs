//! "Did you mean": the name that a wrong one is nearest to.

use std::cell::LazyCell;

/// The candidate with the smallest edit distance from `wrong`, where that is at most a third of its length
/// (and one for short names, none for a single letter); the first of several.
pub(crate) fn nearest<'a>(wrong: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = wrong.chars().count();
    // One letter is as near to any other.
    let most = if length < 2 { 0 } else { (length / 3).max(1) };
    let wrong = LazyCell::new(|| plain(wrong));
    candidates
        // The distance is at least the difference in length; asked first, since a model may send a megabyte.
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= most)
        .map(|candidate| (strsim::damerau_levenshtein(&wrong, &plain(candidate)), candidate))
        .filter(|&(distance, _)| distance <= most)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Letter case and the choice between `_` and `-` are the commonest slips, and cost nothing.
fn plain(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}
