//! What the model sent, when it is told to it again.

use std::fmt;

/// How many characters are told; a model knows what it wrote from less.
const MOST: usize = 80;

/// The beginning of a text that a model sent, which may be of any length.
pub(crate) struct Shortened<'a>(pub(crate) &'a str);

impl fmt::Display for Shortened<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(MOST) {
            Some((end, _)) => write!(f, "{}…", &self.0[..end]),
            None => f.write_str(self.0),
        }
    }
}
