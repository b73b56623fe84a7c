//! What is left of an error that cannot be kept, or is told to somebody else.

use crate::panics::guarded;
use std::error::Error;
use std::fmt;

/// The text of an error, and those of its sources.
#[derive(Debug)]
pub(crate) struct Texts {
    text: String,
    source: Option<Box<Texts>>,
}

/// How many sources are kept: an error that is its own source has no end of them.
const MOST_SOURCES: usize = 30;

impl Texts {
    pub(crate) fn of<E: Error + ?Sized>(error: &E) -> Self {
        // A source that cannot be told does not keep the error from being told.
        let sources = guarded(|| {
            let sources = std::iter::successors(error.source(), |&source| source.source());
            sources.take(MOST_SOURCES).map(ToString::to_string).collect::<Vec<_>>()
        });
        let sources = sources.unwrap_or_default().into_iter();
        let source = sources.rfold(None, |source, text| Some(Box::new(Texts { text, source })));
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
