//! The tables of the database, and the records in them.

mod runs;

use super::storage_error::StorageError;
use crate::journal::{JournalCall, JournalReply, RecordedCall};
use redb::{ReadTransaction, ReadableTable, Table, TableDefinition, WriteTransaction};
use serde::Deserialize;
use std::collections::HashMap;
use std::time::Duration;
use tool_runtime::dispatch::CallKey;

/// The format of the tables and of the records.
pub(super) const VERSION: u64 = 2;

/// Run id, number of the reply, position of the call in it.
type Key = (&'static str, u64, u64);

/// The JSON of a `JournalCall`.
const CALLS: TableDefinition<Key, &[u8]> = TableDefinition::new("calls");
/// The JSON of a `ToolResult`, with the key of its call.
const RESULTS: TableDefinition<Key, &[u8]> = TableDefinition::new("results");
/// The JSON of a `JournalReply`, by run id and number.
const REPLIES: TableDefinition<(&str, u64), &[u8]> = TableDefinition::new("replies");
/// The last use of each run, in milliseconds of the running time, and the number of its calls without result.
const RUNS: TableDefinition<&str, (u64, u64)> = TableDefinition::new("runs");
/// The runs without such calls, by their last use.
const CLOSED_RUNS: TableDefinition<(u64, &str), ()> = TableDefinition::new("closed_runs");
const META: TableDefinition<&str, u64> = TableDefinition::new("meta");
const META_VERSION: &str = "version";
const META_COMMITS: &str = "commits";
/// The time during which processes had the journal open, in milliseconds, at the last commit.
const META_RUNNING_TIME: &str = "running time";

/// The counters of a journal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meta {
    pub(super) version: u64,
    pub(super) commits: u64,
    pub(super) running_time: Duration,
}

/// Reads the counters, and checks that the database has each table, unless its version is another one.
pub(super) fn read_meta(transaction: &ReadTransaction) -> Result<Meta, redb::Error> {
    let table = transaction.open_table(META)?;
    let counter = |name| match table.get(name)? {
        Some(value) => Ok(value.value()),
        None => Err(redb::Error::Corrupted(format!("the counter `{name}` is missing"))),
    };
    let meta = Meta {
        version: counter(META_VERSION)?,
        commits: counter(META_COMMITS)?,
        running_time: Duration::from_millis(counter(META_RUNNING_TIME)?),
    };
    if meta.version == VERSION {
        ReadTables::open(transaction)?;
        transaction.open_table(CLOSED_RUNS)?;
    }
    Ok(meta)
}

/// The tables in a transaction that only reads.
pub(super) struct ReadTables {
    calls: redb::ReadOnlyTable<Key, &'static [u8]>,
    results: redb::ReadOnlyTable<Key, &'static [u8]>,
    replies: redb::ReadOnlyTable<(&'static str, u64), &'static [u8]>,
    runs: redb::ReadOnlyTable<&'static str, (u64, u64)>,
}

impl ReadTables {
    pub(super) fn open(transaction: &ReadTransaction) -> Result<Self, redb::Error> {
        Ok(ReadTables {
            calls: transaction.open_table(CALLS)?,
            results: transaction.open_table(RESULTS)?,
            replies: transaction.open_table(REPLIES)?,
            runs: transaction.open_table(RUNS)?,
        })
    }

    /// The calls of a reply.
    pub(super) fn find_calls(&self, run_id: &str, reply: u64) -> Result<Vec<RecordedCall>, OperationError> {
        let records = self.calls.range((run_id, reply, 0)..=(run_id, reply, u64::MAX))?;
        let calls = records.map(|record| {
            let (columns, record) = record?;
            read_call(record.value(), columns.value(), &self.results)
        });
        calls.collect()
    }

    pub(super) fn find_reply(
        &self,
        run_id: &str,
        number: u64,
    ) -> Result<Option<JournalReply>, OperationError> {
        let Some(record) = self.replies.get((run_id, number))? else { return Ok(None) };
        let name = || format!("{run_id}/{number}");
        let reply: JournalReply = decode(record.value(), name)?;
        if reply.run_id != run_id || reply.number != number {
            return Err(
                StorageError::Record { key: name(), source: "it is that of another reply".into() }.into()
            );
        }
        Ok(Some(reply))
    }

    /// The last use of a run; `None` if it is not recorded.
    pub(super) fn last_use(&self, run_id: &str) -> Result<Option<Duration>, redb::Error> {
        Ok(self.runs.get(run_id)?.map(|run| Duration::from_millis(run.value().0)))
    }
}

/// The last use of the closed run that was used least recently; `None` if there is none.
pub(super) fn oldest_use(transaction: &ReadTransaction) -> Result<Option<Duration>, redb::Error> {
    let runs = transaction.open_table(CLOSED_RUNS)?;
    let oldest = runs.first()?;
    Ok(oldest.map(|(run, _)| Duration::from_millis(run.value().0)))
}

/// The tables in a transaction that writes.
pub(super) struct WriteTables<'t> {
    calls: Table<'t, Key, &'static [u8]>,
    results: Table<'t, Key, &'static [u8]>,
    replies: Table<'t, (&'static str, u64), &'static [u8]>,
    runs: Table<'t, &'static str, (u64, u64)>,
    closed_runs: Table<'t, (u64, &'static str), ()>,
    meta: Table<'t, &'static str, u64>,
    /// The used runs, with the change of the number of their calls without result.
    used: HashMap<String, i64>,
}

impl<'t> WriteTables<'t> {
    /// Opens the tables, and creates the missing ones.
    pub(super) fn open(transaction: &'t WriteTransaction) -> Result<Self, redb::Error> {
        Ok(WriteTables {
            calls: transaction.open_table(CALLS)?,
            results: transaction.open_table(RESULTS)?,
            replies: transaction.open_table(REPLIES)?,
            runs: transaction.open_table(RUNS)?,
            closed_runs: transaction.open_table(CLOSED_RUNS)?,
            meta: transaction.open_table(META)?,
            used: HashMap::new(),
        })
    }

    /// Records a call unless it is recorded already, and returns the earlier record.
    pub(super) fn begin_call(
        &mut self,
        key: &CallKey,
        record: &[u8],
    ) -> Result<Option<RecordedCall>, OperationError> {
        let earlier = find_call(&self.calls, &self.results, key)?;
        if earlier.is_none() {
            self.calls.insert(columns(key), record)?;
            *self.used.entry(key.run_id.clone()).or_default() += 1;
        } else {
            self.use_run(&key.run_id);
        }
        Ok(earlier)
    }

    /// Records the result of a call, unless it has one.
    pub(super) fn finish_call(&mut self, key: &CallKey, record: &[u8]) -> Result<(), OperationError> {
        if self.calls.get(columns(key))?.is_none() {
            return Err(StorageError::NotBegun(key.clone()).into());
        }
        if self.results.get(columns(key))?.is_none() {
            self.results.insert(columns(key), record)?;
            *self.used.entry(key.run_id.clone()).or_default() -= 1;
        } else {
            self.use_run(&key.run_id);
        }
        Ok(())
    }

    /// Records a reply, and returns `true`, unless it is recorded already.
    pub(super) fn record_reply(
        &mut self,
        run_id: &str,
        number: u64,
        record: &[u8],
    ) -> Result<bool, OperationError> {
        self.use_run(run_id);
        if self.replies.get((run_id, number))?.is_some() {
            return Ok(false);
        }
        self.replies.insert((run_id, number), record)?;
        Ok(true)
    }

    /// Writes the counters.
    pub(super) fn write_meta(&mut self, meta: Meta) -> Result<(), redb::Error> {
        self.meta.insert(META_VERSION, meta.version)?;
        self.meta.insert(META_COMMITS, meta.commits)?;
        self.meta.insert(META_RUNNING_TIME, millis(meta.running_time))?;
        Ok(())
    }
}

/// An operation on the tables that has failed.
#[derive(Debug)]
pub(super) enum OperationError {
    /// The transaction has failed.
    Database(redb::Error),
    /// Only this operation has failed, before it changed anything.
    Record(StorageError),
}

impl OperationError {
    fn into_database(self) -> redb::Error {
        match self {
            OperationError::Database(error) => error,
            OperationError::Record(error) => redb::Error::Corrupted(error.to_string()),
        }
    }
}

impl From<redb::StorageError> for OperationError {
    fn from(error: redb::StorageError) -> Self {
        OperationError::Database(error.into())
    }
}

impl From<StorageError> for OperationError {
    fn from(error: StorageError) -> Self {
        OperationError::Record(error)
    }
}

fn find_call(
    calls: &impl ReadableTable<Key, &'static [u8]>,
    results: &impl ReadableTable<Key, &'static [u8]>,
    key: &CallKey,
) -> Result<Option<RecordedCall>, OperationError> {
    match calls.get(columns(key))? {
        Some(record) => read_call(record.value(), columns(key), results).map(Some),
        None => Ok(None),
    }
}

fn read_call(
    record: &[u8],
    (run_id, reply, position): (&str, u64, u64),
    results: &impl ReadableTable<Key, &'static [u8]>,
) -> Result<RecordedCall, OperationError> {
    let name = || format!("{run_id}/{reply}/{position}");
    let call: JournalCall = decode(record, name)?;
    if columns(&call.key) != (run_id, reply, position) {
        return Err(StorageError::Record { key: name(), source: "it is that of another call".into() }.into());
    }
    let result = match results.get((run_id, reply, position))? {
        Some(record) => Some(decode(record.value(), name)?),
        None => None,
    };
    Ok(RecordedCall::new(call, result))
}

fn decode<'a, T: Deserialize<'a>>(record: &'a [u8], key: impl FnOnce() -> String) -> Result<T, StorageError> {
    serde_json::from_slice(record).map_err(|error| StorageError::Record { key: key(), source: error.into() })
}

fn columns(key: &CallKey) -> (&str, u64, u64) {
    // A `usize` has at most 64 bits.
    (&key.run_id, key.reply, key.position as u64)
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
