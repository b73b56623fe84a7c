//! The store in a folder.

mod run_folder;

use super::{ResultStore, StoreFuture, is_inner_run};
use crate::StoreError;
use run_folder::run_folder;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use tokio::runtime::Handle;

/// A folder for each run, with a file for each text: `1.txt`, `2.txt` and so on.
pub(crate) struct FolderStore {
    folder: PathBuf,
}

impl FolderStore {
    /// Creates the folder if it is missing.
    pub(crate) fn new(folder: PathBuf) -> Result<Self, StoreError> {
        create_folder(&folder).map_err(StoreError::storage)?;
        Ok(FolderStore { folder })
    }
}

impl ResultStore for FolderStore {
    fn add<'a>(&'a self, run_id: &'a str, text: &'a str) -> StoreFuture<'a, String> {
        let folder = run_folder(&self.folder, run_id);
        let text = text.to_owned();
        Box::pin(on_thread(move || add(&folder, &text)))
    }

    fn read<'a>(&'a self, run_id: &'a str, handle: &'a str) -> StoreFuture<'a, Option<String>> {
        // Another handle names no file of this store, and could leave the folder.
        let is_own = handle.len() <= 20 && handle.bytes().all(|byte| byte.is_ascii_digit());
        if !is_own || handle.is_empty() || handle.starts_with('0') {
            return Box::pin(async { Ok(None) });
        }
        let file = run_folder(&self.folder, run_id).join(format!("{handle}.txt"));
        Box::pin(on_thread(move || match fs::read_to_string(file) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }))
    }

    fn remove_run<'a>(&'a self, run_id: &'a str) -> StoreFuture<'a, ()> {
        let (folder, run_id) = (self.folder.clone(), run_id.to_owned());
        Box::pin(on_thread(move || {
            run_folder::remove(&folder, |id| id == run_id || is_inner_run(id, &run_id))
        }))
    }
}

/// Runs an operation on files on a thread for blocking operations; in place if the program has no Tokio runtime.
async fn on_thread<T: Send + 'static>(
    operation: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, StoreError> {
    if Handle::try_current().is_err() {
        return operation().map_err(StoreError::storage);
    }
    let ended = tokio::task::spawn_blocking(operation).await.map_err(StoreError::storage)?;
    ended.map_err(StoreError::storage)
}

fn add(folder: &Path, text: &str) -> io::Result<String> {
    const ATTEMPTS: usize = 8;
    let mut number = 0;
    for _ in 0..ATTEMPTS {
        create_folder(folder)?;
        number = newest_number(folder)?.max(number);
        loop {
            number += 1;
            match create_file(&folder.join(format!("{number}.txt"))) {
                Ok(mut file) => {
                    file.write_all(text.as_bytes())?;
                    return Ok(number.to_string());
                }
                // Another call has taken the number.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                // The run is being removed: it is created again.
                Err(error) if error.kind() == ErrorKind::NotFound => break,
                Err(error) => return Err(error),
            }
        }
    }
    Err(io::Error::new(ErrorKind::NotFound, "the folder of the run is removed again and again"))
}

/// The greatest number of a file; 0 if there is none.
fn newest_number(folder: &Path) -> io::Result<u64> {
    let mut newest = 0;
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(".txt")?.parse().ok());
        newest = newest.max(number.unwrap_or(0));
    }
    Ok(newest)
}

/// Creates a folder that only this user can read, and its parents.
fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Creates a file that only this user can read.
fn create_file(path: &Path) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
