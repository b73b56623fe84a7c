//! The store in a folder.

mod run_folder;

use super::{ResultStore, StoreFuture, is_inner_run};
use crate::StoreError;
use run_folder::run_folder;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::runtime::Handle;

/// A folder for each run, with a file for each text: `1.txt`, `2.txt` and so on. A file that is not complete is `3.new`.
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
        let dropped = Arc::new(AtomicBool::new(false));
        let on_drop = SetOnDrop(Arc::clone(&dropped));
        Box::pin(async move {
            let _on_drop = on_drop;
            on_thread(move || add(&folder, &text, &dropped)).await
        })
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

/// The threads of a dropped future continue: they find this flag, and leave no file, since the run may have been removed.
struct SetOnDrop(Arc<AtomicBool>);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn check(dropped: &AtomicBool) -> io::Result<()> {
    let is_dropped = dropped.load(Ordering::SeqCst);
    if is_dropped { Err(io::Error::other("the call was dropped")) } else { Ok(()) }
}

fn add(folder: &Path, text: &str, dropped: &AtomicBool) -> io::Result<String> {
    const ATTEMPTS: usize = 8;
    for _ in 0..ATTEMPTS {
        check(dropped)?;
        create_folder(folder)?;
        let added = add_to(folder, text, dropped);
        if check(dropped).is_err() {
            // Only an empty folder is removed.
            let _ = fs::remove_dir(folder);
        }
        match added {
            // The run is being removed: its folder is created again.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            added => return added.map(|number| number.to_string()),
        }
    }
    let message =
        "another process removes the folder of the run: call `remove_run` only after the session has ended";
    Err(io::Error::new(ErrorKind::NotFound, message))
}

/// The number of the text in an existing folder.
fn add_to(folder: &Path, text: &str, dropped: &AtomicBool) -> io::Result<u64> {
    let (mut number, known) = newest_and_known(folder, text)?;
    if let Some(known) = known {
        return Ok(known);
    }
    loop {
        number += 1;
        let (new, path) = (folder.join(format!("{number}.new")), folder.join(format!("{number}.txt")));
        let file = match create_file(&new) {
            // Another call has taken the number.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            file => file?,
        };
        // The file `new` reserves the number: no other call creates `path` from now on.
        let is_taken = path.try_exists()?;
        let added = if is_taken { Ok(()) } else { write(file, text, &new, &path, dropped) };
        if is_taken || added.is_err() {
            let _ = fs::remove_file(new);
        }
        added?;
        if !is_taken {
            return Ok(number);
        }
    }
}

/// Writes a new file, and gives it its name when it is on the disk: a reader and a loss of power find the whole text or none.
fn write(mut file: File, text: &str, new: &Path, path: &Path, dropped: &AtomicBool) -> io::Result<()> {
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    // Windows renames no open file.
    drop(file);
    check(dropped)?;
    fs::rename(new, path)?;
    #[cfg(unix)]
    if let Some(Ok(folder)) = path.parent().map(File::open) {
        // The name is on the disk as well, unless the file system syncs no folders.
        let _ = folder.sync_all();
    }
    check(dropped).inspect_err(|_| drop(fs::remove_file(path)))
}

/// The greatest number of a file, or 0; and the number of the file that has this text.
fn newest_and_known(folder: &Path, text: &str) -> io::Result<(u64, Option<u64>)> {
    let (mut newest, mut known) = (0, None);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some((number, kind)) = name.to_str().and_then(|name| name.split_once('.')) else { continue };
        let Ok(number) = number.parse() else { continue };
        newest = newest.max(number);
        let has_text = || {
            io::Result::Ok(
                entry.metadata()?.len() == text.len() as u64 && fs::read(entry.path())? == text.as_bytes(),
            )
        };
        if kind == "txt" && has_text()? {
            known = Some(number);
        }
    }
    Ok((newest, known))
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
fn create_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
