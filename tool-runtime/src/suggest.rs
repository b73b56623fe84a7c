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
    // The most common mistakes, which do not count.
    let normalised = |name: &str| name.to_lowercase().replace('-', "_");
    let wrong = normalised(wrong);
    let (mut found, mut too_far) = (None, max + 1);
    for candidate in candidates {
        // The distance is at least the difference in length, except for letters that become two in lower case.
        if candidate.chars().count().abs_diff(length) >= too_far {
            continue;
        }
        let distance = strsim::osa_distance(&wrong, &normalised(candidate));
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
    let is_near = |word: &str, known: &str| {
        // Another letter in a short word makes another word.
        let is_other = word.len() < 5 && strsim::hamming(word, known) == Ok(1);
        !is_other && strsim::osa_distance(word, known) <= 1
    };
    let is_known = |word: &String| known.iter().any(|known| is_near(word, known));
    let specific: Vec<String> = words(wrong).into_iter().filter(|word| !GENERIC.contains(&&**word)).collect();
    fold(wrong) == fold(name) || !specific.is_empty() && specific.iter().all(is_known)
}

/// The words of a name in lower case: `getHTTPUrl_2` is `get`, `httpurl`, `2`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for letter in name.chars() {
        let starts_word = letter.is_uppercase() && after_lower;
        after_lower = letter.is_lowercase();
        if !letter.is_alphanumeric() || starts_word {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The words of a name as one: two spellings of one name are equal. A sign and letters such as those of `1m` and `1M` are not a
/// matter of spelling.
pub(crate) fn fold(name: &str) -> String {
    let is_name = name.starts_with(char::is_alphanumeric)
        && name.ends_with(char::is_alphanumeric)
        && name.chars().filter(|letter| letter.is_alphabetic()).count() > 1
        && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | ' '));
    if is_name { words(name).concat() } else { name.to_owned() }
}
