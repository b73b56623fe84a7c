//! What a text or a key must look like.

/// The keys of a map of unsigned integers, as serde reads them: no sign, no leading zero.
pub(crate) const UNSIGNED_KEYS: &str = r"^(0|[1-9]\d*)$";
/// The same with a sign.
pub(crate) const SIGNED_KEYS: &str = r"^(0|-?[1-9]\d*)$";

#[derive(Debug)]
pub(super) enum Pattern {
    Unsigned,
    Signed,
    #[cfg(feature = "regex")]
    Regex(regex::Regex),
}

impl Pattern {
    /// A pattern that can be held to: the keys of maps always, any other with the feature `regex`.
    pub(super) fn new(pattern: &str) -> Option<Self> {
        match pattern {
            UNSIGNED_KEYS => Some(Pattern::Unsigned),
            SIGNED_KEYS => Some(Pattern::Signed),
            #[cfg(feature = "regex")]
            _ => regex::Regex::new(&of_ecmascript(pattern)).ok().map(Pattern::Regex),
            #[cfg(not(feature = "regex"))]
            _ => None,
        }
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        let is_integer = |digits: &str| {
            digits == "0"
                || (digits.starts_with(|first: char| ('1'..='9').contains(&first))
                    && digits.bytes().all(|digit| digit.is_ascii_digit()))
        };
        match self {
            Pattern::Unsigned => is_integer(text),
            Pattern::Signed => {
                is_integer(text) || text.strip_prefix('-').is_some_and(|rest| rest != "0" && is_integer(rest))
            }
            #[cfg(feature = "regex")]
            Pattern::Regex(regex) => regex.is_match(text),
        }
    }
}

/// JSON Schema's patterns are those of ECMAScript, where `\d` and `\w` are ASCII.
#[cfg(feature = "regex")]
fn of_ecmascript(pattern: &str) -> String {
    let mut translated = String::with_capacity(pattern.len());
    let mut letters = pattern.chars();
    let mut in_class = false;
    while let Some(letter) = letters.next() {
        // In a class, these mean something in Rust alone.
        if in_class && matches!(letter, '[' | '&' | '~') {
            translated.extend(['\\', letter]);
            continue;
        }
        in_class = (in_class && letter != ']') || (!in_class && letter == '[');
        match (letter, if letter == '\\' { letters.next() } else { None }) {
            (_, Some('d')) => translated.push_str("[0-9]"),
            (_, Some('D')) => translated.push_str("[^0-9]"),
            (_, Some('w')) => translated.push_str("[0-9A-Za-z_]"),
            (_, Some('W')) => translated.push_str("[^0-9A-Za-z_]"),
            (_, Some(escaped)) => translated.extend([letter, escaped]),
            (_, None) => translated.push(letter),
        }
    }
    translated
}
