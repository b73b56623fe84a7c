//! Suggestions for a wrong name: the nearest known name.

use std::cell::LazyCell;

/// In characters. A model may send a megabyte, and the time of a comparison grows with the product of both lengths.
const MAX_LENGTH: usize = 100;

/// The first candidate with the smallest edit distance from `wrong`. The distance may be at most a third of its length,
/// one for a short name, and zero for a single letter.
pub(crate) fn suggest<'a>(wrong: &str, mut candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    nearest(wrong, &mut candidates)
}

fn nearest<'a>(wrong: &str, candidates: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = wrong.chars().count();
    if length > MAX_LENGTH {
        return None;
    }
    // All single letters are equally near.
    let max = if length < 2 { 0 } else { (length / 3).max(1) };
    let wrong = LazyCell::new(|| normalise(wrong));
    let (mut found, mut too_far) = (None, max + 1);
    for candidate in candidates {
        // The distance is at least the difference in length, except for letters that become two in lower case.
        if candidate.chars().count().abs_diff(length) >= too_far {
            continue;
        }
        let name = normalise(candidate);
        if min_distance(&wrong, &name) >= too_far {
            continue;
        }
        let distance = strsim::osa_distance(&wrong, &name);
        if distance < too_far {
            (found, too_far) = (Some(candidate), distance);
        }
    }
    found
}

/// The letters and digits of a name in lower case: two spellings of one name are equal.
pub(crate) fn fold(name: &str) -> String {
    name.chars().filter(|letter| !matches!(letter, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

/// Letter case and the choice between `_` and `-` are the most common mistakes, and do not count.
fn normalise(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}

/// A lower bound of the edit distance: the number of letters that only one of the two has. Among a hundred tools, it
/// excludes so many that the error about an unknown tool takes a fifth of the time.
fn min_distance(one: &str, other: &str) -> usize {
    // Letters of one class count as equal, which only lowers the bound.
    const CLASSES: u32 = 64;
    let mut surplus = [0_isize; CLASSES as usize];
    let class = |letter: char| (u32::from(letter) % CLASSES) as usize;
    one.chars().for_each(|letter| surplus[class(letter)] += 1);
    other.chars().for_each(|letter| surplus[class(letter)] -= 1);
    let only_in_one: usize = surplus.iter().map(|&letters| letters.max(0).unsigned_abs()).sum();
    let only_in_other: usize = surplus.iter().map(|&letters| letters.min(0).unsigned_abs()).sum();
    only_in_one.max(only_in_other)
}
