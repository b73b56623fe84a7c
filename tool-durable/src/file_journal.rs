//! A journal in a file.

mod in_progress;
mod inner_runs;
mod open_error;
mod private_file;
mod process_file;
mod request;
mod running_time;
mod storage_error;
mod store;
mod tables;
mod writer;

pub use open_error::OpenError;

use crate::error::JournalError;
use crate::journal::{Journal, JournalCall, JournalFuture, JournalReply, RecordedCall};
use in_progress::{InProgress, Step};
use request::{Read, Request, Responder, Write};
use serde::Serialize;
use std::fmt;
use std::future::ready;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use storage_error::StorageError;
use store::Store;
use tokio::sync::oneshot;
use tool_runtime::dispatch::{CallKey, ToolResult};
use writer::Writer;

/// A [`Journal`] in a file, for one process at a time.
///
/// Each method is ready when its record is synced to the disk, so that neither `kill -9` nor a power failure loses it. Calls
/// that begin at the same time share a commit: many of them take little longer than one. A clone is another handle of
/// the same journal.
///
/// ```
/// use std::time::Duration;
/// use tool_runtime_durable::FileJournal;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let path = std::env::temp_dir().join(format!("orders-{}.journal", std::process::id()));
/// const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// let journal = FileJournal::options().remove_after(WEEK).open(&path)?;
/// # drop(journal);
/// # std::fs::remove_file(&path)?;
/// # std::fs::remove_file(path.with_extension("journal.process"))?;
/// # Ok(())
/// # }
/// ```
///
/// # Files
///
/// The journal locks its file until its last handle is dropped. (After an error of the disk, it opens the file anew
/// with the next operation.) A program that replaces another one, as in a rolling restart, opens the journal again
/// after [`OpenError::InUse`] until the other one has ended. The journal has a second, small file with the same name
/// and `.process` at the end. It names the process that has the journal open, for the error message of another process,
/// and counts the commits, so that a journal that has lost some of them is not opened: [`OpenError::Damaged`]. Keep,
/// move and delete both files together. Without the second one, a journal is not recognised as damaged if its file is
/// missing, if it is an older copy, or if only its last commit is damaged.
///
/// On Unix, only the owner of a file that the journal creates can read and write it; an existing file keeps its permissions. A
/// symbolic link or a pipe in the place of one of the files is an error: a link could refer to any file of the user, and a pipe
/// would block.
///
/// Opening a journal verifies the whole file, and dropping the last handle waits for the thread that writes: both
/// block. (A journal of a million calls, 1 GB, opens in about three seconds.) The file keeps its size when records are
/// removed; new records reuse the space.
///
/// # A full disk
///
/// An operation that cannot be stored ends with [`JournalError::Storage`], and its call does not run. The journal works
/// again when there is space; the process need not restart. Removing records also needs space. If the disk reports an
/// error only when it syncs, the record may be stored nevertheless: then the call counts as interrupted.
#[derive(Clone)]
pub struct FileJournal {
    handle: Arc<Handle>,
}

/// How a [`FileJournal`] is opened.
#[derive(Clone, Debug, Default)]
#[must_use = "it does nothing until `open`"]
pub struct FileJournalOptions {
    remove_after: Option<Duration>,
}

/// The last handle that is dropped ends the writer.
struct Handle {
    path: PathBuf,
    in_progress: Arc<InProgress>,
    requests: Option<mpsc::Sender<Request>>,
    writer: Option<JoinHandle<()>>,
}

impl FileJournal {
    /// Opens the journal in this file, and creates it if it is missing. It never removes records by itself.
    ///
    /// # Errors
    ///
    /// Returns an error if another process has the journal open, if the file is damaged, is not a journal or has another
    /// format, or if it cannot be read or written.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        FileJournal::options().open(path)
    }

    /// Options for opening a journal.
    pub fn options() -> FileJournalOptions {
        FileJournalOptions::default()
    }
}

impl FileJournalOptions {
    /// Removes the records of a run id when it was not used for this time. Default: never. They are removed with later commits,
    /// and when the journal is opened.
    ///
    /// The time counts only while a process has the journal open, and does not depend on the clock of the system. The records stay
    /// while a call that has begun has no result, and those of an inner session while the call that started it has no result. The
    /// records of inner sessions are removed with those of the outer one at the latest. Choose a time that is longer than any session
    /// waits before it continues: after it, the session would repeat its effects.
    pub fn remove_after(mut self, time: Duration) -> Self {
        self.remove_after = Some(time);
        self
    }

    /// Opens the journal in this file, and creates it if it is missing.
    ///
    /// # Errors
    ///
    /// Those of [`FileJournal::open`].
    pub fn open(self, path: impl AsRef<Path>) -> Result<FileJournal, OpenError> {
        let path = path.as_ref().to_owned();
        let store = Store::open(&path)?;
        let in_progress = Arc::new(InProgress::default());
        let (requests, receiver) = mpsc::channel();
        let writer = Writer::new(path.clone(), store, self.remove_after, Arc::clone(&in_progress), receiver);
        let thread = thread::Builder::new().name("journal".to_owned()).spawn(|| writer.run());
        let writer = thread.map_err(|source| OpenError::Io { path: path.clone(), source })?;
        let handle = Handle { path, in_progress, requests: Some(requests), writer: Some(writer) };
        Ok(FileJournal { handle: Arc::new(handle) })
    }
}

impl Journal for FileJournal {
    fn find_calls<'a>(&'a self, run_id: &'a str, reply: u64) -> JournalFuture<'a, Vec<RecordedCall>> {
        let run_id = run_id.to_owned();
        Box::pin(self.handle.send(move |responder| Request::Read(Read::Calls { run_id, reply, responder })))
    }

    fn begin_call<'a>(&'a self, call: &'a JournalCall) -> JournalFuture<'a, Option<RecordedCall>> {
        Box::pin(async move {
            let (key, record) = (call.key.clone(), serialize(call)?);
            let guard = self.handle.in_progress.begin(&key.run_id, Step::from_key(&key)).await;
            let begun =
                self.handle.send(|responder| Request::Write(Write::Begin { key, record, responder })).await?;
            if begun.as_ref().is_none_or(|begun| begun.result.is_none()) {
                guard.keep();
            }
            Ok(begun)
        })
    }

    fn finish_call<'a>(&'a self, key: &'a CallKey, result: &'a ToolResult) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            let record = serialize(result)?;
            let write = |responder| Request::Write(Write::Finish { key: key.clone(), record, responder });
            self.handle.send(write).await?;
            self.handle.in_progress.end(&key.run_id, Step::from_key(key));
            Ok(())
        })
    }

    fn release_call<'a>(&'a self, key: &'a CallKey) -> JournalFuture<'a, ()> {
        self.handle.in_progress.end(&key.run_id, Step::from_key(key));
        Box::pin(ready(Ok(())))
    }

    fn find_reply<'a>(&'a self, run_id: &'a str, number: u64) -> JournalFuture<'a, Option<JournalReply>> {
        let run_id = run_id.to_owned();
        Box::pin(self.handle.send(move |responder| Request::Read(Read::Reply { run_id, number, responder })))
    }

    fn begin_reply<'a>(&'a self, run_id: &'a str, number: u64) -> JournalFuture<'a, Option<JournalReply>> {
        Box::pin(async move {
            let guard = self.handle.in_progress.begin(run_id, Step::Reply(number)).await;
            let recorded = self.find_reply(run_id, number).await?;
            if recorded.is_none() {
                guard.keep();
            }
            Ok(recorded)
        })
    }

    fn record_reply<'a>(&'a self, reply: &'a JournalReply) -> JournalFuture<'a, bool> {
        Box::pin(async move {
            let (run_id, number, record) = (reply.run_id.clone(), reply.number, serialize(reply)?);
            let write = |responder| Request::Write(Write::Reply { run_id, number, record, responder });
            let is_new = self.handle.send(write).await?;
            self.handle.in_progress.end(&reply.run_id, Step::Reply(number));
            Ok(is_new)
        })
    }

    fn release_reply<'a>(&'a self, run_id: &'a str, number: u64) -> JournalFuture<'a, ()> {
        self.handle.in_progress.end(run_id, Step::Reply(number));
        Box::pin(ready(Ok(())))
    }

    fn remove_run<'a>(&'a self, run_id: &'a str) -> JournalFuture<'a, ()> {
        let run_id = run_id.to_owned();
        Box::pin(self.handle.send(|responder| Request::Write(Write::Remove { run_id, responder })))
    }
}

impl Handle {
    /// Sends an operation to the writer, and waits until it is executed.
    async fn send<T>(&self, request: impl FnOnce(Responder<T>) -> Request) -> Result<T, JournalError> {
        let (responder, outcome) = oneshot::channel();
        // If the writer has stopped, the responder is dropped here.
        let _ = self.requests.as_ref().map(|requests| requests.send(request(responder)));
        match outcome.await {
            Ok(outcome) => outcome,
            Err(_) => Err(StorageError::Stopped(self.path.clone()).into()),
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(writer) = self.writer.take() {
            // The waker of a task may drop the last handle in the writer. After a panic, its operations have failed.
            if writer.thread().id() != thread::current().id() {
                let _ = writer.join();
            }
        }
    }
}

impl fmt::Debug for FileJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileJournal").field("path", &self.handle.path).finish_non_exhaustive()
    }
}

fn serialize(record: &impl Serialize) -> Result<Vec<u8>, JournalError> {
    serde_json::to_vec(record).map_err(JournalError::storage)
}
