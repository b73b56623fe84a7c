//! The lines of two texts that differ.

use serde_json::Value;
use std::collections::VecDeque;

/// In characters.
const MAX_JSON: usize = 200;

/// The lines of two texts without the equal lines at the start and at the end. Lines of the old text start with `- `,
/// lines of the new text with `+ `.
pub(super) fn line_diff(old: &str, new: &str) -> Vec<String> {
    let (mut old, mut new): (VecDeque<&str>, VecDeque<&str>) = (old.lines().collect(), new.lines().collect());
    while !old.is_empty() && old.front() == new.front() {
        old.pop_front();
        new.pop_front();
    }
    while !old.is_empty() && old.back() == new.back() {
        old.pop_back();
        new.pop_back();
    }
    let removed = old.iter().map(|line| format!("- {line}"));
    removed.chain(new.iter().map(|line| format!("+ {line}"))).collect()
}

/// Two values as lines of JSON.
pub(super) fn json_diff(old: Option<&Value>, new: Option<&Value>) -> Vec<String> {
    let line = |sign: &str, value: Option<&Value>| Some(format!("{sign} {}", short_json(value?)));
    line("-", old).into_iter().chain(line("+", new)).collect()
}

/// The text of a value with the keys of its objects sorted: equal for equal values.
pub(super) fn sorted_text(mut value: Value) -> String {
    value.sort_all_objects();
    value.to_string()
}

/// The text of a value, truncated.
pub(super) fn short_json(value: &Value) -> String {
    let text = sorted_text(value.clone());
    match text.char_indices().nth(MAX_JSON) {
        Some((end, _)) => format!("{} ..", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::line_diff;

    #[test]
    fn only_the_lines_that_differ_are_listed() {
        let old = "Finds orders.\nSearches by name.\nEnd.";
        let new = "Finds orders.\nSearches by name and id.\nReally.\nEnd.";
        assert_eq!(line_diff(old, new), ["- Searches by name.", "+ Searches by name and id.", "+ Really."]);
        assert_eq!(line_diff("", "a"), ["+ a"]);
        assert_eq!(line_diff("a\nb", "b"), ["- a"]);
        assert_eq!(line_diff("a\na", "a"), ["- a"]);
        assert_eq!(line_diff("same", "same"), [""; 0]);
    }
}
