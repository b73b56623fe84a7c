//! Halves of surrogate pairs in JSON text, which no string can contain.
//!
//! JSON writes a character such as 😀 as two escapes: `\ud83d\ude00`. Servers that cut text between them send JSON with half
//! a pair, which `serde_json` rejects (<https://github.com/anomalyco/opencode/issues/17758>).

use std::borrow::Cow;

/// The length of an escape such as `\ud83d`.
const ESCAPE: usize = 6;

/// The halves at which a text continues the text before, and is continued by the text after.
#[derive(Clone, Copy, Debug, Default)]
pub struct SplitPairs {
    /// The second half of a pair, at the beginning of a string.
    pub at_beginning: Option<u16>,
    /// The first half of a pair, at the end of a string.
    pub at_end: Option<u16>,
}

/// The JSON text with U+FFFD in place of each half of a surrogate pair without its other half.
#[must_use]
pub fn replace_lone_surrogates(text: &str) -> Cow<'_, str> {
    let mut replaced = String::new();
    let mut end = 0;
    for (at, _) in lone_surrogates(text) {
        replaced.push_str(&text[end..at]);
        replaced.push_str("\\ufffd");
        end = at + ESCAPE;
    }
    if end == 0 {
        return Cow::Borrowed(text);
    }
    replaced.push_str(&text[end..]);
    Cow::Owned(replaced)
}

impl SplitPairs {
    /// Finds the halves in JSON text.
    #[must_use]
    pub fn find(text: &str) -> Self {
        let mut found = SplitPairs::default();
        for (at, half) in lone_surrogates(text) {
            if is_high(half) {
                let is_at_end = text[at + ESCAPE..].starts_with('"');
                found.at_end = Some(half).filter(|_| is_at_end).or(found.at_end);
            } else if found.at_beginning.is_none() {
                found.at_beginning = Some(half).filter(|_| text[..at].ends_with('"'));
            }
        }
        found
    }
}

/// Each half of a surrogate pair without its other half, and where its escape begins.
fn lone_surrogates(text: &str) -> impl Iterator<Item = (usize, u16)> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let at = from + text.get(from..)?.find('\\')?;
            let Some(unit) = escaped_unit(text, at) else {
                // The escaped character, which may be a backslash.
                let escaped = text[at + 1..].chars().next()?;
                from = at + 1 + escaped.len_utf8();
                continue;
            };
            from = at + ESCAPE;
            if is_high(unit) && escaped_unit(text, from).is_some_and(is_low) {
                from += ESCAPE;
            } else if is_high(unit) || is_low(unit) {
                return Some((at, unit));
            }
        }
    })
}

/// The code unit of an escape such as `\ud83d` at this position.
fn escaped_unit(text: &str, at: usize) -> Option<u16> {
    let digits = text.get(at..at + ESCAPE)?.strip_prefix("\\u")?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

fn is_high(unit: u16) -> bool {
    (0xd800..0xdc00).contains(&unit)
}

fn is_low(unit: u16) -> bool {
    (0xdc00..0xe000).contains(&unit)
}

#[cfg(test)]
mod tests {
    use super::replace_lone_surrogates;

    #[test]
    fn only_halves_without_their_other_half_are_replaced() {
        for (text, expected) in [
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\uD83D""#, r#""\ufffd""#),
            (r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
            (r#""\ud83d\ud83d\ude00é\ude00""#, r#""\ufffd\ud83d\ude00é\ufffd""#),
            (r#""\\ud83d\\\ud83d\"""#, r#""\\ud83d\\\ufffd\"""#),
            (r#""\ud83"#, r#""\ud83"#),
            ("\"\\é\\ud83d\\", "\"\\é\\ufffd\\"),
        ] {
            assert_eq!(replace_lone_surrogates(text), expected);
        }
    }
}
