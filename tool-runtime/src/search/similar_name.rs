//! The most similar name, by the words of names.

use super::words::name_words;

/// The first name that shares the most words, if these are more than half of the words of both names. (The edit
/// distance does not find `create_issue` for `issue_create`.)
pub(crate) fn similar_name<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = name_words(wrong);
    let mut best: Option<(usize, &str)> = None;
    for name in names {
        let words = name_words(name);
        let shared = words.intersection(&wrong).count();
        let is_similar = shared * 2 > words.len().max(wrong.len());
        if is_similar && best.is_none_or(|(most, _)| shared > most) {
            best = Some((shared, name));
        }
    }
    best.map(|(_, name)| name)
}
