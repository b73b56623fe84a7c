//! Errors for the program.

use std::error::Error;
use std::fmt;

/// An error of a [`ResultStore`](crate::ResultStore).
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// The store cannot be read or written: the disk is full, for example.
    #[non_exhaustive]
    Storage {
        /// The error of the storage.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The store returned a handle with other characters than ASCII letters, digits, `_` and `-`, or with more than 64 of them.
    #[non_exhaustive]
    InvalidHandle {
        /// The handle.
        handle: String,
    },
}

impl StoreError {
    /// An error of the storage.
    pub fn storage(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        StoreError::Storage { source: source.into() }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Storage { source } => {
                write!(
                    formatter,
                    "the store of results cannot be used: {source}: check the store, then run again"
                )
            }
            // Escaped, since a line break could forge a line of a log.
            StoreError::InvalidHandle { handle } => write!(
                formatter,
                "the store of results returned the handle `{}`: return 1 to 64 ASCII letters, digits, `_` or `-`",
                handle.escape_debug()
            ),
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // The `Display` text already contains the text of this error.
            StoreError::Storage { source } => source.source(),
            StoreError::InvalidHandle { .. } => None,
        }
    }
}
