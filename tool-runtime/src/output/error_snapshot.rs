//! Copies of errors that cannot be kept.

use crate::panics::catch_panic;
use std::error::Error;
use std::fmt;

/// The texts of an error and its sources.
#[derive(Debug)]
pub(crate) struct ErrorSnapshot {
    text: String,
    source: Option<Box<ErrorSnapshot>>,
}

/// The number of sources that are kept, since an error can be its own source.
const MAX_SOURCES: usize = 30;

impl ErrorSnapshot {
    pub(crate) fn new<E: Error + ?Sized>(error: &E) -> Self {
        // A source that panics does not affect the text of the error.
        let sources = catch_panic(|| {
            let sources = std::iter::successors(error.source(), |&source| source.source());
            sources.take(MAX_SOURCES).map(ToString::to_string).collect::<Vec<_>>()
        });
        let sources = sources.unwrap_or_default().into_iter();
        let source = sources.rfold(None, |source, text| Some(Box::new(ErrorSnapshot { text, source })));
        ErrorSnapshot { text: error.to_string(), source }
    }

    /// Changes each text.
    #[cfg(feature = "tracing")]
    pub(crate) fn map(self, change: fn(&str) -> String) -> Self {
        let source = self.source.map(|source| Box::new(source.map(change)));
        ErrorSnapshot { text: change(&self.text), source }
    }
}

impl fmt::Display for ErrorSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for ErrorSnapshot {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
