//! Texts of definitions on one line of a result: a line of a remote server must not look like another tool.

/// With spaces in place of control characters and of line and paragraph separators. JSON escapes only some of them.
pub(crate) fn without_line_breaks(text: &str) -> String {
    text.replace(|letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}'), " ")
}

/// The words of a text, and `..` in place of those after this number of characters.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    let text = without_line_breaks(text);
    let words: Vec<&str> = text.split_whitespace().take(limit).collect();
    shortened(&words.join(" "), limit)
}

/// The first characters of a text, and `..` if there are more.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}..", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
