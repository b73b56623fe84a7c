//! Copies of the texts of errors.

use crate::panics::catch_panic;
use std::error::Error;
use std::fmt;

/// The texts of an error and its sources.
#[derive(Debug)]
pub(crate) struct Texts {
    text: String,
    source: Option<Box<Texts>>,
}

/// The number of sources that are kept, since an error can be its own source.
const MOST_SOURCES: usize = 30;

impl Texts {
    pub(crate) fn of<E: Error + ?Sized>(error: &E) -> Self {
        // A source that panics does not affect the text of the error.
        let sources = catch_panic(|| {
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
