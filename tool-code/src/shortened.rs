//! The beginnings of long texts.

/// The first bytes of a text, at the end of a character.
pub(crate) fn first_bytes(text: &str, max_bytes: usize) -> &str {
    let end = (0..=text.len().min(max_bytes)).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or_default()]
}

/// A text in one line, with `..` in place of the characters beyond the first ones.
pub(crate) fn one_line(text: &str, max_characters: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(max_characters) {
        Some((end, _)) => format!("{}..", &line[..end]),
        None => line,
    }
}
