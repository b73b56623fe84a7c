//! The source of [`JournalError::Storage`].

use super::open_error::OpenError;
use crate::error::JournalError;
use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tool_runtime::dispatch::CallKey;

/// The cause of an operation that was not executed.
#[derive(Debug)]
pub(super) enum StorageError {
    /// The database cannot be read or written.
    Database { path: PathBuf, source: redb::Error },
    /// The database was closed after an error, and cannot be opened again.
    Reopen(OpenError),
    /// A record of the database has another form.
    Record { key: String, source: Box<dyn Error + Send + Sync> },
    /// A result of a call that is not recorded.
    NotBegun(CallKey),
    /// The thread of the database has panicked.
    Stopped(PathBuf),
}

/// The error of a transaction. Its operations share it.
pub(super) type Failure = Arc<StorageError>;

impl StorageError {
    pub(super) fn database(path: &Path, source: redb::Error) -> Failure {
        Arc::new(StorageError::Database { path: path.to_owned(), source })
    }
}

impl From<StorageError> for JournalError {
    fn from(error: StorageError) -> Self {
        JournalError::storage(error)
    }
}

/// The error of one of the operations that failed together.
pub(super) fn journal_error(failure: &Failure) -> JournalError {
    JournalError::storage(Arc::clone(failure))
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StorageError::Database { path, source } => {
                write!(f, "`{}`: {source}", path.display())?;
                if disk_is_full(source) {
                    f.write_str(": free space on its disk; then the journal can be used without a restart")?;
                }
                Ok(())
            }
            StorageError::Reopen(error) => error.fmt(f),
            StorageError::Record { key, source } => {
                let key = key.escape_debug();
                write!(f, "the record of `{key}` is damaged: {source}: remove its run, or restore the file")
            }
            StorageError::NotBegun(key) => {
                let key = key.to_string();
                write!(
                    f,
                    "the call `{}` has not begun: record its begin before its result",
                    key.escape_debug()
                )
            }
            StorageError::Stopped(path) => {
                write!(f, "`{}`: the thread of the database panicked: open the journal again", path.display())
            }
        }
    }
}

impl Error for StorageError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // The `Display` texts already contain the texts of these errors.
        match self {
            StorageError::Database { source, .. } => source.source(),
            StorageError::Reopen(error) => error.source(),
            StorageError::Record { source, .. } => source.source(),
            StorageError::NotBegun(_) | StorageError::Stopped(_) => None,
        }
    }
}

fn disk_is_full(error: &redb::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};

    matches!(error, redb::Error::Io(error) if matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge))
}
