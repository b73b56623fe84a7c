//! Escapes of half a surrogate pair in JSON, which no parser of strings accepts.

use std::borrow::Cow;

/// Replaces each escape of half a surrogate pair, such as `\uD83D` without the other half, by `\uFFFD`.
///
/// Programs that truncate a text in UTF-16 truncate it between the halves.
pub(crate) fn replace_lone_surrogates(json: &[u8]) -> Cow<'_, [u8]> {
    let mut replaced = Cow::Borrowed(json);
    let mut position = 0;
    while let Some(offset) = json[position..].iter().position(|&byte| byte == b'\\') {
        position += offset;
        position += match (escaped_unit(&json[position..]), json.get(position + 6..).and_then(escaped_unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                replaced.to_mut()[position..position + 6].copy_from_slice(br"\uFFFD");
                6
            }
            (Some(_), _) => 6,
            // Another escape, or the end. An escaped backslash does not start an escape.
            (None, _) => 2.min(json.len() - position),
        };
    }
    replaced
}

/// The UTF-16 unit of the escape at the start, such as `\uD83D`.
fn escaped_unit(json: &[u8]) -> Option<u16> {
    let digits = json.strip_prefix(br"\u")?.get(..4)?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    u16::from_str_radix(str::from_utf8(digits).ok().filter(|_| is_hex)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::replace_lone_surrogates;

    #[test]
    fn only_halves_without_the_other_half_are_replaced() {
        for (json, expected) in [
            (r#""a\uD83D""#, r#""a\uFFFD""#),
            (r#""\ude00\uD83D\uDE00\ud83d\n""#, r#""\uFFFD\uD83D\uDE00\uFFFD\n""#),
            (r#""\uD83D\uD83D\uDE00""#, r#""\uFFFD\uD83D\uDE00""#),
            (r#""\\uD83D \\\uD83D \u00e9""#, r#""\\uD83D \\\uFFFD \u00e9""#),
            (r"\uD83", r"\uD83"),
            (r"\u+D83", r"\u+D83"),
            ("\\", "\\"),
            ("é😀", "é😀"),
        ] {
            assert_eq!(String::from_utf8_lossy(&replace_lone_surrogates(json.as_bytes())), expected);
        }
    }
}
