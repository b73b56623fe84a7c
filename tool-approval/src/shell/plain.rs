//! Commands in which a shell interprets nothing but quotes.

use super::MAX_BYTES;

/// Whether a text is one program with its arguments: without operators, expansions that run something, redirections, line
/// breaks and comments. A text may be plain and not be recognized.
pub(crate) fn is_plain(text: &str) -> bool {
    let text = text.trim_matches(' ');
    let name = text.split(' ').next().unwrap_or_default();
    text.len() <= MAX_BYTES && is_plain_name(name) && has_plain_words(text)
}

/// Whether a word is the same text for every shell.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./+@%:,".contains(&byte);
    !name.is_empty() && name.bytes().all(is_plain)
}

fn has_plain_words(text: &str) -> bool {
    let mut characters = text.chars();
    let mut quote = None;
    while let Some(character) = characters.next() {
        let is_plain = match (quote, character) {
            // A control character, a line break, or a space that only some shells know.
            (_, other) if other != ' ' && (other.is_control() || other.is_whitespace()) => false,
            (Some('\''), '\'') | (Some('"'), '"') => {
                quote = None;
                true
            }
            (Some('\''), _) => true,
            (None, '\'' | '"') => {
                quote = Some(character);
                true
            }
            (_, '\\') => {
                characters.next().is_some_and(|escaped| escaped == ' ' || escaped.is_ascii_graphic())
            }
            (Some(_), other) => !"$`!".contains(other),
            (None, other) => !";&|<>()$`#!{}".contains(other),
        };
        if !is_plain {
            return false;
        }
    }
    quote.is_none()
}
