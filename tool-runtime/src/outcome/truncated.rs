//! Escaped and truncated text of a model, for messages and spans.

use std::fmt;

/// In characters: enough for a model to recognize its own text.
const MAX_LENGTH: usize = 80;

/// The same for text that may contain text of a model, such as the error of a decoder.
pub(crate) fn bounded(text: &str) -> String {
    const MAX_LENGTH: usize = 400;
    match text.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}…", Escaped(&text[..end])),
        None => Escaped(text).to_string(),
    }
}

/// The same for an error of serde, which quotes unknown variants as they are.
pub(crate) fn bounded_error<E: serde::de::Error>(error: E) -> E {
    let text = error.to_string();
    let bounded = bounded(&text);
    if bounded == text { error } else { E::custom(bounded) }
}

/// The beginning of a text of a model. Control characters and marks of text direction are escaped as in JSON, since a
/// line break could forge a line of a log.
pub(crate) struct Truncated<'a>(pub(crate) &'a str);

impl fmt::Display for Truncated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(MAX_LENGTH) {
            Some((end, _)) => write!(f, "{}…", Escaped(&self.0[..end])),
            None => Escaped(self.0).fmt(f),
        }
    }
}

/// A path into a value of a model. The middle of a long path is left out, since its end names the value.
pub(crate) struct TruncatedPath<'a>(pub(crate) &'a str);

impl fmt::Display for TruncatedPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.0.chars().count();
        if length <= MAX_LENGTH {
            return Escaped(self.0).fmt(f);
        }
        let position =
            |character: usize| self.0.char_indices().nth(character).map_or(self.0.len(), |(at, _)| at);
        let (start, end) =
            (&self.0[..position(MAX_LENGTH / 2)], &self.0[position(length - MAX_LENGTH / 2)..]);
        write!(f, "{}…{}", Escaped(start), Escaped(end))
    }
}

/// Writes the text of an error that may quote text of a model, a server or a tool, for a log: it escapes each piece like
/// [`Truncated`], and writes only the beginning of a long one.
pub(crate) struct LogWriter<'a, W>(pub(crate) &'a mut W);

impl<W: fmt::Write> fmt::Write for LogWriter<'_, W> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        const MAX_LENGTH: usize = 2000;
        match piece.char_indices().nth(MAX_LENGTH) {
            Some((end, _)) => write!(self.0, "{}…", Escaped(&piece[..end])),
            None => write!(self.0, "{}", Escaped(piece)),
        }
    }
}

/// An escaped text, which is complete.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        if rest.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return f.write_str(rest);
        }
        while let Some((at, letter)) = rest.char_indices().find(|&(_, letter)| is_invisible(letter)) {
            f.write_str(&rest[..at])?;
            match letter {
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                _ => {
                    for unit in letter.encode_utf16(&mut [0; 2]) {
                        write!(f, "\\u{unit:04x}")?;
                    }
                }
            }
            rest = &rest[at + letter.len_utf8()..];
        }
        f.write_str(rest)
    }
}

/// <https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters>
fn is_invisible(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{e0000}'..='\u{e007f}'
        )
}
