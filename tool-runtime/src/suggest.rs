//! "Did you mean": the known name that is nearest to a wrong one.

use std::cell::LazyCell;

/// In characters. A model may send a megabyte, and to compare two texts takes the product of their lengths.
const MAX_LENGTH: usize = 100;

/// The candidate with the smallest edit distance from `wrong`, where that is at most a third of its length
/// (and one for short names, none for a single letter); the first of several.
pub(crate) fn suggest<'a>(wrong: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = wrong.chars().count();
    if length > MAX_LENGTH {
        return None;
    }
    // Every letter is as near to every other.
    let max = if length < 2 { 0 } else { (length / 3).max(1) };
    let wrong = LazyCell::new(|| plain(wrong));
    let (mut nearest, mut too_far) = (None, max + 1);
    for candidate in candidates {
        // The distance is at least the difference in length, but for letters that are two in lower case.
        if candidate.chars().count().abs_diff(length) >= too_far {
            continue;
        }
        let name = plain(candidate);
        if least_distance(&wrong, &name) >= too_far {
            continue;
        }
        let distance = strsim::osa_distance(&wrong, &name);
        if distance < too_far {
            (nearest, too_far) = (Some(candidate), distance);
        }
    }
    nearest
}

/// Letter case and the choice between `_` and `-` are the most common mistakes, and count as none.
fn plain(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}

/// The number of letters that only one of the two has, which no edit distance is below. Among a hundred tools it excludes so many
/// that an unknown tool is answered in a fifth of the time.
fn least_distance(one: &str, other: &str) -> usize {
    // Letters of one class count as equal, which only lowers the number.
    const CLASSES: u32 = 64;
    let mut surplus = [0_isize; CLASSES as usize];
    let class = |letter: char| (u32::from(letter) % CLASSES) as usize;
    one.chars().for_each(|letter| surplus[class(letter)] += 1);
    other.chars().for_each(|letter| surplus[class(letter)] -= 1);
    let of_one: usize = surplus.iter().map(|&letters| letters.max(0).unsigned_abs()).sum();
    let of_other: usize = surplus.iter().map(|&letters| letters.min(0).unsigned_abs()).sum();
    of_one.max(of_other)
}
