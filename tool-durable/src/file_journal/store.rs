//! The open database of a journal.

use super::open_error::OpenError;
use super::private_file;
use super::process_file::{self, ProcessFile};
use super::running_time::RunningTime;
use super::storage_error::{Failure, StorageError};
use super::tables::{self, Meta, ReadTables, VERSION, WriteTables};
use redb::backends::FileBackend;
use redb::{Builder, Database, DatabaseError, ReadableDatabase};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Enough for the pages that the calls of a program use now. The default of redb is 1 GiB.
const CACHE_BYTES: usize = 32 << 20;

/// A database that this process has locked, whose format is known.
#[derive(Debug)]
pub(super) struct Store {
    path: PathBuf,
    database: Database,
    process_file: ProcessFile,
    commits: u64,
    running_time: RunningTime,
}

impl Store {
    /// Opens the database with this path, and creates it if it is missing.
    pub(super) fn open(path: &Path) -> Result<Self, OpenError> {
        for file in [path, &process_file::path_of(path)] {
            private_file::check(file).map_err(|error| io_error(path, error))?;
        }
        let commits = process_file::read(path).map(|record| record.commits);
        let length = match fs::symlink_metadata(path) {
            Ok(metadata) => Some(metadata.len()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(io_error(path, error)),
        };
        // Another process may have created both files meanwhile.
        let commits = commits.or_else(|| Some(process_file::read(path)?.commits));
        match (length, commits) {
            (Some(_), Some(0)) => Store::create(path),
            (None, Some(1..)) => Err(damaged(path, "the file is missing")),
            (Some(0), None) => Err(damaged(path, "the file is empty")),
            (None, None | Some(0)) => {
                process_file::create(path).map_err(|error| io_error(path, error))?;
                Store::create(path)
            }
            (Some(_), _) => Store::open_existing(path, commits.unwrap_or(0)),
        }
    }

    /// Opens a database that has at least this number of commits.
    pub(super) fn open_existing(path: &Path, commits: u64) -> Result<Self, OpenError> {
        let database = open_database(path, OpenOptions::new().read(true).write(true))?;
        let meta = read_meta(path, &database)?;
        // The database restores an earlier commit if the last one is damaged.
        if meta.commits < commits {
            let lost = format!("it has {} of at least {commits} commits", meta.commits);
            return Err(damaged(path, lost));
        }
        Ok(Store::new(path, database, meta))
    }

    /// Creates a database, or continues a creation that was interrupted before its first commit.
    fn create(path: &Path) -> Result<Self, OpenError> {
        reset_interrupted_creation(path)?;
        let mut options = OpenOptions::new();
        let database = open_database(path, options.read(true).write(true).create(true).truncate(false))?;
        let transaction = database.begin_read().map_err(|error| read_error(path, error.into()))?;
        let empty =
            transaction.list_tables().map_err(|error| read_error(path, error.into()))?.next().is_none();
        drop(transaction);
        let meta = if empty {
            let meta = Meta { version: VERSION, commits: 1, running_time: Duration::ZERO };
            create_tables(&database, meta).map_err(|error| read_error(path, error))?;
            sync_folder(path);
            meta
        } else {
            read_meta(path, &database)?
        };
        Ok(Store::new(path, database, meta))
    }

    fn new(path: &Path, database: Database, meta: Meta) -> Self {
        Store {
            path: path.to_owned(),
            database,
            process_file: ProcessFile::open(path, meta.commits),
            commits: meta.commits,
            running_time: RunningTime::since(meta.running_time),
        }
    }

    /// The time during which processes had the journal open.
    pub(super) fn now(&self) -> Duration {
        self.running_time.now()
    }

    /// The number of commits.
    pub(super) fn commits(&self) -> u64 {
        self.commits
    }

    /// Whether a run was last used at this time or earlier, and has no open call.
    pub(super) fn has_unused_run(&self, last_use: Duration) -> Result<bool, Failure> {
        let oldest = || tables::oldest_use(&self.database.begin_read()?);
        let oldest = oldest().map_err(|error| self.failure(error))?;
        Ok(oldest.is_some_and(|oldest| oldest <= last_use))
    }

    /// The tables as of the last commit.
    pub(super) fn read(&self) -> Result<ReadTables, Failure> {
        let read = || ReadTables::open(&self.database.begin_read()?);
        read().map_err(|error| self.failure(error))
    }

    /// Executes a write in one transaction, and stores it safely. After an error, the store has to be opened again.
    pub(super) fn write<T>(
        &mut self,
        now: Duration,
        write: impl FnOnce(&mut WriteTables<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let commits = self.commits + 1;
        let meta = Meta { version: VERSION, commits, running_time: now };
        let transaction = self.database.begin_write().map_err(|error| self.failure(error))?;
        let mut tables = WriteTables::open(&transaction).map_err(|error| self.failure(error))?;
        let value = write(&mut tables)?;
        tables.write_meta(meta).map_err(|error| self.failure(error))?;
        drop(tables);
        transaction.commit().map_err(|error| self.failure(error))?;
        self.commits = commits;
        self.process_file.write_commits(commits);
        Ok(value)
    }

    /// An error of the database, for the operations of a transaction.
    pub(super) fn failure(&self, error: impl Into<redb::Error>) -> Failure {
        StorageError::database(&self.path, error.into())
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.process_file.close(self.commits);
    }
}

/// Opens a database, whose pages are verified: without that, a damaged page could be read as a record, or lack one.
fn open_database(path: &Path, options: &mut OpenOptions) -> Result<Database, OpenError> {
    let file = private_file::open(path, options).map_err(|error| io_error(path, error))?;
    let mut builder = Builder::new();
    builder.set_cache_size(CACHE_BYTES).set_check_integrity_on_open(true);
    // redb can panic on a damaged file.
    let open = || builder.create_with_backend(FileBackend::new(file)?);
    match catch_unwind(AssertUnwindSafe(open)) {
        Ok(Ok(database)) => Ok(database),
        Ok(Err(error)) => Err(database_error(path, error)),
        Err(_) => Err(damaged(path, "it cannot be read")),
    }
}

fn database_error(path: &Path, error: DatabaseError) -> OpenError {
    match error {
        DatabaseError::DatabaseAlreadyOpen | DatabaseError::LockProtocolMismatch => in_use(path),
        DatabaseError::UpgradeRequired(_) => {
            OpenError::OtherVersion { path: path.to_owned(), source: error.into() }
        }
        DatabaseError::Storage(error) => read_error(path, error.into()),
        other => damaged(path, other),
    }
}

fn read_error(path: &Path, error: redb::Error) -> OpenError {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};

    match error {
        redb::Error::Io(error) if !matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof) => {
            io_error(path, error)
        }
        other => damaged(path, other),
    }
}

fn read_meta(path: &Path, database: &Database) -> Result<Meta, OpenError> {
    let read = || tables::read_meta(&database.begin_read()?);
    let meta = match catch_unwind(AssertUnwindSafe(read)) {
        Ok(meta) => meta.map_err(|error| read_error(path, error))?,
        Err(_) => return Err(damaged(path, "it cannot be read")),
    };
    if meta.version != VERSION {
        let source = format!("it has format {}, and this version has format {VERSION}", meta.version);
        return Err(OpenError::OtherVersion { path: path.to_owned(), source: source.into() });
    }
    Ok(meta)
}

fn create_tables(database: &Database, meta: Meta) -> Result<(), redb::Error> {
    let transaction = database.begin_write()?;
    WriteTables::open(&transaction)?.write_meta(meta)?;
    transaction.commit()?;
    Ok(())
}

/// Empties a file whose creation was interrupted: redb writes the first bytes last.
fn reset_interrupted_creation(path: &Path) -> Result<(), OpenError> {
    let mut file = match private_file::open(path, OpenOptions::new().read(true).write(true)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(io_error(path, error)),
    };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(in_use(path)),
        Err(TryLockError::Error(error)) => return Err(io_error(path, error)),
    }
    let mut first = [0; 9];
    match file.read_exact(&mut first) {
        Ok(()) if first == [0; 9] => file.set_len(0).map_err(|error| io_error(path, error)),
        // An empty file, or one whose creation is complete.
        _ => Ok(()),
    }
}

/// Syncs the entry of a new file in its folder. Systems without it store the entry with the file.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

fn in_use(path: &Path) -> OpenError {
    let process = process_file::read(path).and_then(|record| record.process);
    OpenError::InUse { path: path.to_owned(), process }
}

fn damaged(path: &Path, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> OpenError {
    OpenError::Damaged { path: path.to_owned(), source: source.into() }
}

fn io_error(path: &Path, source: io::Error) -> OpenError {
    OpenError::Io { path: path.to_owned(), source }
}
