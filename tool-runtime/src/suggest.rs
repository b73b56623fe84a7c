//! Suggestions for a wrong name: the nearest known name.

mod edit_distance;

use edit_distance::edit_distance;

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
    // The most common mistakes, which do not count.
    let normalised = |name: &str| name.to_lowercase().replace('-', "_");
    let wrong = normalised(wrong);
    let (mut found, mut too_far) = (None, max + 1);
    for candidate in candidates {
        // The distance is at least the difference in length, except for letters that become two in lower case.
        if candidate.chars().count().abs_diff(length) >= too_far {
            continue;
        }
        let distance = edit_distance(&wrong, &normalised(candidate));
        if distance < too_far {
            (found, too_far) = (Some(candidate), distance);
        }
    }
    found
}

/// Whether a wrong name only misspells another one: each of its words, without those that any name may have, differs by at most
/// one letter from a word of the other. `stop_server` does not misspell `start_server`, nor `set_door` `get_door`.
pub(crate) fn misspells(wrong: &str, name: &str) -> bool {
    const GENERIC: [&str; 4] = ["tool", "function", "call", "api"];
    let has_sign = |name: &str| !name.starts_with(char::is_alphanumeric);
    if wrong.chars().count() > MAX_LENGTH || has_sign(wrong) != has_sign(name) {
        return false;
    }
    let known = words(name);
    let is_known = |word: &str| {
        // Another letter in a short word makes another word.
        let is_same_word = |known: &str| word.len() > 4 || !is_other_in_one_letter(word, known);
        known.split_whitespace().any(|known| edit_distance(word, known) <= 1 && is_same_word(known))
    };
    let are_known = |wrong: &str| {
        let words = words(wrong);
        let mut words = words.split_whitespace().filter(|word| !GENERIC.contains(word)).peekable();
        words.peek().is_some() && words.all(is_known)
    };
    // A capital letter in a word may be the mistake.
    are_known(wrong) || fold(wrong) == fold(name) || are_known(&wrong.to_lowercase())
}

/// Whether two words have the same length, and one letter differs.
fn is_other_in_one_letter(one: &str, other: &str) -> bool {
    one.chars().count() == other.chars().count()
        && one.chars().zip(other.chars()).filter(|(letter, other)| letter != other).count() == 1
}

/// The words of a name in lower case: `getHTTPUrl-2` is `get httpurl 2`.
fn words(name: &str) -> String {
    let mut words = String::with_capacity(name.len() * 2);
    let mut after_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && after_lower {
            words.push(' ');
        }
        after_lower = letter.is_lowercase();
        words.extend(letter.to_lowercase().filter(|letter| letter.is_alphanumeric()));
    }
    words
}

/// The words of a name as one: two spellings of one name are equal. A sign and letters such as those of `1m` and `1M` are not a
/// matter of spelling.
pub(crate) fn fold(name: &str) -> String {
    let is_name = name.starts_with(char::is_alphanumeric)
        && name.ends_with(char::is_alphanumeric)
        && name.chars().filter(|letter| letter.is_alphabetic()).count() > 1
        && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | ' '));
    if is_name { words(name).replace(' ', "") } else { name.to_owned() }
}
