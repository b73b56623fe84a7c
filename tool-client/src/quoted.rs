//! Texts of servers in messages for people.

use std::fmt::{self, Write as _};

/// The beginning of a text of a server. It forges no line of a log: control characters, and those that change the direction of the
/// text (<https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters>), are escaped.
pub(crate) struct Quoted<'t>(pub(crate) &'t str);

const MAX_CHARS: usize = 2000;

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars().take(MAX_CHARS) {
            match letter {
                '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                    write!(f, "{}", letter.escape_unicode())?;
                }
                letter if letter.is_control() => write!(f, "{}", letter.escape_default())?,
                letter => f.write_char(letter)?,
            }
        }
        if self.0.chars().nth(MAX_CHARS).is_some() { f.write_str("…") } else { Ok(()) }
    }
}
