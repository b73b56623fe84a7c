//! The nearest name, for a name that is probably the old one.

/// In characters. The time of a comparison grows with the product of both lengths.
const MAX_LENGTH: usize = 100;

/// The first name with the smallest edit distance from `name`. The distance may be at most a third of its length, one for
/// a short name, and zero for a single letter.
pub(super) fn similar_name<'a>(name: &str, others: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    if length > MAX_LENGTH {
        return None;
    }
    // All single letters are equally near.
    let max = if length < 2 { 0 } else { (length / 3).max(1) };
    let name = normalised(name);
    let (mut found, mut too_far) = (None, max + 1);
    for other in others {
        // The distance is at least the difference in length, except for letters that become two in lower case.
        if other.chars().count().abs_diff(length) >= too_far {
            continue;
        }
        let distance = strsim::osa_distance(&name, &normalised(other));
        if distance < too_far {
            (found, too_far) = (Some(other), distance);
        }
    }
    found
}

/// Letter case and the choice between `_` and `-` do not count.
fn normalised(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}
