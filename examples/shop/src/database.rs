//! The database: one file of `SQLite`, and one connection that all requests and tools share.

use rusqlite::{Connection, ErrorCode};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::task::spawn_blocking;

/// The time that a statement waits while another program locks the database.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub(crate) struct Database(Arc<Mutex<Connection>>);

impl Database {
    /// Opens the database, and fills it with products and orders if it is new.
    pub(crate) fn open(path: &str) -> Result<Self, DatabaseError> {
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        let transaction = connection.transaction()?;
        transaction.execute_batch(include_str!("schema.sql"))?;
        if !transaction.query_row("SELECT EXISTS (SELECT 1 FROM products)", (), |row| row.get(0))? {
            transaction.execute_batch(include_str!("seed.sql"))?;
        }
        transaction.commit()?;
        Ok(Database(Arc::new(Mutex::new(connection))))
    }

    /// The connection, for a tool that is `blocking`. A transaction that was open during a panic is rolled back.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Uses the connection on a thread that may block, for a handler of requests.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        access: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        let database = self.clone();
        match spawn_blocking(move || access(&mut database.lock())).await {
            Ok(result) => Ok(result?),
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }
}

/// An error of the database. Its text is for users and for the model, and has no details of the machine.
#[derive(Debug)]
pub(crate) struct DatabaseError(pub(crate) rusqlite::Error);

impl DatabaseError {
    /// Writes the error and its cause to the log.
    pub(crate) fn log(&self) {
        eprintln!("Error: {self}: {}", self.0);
    }

    /// Whether a later attempt may succeed.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self.0.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }
}

impl From<rusqlite::Error> for DatabaseError {
    fn from(error: rusqlite::Error) -> Self {
        DatabaseError(error)
    }
}

impl fmt::Display for DatabaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0.sqlite_error_code() {
            _ if self.is_busy() => "the database is locked by another program; try again later",
            Some(ErrorCode::ReadOnly) => "the database is read-only; nothing can be changed",
            Some(ErrorCode::DiskFull) => "the disk of the database is full; nothing can be changed",
            _ => "the database failed; try again later",
        })
    }
}

impl std::error::Error for DatabaseError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}
