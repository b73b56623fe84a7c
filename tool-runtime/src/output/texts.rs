//! What is left of an error that cannot be kept.

use std::error::Error;
use std::fmt;

/// The text of an error, and those of its sources.
#[derive(Debug)]
pub(super) struct Texts {
    text: String,
    source: Option<Box<Texts>>,
}

impl Texts {
    pub(super) fn of(error: &dyn Error) -> Self {
        let source = error.source().map(|source| Box::new(Texts::of(source)));
        Texts { text: error.to_string(), source }
    }
}

impl fmt::Display for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for Texts {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
