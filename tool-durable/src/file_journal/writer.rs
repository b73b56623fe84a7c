//! The thread that has the database open. It executes the operations that wait in one transaction.

use super::in_progress::InProgress;
use super::request::{Read, Request, Settle, Write};
use super::storage_error::{Failure, StorageError};
use super::store::Store;
use std::collections::VecDeque;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

/// The maximum number of operations in a transaction, so that the first of them does not wait for too many others.
const MAX_OPERATIONS: usize = 1024;
/// The minimum number of records that a transaction removes if so many have expired: more than one call writes.
const MIN_EXPIRED: usize = 64;
/// An operation writes at most one record and a run, so that records expire faster than new ones are written.
const EXPIRED_PER_OPERATION: usize = 4;
/// Reads renew the last use of a run about this often before the run expires, so that few of them cost a commit.
const RENEWALS: u32 = 8;

/// The state of the thread.
pub(super) struct Writer {
    path: PathBuf,
    remove_after: Option<Duration>,
    in_progress: Arc<InProgress>,
    requests: Receiver<Request>,
    /// Reads that arrived after writes of the same batch.
    waiting: Vec<Request>,
    /// `None` after an error of the database, which has to be opened again then.
    store: Option<Store>,
    /// The number of commits that the database has at least.
    commits: u64,
}

impl Writer {
    pub(super) fn new(
        path: PathBuf,
        store: Store,
        remove_after: Option<Duration>,
        in_progress: Arc<InProgress>,
        requests: Receiver<Request>,
    ) -> Self {
        let commits = store.commits();
        Writer { path, remove_after, in_progress, requests, waiting: Vec::new(), store: Some(store), commits }
    }

    /// Executes operations until the last handle of the journal is dropped.
    pub(super) fn run(mut self) {
        // Removes runs that have expired.
        self.execute_batch(Vec::new());
        while let Some(batch) = self.next_batch() {
            self.execute_batch(batch);
        }
    }

    /// The operations that wait; `None` if there is no handle left.
    fn next_batch(&mut self) -> Option<Vec<Request>> {
        let mut batch = mem::take(&mut self.waiting);
        if batch.is_empty() {
            batch.push(self.requests.recv().ok()?);
        }
        batch.extend(self.requests.try_iter().take(MAX_OPERATIONS - 1));
        Some(batch)
    }

    fn execute_batch(&mut self, batch: Vec<Request>) {
        let mut store = match self.take_store() {
            Ok(store) => store,
            Err(error) => {
                let error = Arc::new(error);
                for request in batch {
                    request.fail(&error);
                }
                return;
            }
        };
        // redb can panic on a damaged file. A panic drops the responders, so that the operations fail.
        let executed = catch_unwind(AssertUnwindSafe(|| self.execute(&mut store, batch)));
        // redb accepts no operation after an error, so the database is opened again before the next batch.
        self.commits = store.commits();
        if let Ok(Ok(())) = executed {
            self.store = Some(store);
        }
    }

    fn take_store(&mut self) -> Result<Store, StorageError> {
        match self.store.take() {
            Some(store) => Ok(store),
            None => Store::open_existing(&self.path, self.commits).map_err(StorageError::Reopen),
        }
    }

    fn execute(&mut self, store: &mut Store, batch: Vec<Request>) -> Result<(), Failure> {
        let (mut reads, mut writes) = (Vec::new(), VecDeque::new());
        for request in batch {
            match request {
                Request::Read(read) if writes.is_empty() => reads.push(read),
                // It must find the records of the writes before it.
                Request::Read(_) => self.waiting.push(request),
                Request::Write(write) => writes.push_back(write),
            }
        }
        if let Err(failure) = self.read(store, reads, &mut writes) {
            for write in writes {
                write.fail(&failure);
            }
            return Err(failure);
        }
        self.write(store, writes)
    }

    /// Executes reads, which need no commit. If the last use of their run is old, a write renews it.
    fn read(&self, store: &Store, reads: Vec<Read>, writes: &mut VecDeque<Write>) -> Result<(), Failure> {
        if reads.is_empty() {
            return Ok(());
        }
        let tables = match store.read() {
            Ok(tables) => tables,
            Err(failure) => {
                for read in reads {
                    read.fail(&failure);
                }
                return Err(failure);
            }
        };
        let mut outcome = Ok(());
        for read in reads {
            if let Some(renew_after) = self.remove_after.map(|remove_after| remove_after / RENEWALS)
                && let Ok(Some(last_use)) = tables.last_use(read.run_id())
                && store.now().saturating_sub(last_use) > renew_after
            {
                writes.push_back(Write::Renew { run_id: read.run_id().to_owned() });
            }
            outcome = outcome.and(read.execute(&self.path, &tables));
        }
        outcome
    }

    /// Executes writes in one transaction.
    fn write(&self, store: &mut Store, mut writes: VecDeque<Write>) -> Result<(), Failure> {
        let now = store.now();
        let expired = self.remove_after.and_then(|remove_after| now.checked_sub(remove_after));
        if writes.is_empty() && !expired.is_some_and(|expired| store.has_unused_run(expired).unwrap_or(false))
        {
            return Ok(());
        }
        let mut settles: Vec<Settle> = Vec::new();
        let path = self.path.clone();
        let failure = |source| StorageError::database(&path, source);
        let is_in_progress = |run_id: &str| self.in_progress.contains(run_id);
        let outcome = store.write(now, |tables| {
            while let Some(write) = writes.pop_front() {
                let (settle, executed) = write.execute(&path, tables, is_in_progress);
                settles.push(settle);
                executed?;
            }
            tables.write_used(now).map_err(failure)?;
            if let Some(expired) = expired {
                let records = MIN_EXPIRED.max(settles.len() * EXPIRED_PER_OPERATION);
                tables.remove_expired(expired, now, records, is_in_progress).map_err(failure)?;
            }
            Ok(())
        });
        for settle in settles {
            settle(&outcome);
        }
        if let Err(failure) = &outcome {
            for write in writes {
                write.fail(failure);
            }
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_journal::tables::WriteTables;
    use crate::journal::JournalCall;
    use std::fs;
    use std::sync::mpsc::{self, Sender};
    use tokio::sync::oneshot;
    use tool_runtime::RunContext;
    use tool_runtime::dispatch::CallKey;

    /// A writer that has not started, so that operations wait for it.
    struct Waiting {
        folder: PathBuf,
        requests: Sender<Request>,
        writer: Writer,
    }

    impl Waiting {
        fn new(test: &str, remove_after: Option<Duration>, prepare: impl FnOnce(&mut Store)) -> Self {
            let folder = std::env::temp_dir().join(format!("writer-{test}-{}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            let path = folder.join("journal");
            prepare(&mut Store::open(&path).unwrap());
            let (requests, receiver) = mpsc::channel();
            let store = Store::open(&path).unwrap();
            let writer = Writer::new(path, store, remove_after, Arc::default(), receiver);
            Waiting { folder, requests, writer }
        }

        /// Executes the operations that wait, and returns the store and the number of commits that it took.
        fn run(self) -> (Store, u64) {
            let Waiting { folder, requests, writer } = self;
            let (path, before) = (writer.path.clone(), writer.commits);
            drop(requests);
            writer.run();
            let store = Store::open(&path).unwrap();
            fs::remove_dir_all(folder).unwrap();
            let commits = store.commits() - before;
            (store, commits)
        }
    }

    fn key(position: usize) -> CallKey {
        RunContext::new().run_id("run").key(0, position).unwrap()
    }

    fn record(position: usize) -> Vec<u8> {
        let (id, tool, arguments) = ("call_0".to_owned(), "charge".to_owned(), "{}".to_owned());
        serde_json::to_vec(&JournalCall { key: key(position), id, tool, arguments }).unwrap()
    }

    fn has_call(store: &Store, position: usize) -> bool {
        let calls = store.read().unwrap().find_calls("run", 0).unwrap();
        calls.iter().any(|recorded| recorded.call.key == key(position))
    }

    /// Records a call of the run, 1000 seconds ago.
    fn use_run_long_ago(store: &mut Store) {
        let begin = |tables: &mut WriteTables<'_>| {
            tables.begin_call(&key(0), &record(0)).unwrap();
            tables.write_used(Duration::ZERO).unwrap();
            Ok(())
        };
        store.write(Duration::ZERO, begin).unwrap();
        store.write(Duration::from_secs(1000), |_| Ok(())).unwrap();
    }

    #[test]
    fn operations_that_wait_share_a_commit() {
        let waiting = Waiting::new("share", None, |_| ());
        let mut outcomes = Vec::new();
        for position in 0..16 {
            let (responder, outcome) = oneshot::channel();
            let write = Write::Begin { key: key(position), record: record(position), responder };
            waiting.requests.send(Request::Write(write)).unwrap();
            outcomes.push(outcome);
        }
        let (store, commits) = waiting.run();
        assert_eq!(commits, 1);
        for (position, mut outcome) in outcomes.into_iter().enumerate() {
            assert!(outcome.try_recv().unwrap().unwrap().is_none());
            assert!(has_call(&store, position));
        }
    }

    #[test]
    fn a_call_whose_begin_is_dropped_while_it_waits_is_not_recorded() {
        let waiting = Waiting::new("dropped", None, |_| ());
        let mut outcomes = Vec::new();
        for position in 0..4 {
            let (responder, outcome) = oneshot::channel();
            let write = Write::Begin { key: key(position), record: record(position), responder };
            waiting.requests.send(Request::Write(write)).unwrap();
            if position != 2 {
                outcomes.push(outcome);
            }
        }
        let (store, _) = waiting.run();
        assert_eq!([0, 1, 2, 3].map(|position| has_call(&store, position)), [true, true, false, true]);
    }

    #[test]
    fn reads_take_a_commit_only_to_renew_a_run_before_it_expires() {
        for (remove_after, renewed) in [(None, false), (Some(100_000), false), (Some(2000), true)] {
            let remove_after = remove_after.map(Duration::from_secs);
            let waiting = Waiting::new("renew", remove_after, use_run_long_ago);
            let (responder, mut outcome) = oneshot::channel();
            let read = Read::Calls { run_id: "run".to_owned(), reply: 0, responder };
            waiting.requests.send(Request::Read(read)).unwrap();
            let (store, commits) = waiting.run();
            assert_eq!(outcome.try_recv().unwrap().unwrap().len(), 1);
            assert_eq!(commits, u64::from(renewed), "{remove_after:?}");
            let last_use = store.read().unwrap().last_use("run").unwrap().unwrap();
            assert_eq!(last_use >= Duration::from_secs(1000), renewed, "{remove_after:?}");
        }
    }
}
