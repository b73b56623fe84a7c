//! The operations that the handles of a journal send to its writer.

use super::storage_error::{Failure, StorageError, journal_error};
use super::tables::{OperationError, ReadTables, WriteTables};
use crate::error::JournalError;
use crate::journal::{JournalReply, RecordedCall};
use std::path::Path;
use tokio::sync::oneshot;
use tool_runtime::dispatch::CallKey;

/// Receives the outcome of an operation. It is closed if the future of the operation is dropped.
pub(super) type Responder<T> = oneshot::Sender<Result<T, JournalError>>;

#[derive(Debug)]
pub(super) enum Request {
    Read(Read),
    Write(Write),
}

#[derive(Debug)]
pub(super) enum Read {
    Calls { run_id: String, reply: u64, responder: Responder<Vec<RecordedCall>> },
    Reply { run_id: String, number: u64, responder: Responder<Option<JournalReply>> },
}

/// Records are serialized by the caller, so that the writer has less to do.
#[derive(Debug)]
pub(super) enum Write {
    Begin { key: CallKey, record: Vec<u8>, responder: Responder<Option<RecordedCall>> },
    Finish { key: CallKey, record: Vec<u8>, responder: Responder<()> },
    Reply { run_id: String, number: u64, record: Vec<u8>, responder: Responder<bool> },
    Remove { run_id: String, responder: Responder<()> },
    Renew { run_id: String },
}

/// Sends the outcome of a write when its transaction has ended.
pub(super) type Settle = Box<dyn FnOnce(&Result<(), Failure>)>;

impl Request {
    pub(super) fn fail(self, error: &Failure) {
        match self {
            Request::Read(read) => read.fail(error),
            Request::Write(write) => write.fail(error),
        }
    }
}

impl Read {
    pub(super) fn run_id(&self) -> &str {
        match self {
            Read::Calls { run_id, .. } | Read::Reply { run_id, .. } => run_id,
        }
    }

    /// Executes the read, and sends its outcome. Returns the error of a transaction that has failed.
    pub(super) fn execute(self, path: &Path, tables: &ReadTables) -> Result<(), Failure> {
        match self {
            Read::Calls { run_id, reply, responder } => {
                settle_now(responder, tables.find_calls(&run_id, reply), path)
            }
            Read::Reply { run_id, number, responder } => {
                settle_now(responder, tables.find_reply(&run_id, number), path)
            }
        }
    }

    pub(super) fn fail(self, error: &Failure) {
        match self {
            Read::Calls { responder, .. } => drop(responder.send(Err(journal_error(error)))),
            Read::Reply { responder, .. } => drop(responder.send(Err(journal_error(error)))),
        }
    }
}

impl Write {
    /// Executes the write. Returns the function that sends its outcome, and the error of a transaction that has failed.
    pub(super) fn execute(
        self,
        path: &Path,
        tables: &mut WriteTables<'_>,
        is_in_progress: impl Fn(&str) -> bool,
    ) -> (Settle, Result<(), Failure>) {
        match self {
            // Nobody runs the call.
            Write::Begin { responder, .. } if responder.is_closed() => (Box::new(|_| ()), Ok(())),
            Write::Begin { key, record, responder } => {
                settle_later(responder, tables.begin_call(&key, &record).map(Ok), path)
            }
            Write::Finish { key, record, responder } => {
                settle_later(responder, tables.finish_call(&key, &record).map(Ok), path)
            }
            Write::Reply { run_id, number, record, responder } => {
                settle_later(responder, tables.record_reply(&run_id, number, &record).map(Ok), path)
            }
            Write::Remove { run_id, responder } => {
                let outcome = if is_in_progress(&run_id) {
                    Ok(Err(JournalError::in_progress(run_id)))
                } else {
                    tables.remove_run(&run_id).map(|_| Ok(()))
                };
                settle_later(responder, outcome, path)
            }
            Write::Renew { run_id } => {
                let (responder, _) = oneshot::channel();
                settle_later(responder, tables.renew_run(&run_id).map(Ok), path)
            }
        }
    }

    pub(super) fn fail(self, error: &Failure) {
        match self {
            Write::Begin { responder, .. } => drop(responder.send(Err(journal_error(error)))),
            Write::Finish { responder, .. } | Write::Remove { responder, .. } => {
                drop(responder.send(Err(journal_error(error))));
            }
            Write::Reply { responder, .. } => drop(responder.send(Err(journal_error(error)))),
            Write::Renew { .. } => {}
        }
    }
}

fn settle_now<T>(
    responder: Responder<T>,
    outcome: Result<T, OperationError>,
    path: &Path,
) -> Result<(), Failure> {
    let (outcome, transaction) = split(outcome, path);
    // The future of the operation may be dropped.
    let _ = responder.send(outcome);
    transaction
}

fn settle_later<T: 'static>(
    responder: Responder<T>,
    outcome: Result<Result<T, JournalError>, OperationError>,
    path: &Path,
) -> (Settle, Result<(), Failure>) {
    let (outcome, transaction) = split(outcome, path);
    let settle = move |committed: &Result<(), Failure>| {
        let _ = responder.send(match committed {
            Ok(()) => outcome.and_then(|outcome| outcome),
            Err(error) => Err(journal_error(error)),
        });
    };
    (Box::new(settle), transaction)
}

/// The outcome of an operation, and that of its transaction so far.
fn split<T>(
    outcome: Result<T, OperationError>,
    path: &Path,
) -> (Result<T, JournalError>, Result<(), Failure>) {
    match outcome {
        Ok(value) => (Ok(value), Ok(())),
        Err(OperationError::Record(error)) => (Err(error.into()), Ok(())),
        Err(OperationError::Database(source)) => {
            let error = StorageError::database(path, source);
            (Err(journal_error(&error)), Err(error))
        }
    }
}
