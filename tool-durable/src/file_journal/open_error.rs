//! Errors of opening a journal.

use super::process_file;
use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// A [`FileJournal`](crate::FileJournal) cannot be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// A process has the journal open. It may be this one: clone the [`FileJournal`](crate::FileJournal) instead of
    /// opening it twice.
    #[non_exhaustive]
    InUse {
        /// The file of the journal.
        path: PathBuf,
        /// The process; `None` if it is unknown.
        process: Option<u32>,
    },
    /// Another version of this library wrote the journal.
    #[non_exhaustive]
    OtherVersion {
        /// The file of the journal.
        path: PathBuf,
        /// The difference.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The file is not a journal, or it is damaged: truncated, overwritten, or older than the last commit.
    #[non_exhaustive]
    Damaged {
        /// The file of the journal.
        path: PathBuf,
        /// The damage.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The file cannot be opened, read or written.
    #[non_exhaustive]
    Io {
        /// The file of the journal.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::InUse { path, process } => {
                write!(f, "the journal `{}` is in use by ", path.display())?;
                match process {
                    Some(process) if *process == std::process::id() => {
                        write!(f, "this process ({process}): open it once, and clone it")
                    }
                    Some(process) => write!(f, "process {process}: stop it, or use another file"),
                    None => f.write_str("another process: stop it, or use another file"),
                }
            }
            OpenError::OtherVersion { path, source } => write!(
                f,
                "another version of this library wrote the journal `{}`: {source}: use that version until each of its \
                 sessions has ended, then a new file",
                path.display()
            ),
            OpenError::Damaged { path, source } => write!(
                f,
                "the journal `{}` is damaged: {source}: restore the file, or move it and `{}` away; without them, \
                 interrupted calls are not recognised and may take effect again",
                path.display(),
                process_file::path_of(path).display()
            ),
            OpenError::Io { path, source } => {
                write!(f, "the journal `{}` cannot be opened: {source}", path.display())?;
                f.write_str(match source.kind() {
                    io::ErrorKind::NotFound => ": create its folder",
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                        ": the program needs to write the file and its folder"
                    }
                    _ => "",
                })
            }
        }
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // The `Display` texts already contain the texts of these errors.
        match self {
            OpenError::InUse { .. } => None,
            OpenError::OtherVersion { source, .. } | OpenError::Damaged { source, .. } => source.source(),
            OpenError::Io { source, .. } => source.source(),
        }
    }
}
