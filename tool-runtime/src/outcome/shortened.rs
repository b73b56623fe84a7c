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

/// A path into a value that a model sent: its end says which value is meant.
pub(crate) struct ShortPath<'a>(pub(crate) &'a str);

impl fmt::Display for ShortPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.0.chars().count();
        if length <= MOST {
            return f.write_str(self.0);
        }
        let place =
            |character: usize| self.0.char_indices().nth(character).map_or(self.0.len(), |(at, _)| at);
        write!(f, "{}…{}", &self.0[..place(MOST / 2)], &self.0[place(length - MOST / 2)..])
    }
}
