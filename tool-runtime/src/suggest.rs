//! Suggestions for a wrong name: the nearest known name.

/// In characters. A model may send a megabyte, and the time of a comparison grows with the product of both lengths.
const MAX_LENGTH: usize = 100;

/// The first candidate with the smallest edit distance from `wrong`. The distance may be at most a third of its length,
/// one for a short name, and zero for a single letter.
pub(crate) fn suggest<'a>(wrong: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = wrong.chars().count();
    if length > MAX_LENGTH {
        return None;
    }
    // All single letters are equally near.
    let max = if length < 2 { 0 } else { (length / 3).max(1) };
    let wrong = lower_with_underscores(wrong);
    let (mut found, mut too_far) = (None, max + 1);
    for candidate in candidates {
        // The distance is at least the difference in length, except for letters that become two in lower case.
        if candidate.chars().count().abs_diff(length) >= too_far {
            continue;
        }
        let distance = strsim::osa_distance(&wrong, &lower_with_underscores(candidate));
        if distance < too_far {
            (found, too_far) = (Some(candidate), distance);
        }
    }
    found
}

/// The name that shares the most pairs of letters, if it shares enough.
pub(crate) fn most_similar<'a>(wrong: &str, names: &[&'a str]) -> Option<&'a str> {
    const MIN_SIMILARITY: f64 = 0.25;
    if wrong.chars().count() > MAX_LENGTH {
        return None;
    }
    let scored = names.iter().map(|name| (strsim::sorensen_dice(wrong, name), *name));
    let best = scored.max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.filter(|(similarity, _)| *similarity >= MIN_SIMILARITY).map(|(_, name)| name)
}

/// The name in lower case without `_`, `-` and spaces: two spellings of one name are equal.
pub(crate) fn fold(name: &str) -> String {
    name.chars().filter(|letter| !matches!(letter, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

/// Letter case and the choice between `_` and `-` are the most common mistakes, and do not count.
fn lower_with_underscores(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}
