//! The sessions in the database, one for each user.
//!
//! Two requests of a user may load the same session. Each stores a claim before its run, and a claim replaces only the
//! session that the request has loaded, so the second request gets a conflict.

use crate::database::{Database, DatabaseError};
use crate::request_error::RequestError;
use crate::users::User;
use rusqlite::{OptionalExtension as _, params};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tool_runtime::Session;
use tool_runtime_inspector::SessionEntry;

const INSTRUCTIONS: &str = "You help the user to run a small shop. Use the tools; never invent products, orders or \
    numbers. Answer in a few short sentences, without Markdown.";

#[derive(Clone)]
pub(crate) struct Sessions {
    database: Database,
    /// The users with a run in progress. A claim in the database that is not listed here was left by a process that has
    /// crashed, or by a run that could not be stored, so it does not block its user. This needs one process for each
    /// database: several would need the time of the claim as well.
    running: Arc<Mutex<HashSet<User>>>,
}

impl Sessions {
    pub(crate) fn new(database: Database) -> Self {
        Sessions { database, running: Arc::default() }
    }

    pub(crate) fn is_running(&self, user: User) -> bool {
        self.running().contains(&user)
    }

    /// Returns an error if a run of the user is in progress.
    pub(crate) fn check_idle(&self, user: User) -> Result<(), RequestError> {
        if self.is_running(user) { Err(in_progress()) } else { Ok(()) }
    }

    /// Loads the session of a user, or creates one.
    pub(crate) async fn load(&self, user: User) -> Result<Session, RequestError> {
        let sql = "SELECT data FROM sessions WHERE user_id = ?1";
        let read = self.database.run(move |connection| {
            connection.query_row(sql, [user.0], |row| row.get::<_, String>(0)).optional()
        });
        match read.await? {
            Some(data) => serde_json::from_str(&data).map_err(RequestError::internal),
            None => Ok(Session::new().system(INSTRUCTIONS)),
        }
    }

    /// Stores the claim of a session, which was loaded with this revision.
    pub(crate) async fn claim(
        &self,
        user: User,
        loaded: u64,
        claim: &Session,
    ) -> Result<Claim, RequestError> {
        if !self.running().insert(user) {
            return Err(in_progress());
        }
        let guard = Running { user, sessions: self.clone() };
        let (revision, data) =
            (claim.revision(), serde_json::to_string(claim).map_err(RequestError::internal)?);
        let sql = "INSERT INTO sessions (user_id, revision, data) VALUES (?1, ?2, ?3)
            ON CONFLICT (user_id) DO UPDATE SET revision = excluded.revision, data = excluded.data
            WHERE revision = ?4 RETURNING id";
        let stored = self.database.run(move |connection| {
            let parameters = params![user.0, revision.cast_signed(), data, loaded.cast_signed()];
            connection.query_row(sql, parameters, |row| row.get(0)).optional()
        });
        let id = stored.await?;
        let id =
            id.ok_or_else(|| RequestError::conflict("another request was faster; load the page again"))?;
        Ok(Claim { id, revision, guard })
    }

    /// All sessions, for developers, the newest first.
    pub(crate) async fn entries(&self) -> Result<Vec<SessionEntry>, DatabaseError> {
        let sql = "SELECT id, user_id, revision FROM sessions ORDER BY id DESC";
        let read = self.database.run(move |connection| {
            let mut statement = connection.prepare(sql)?;
            let rows = statement.query_map((), |row| {
                let (id, user, revision): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let entry = SessionEntry::new(id.to_string()).title(format!("Session {id}"));
                Ok(entry.detail(format!("user {user}, revision {revision}")))
            })?;
            rows.collect()
        });
        read.await
    }

    /// The stored text of a session, for developers.
    pub(crate) async fn text(&self, id: &str) -> Result<Option<String>, DatabaseError> {
        let sql = "SELECT data FROM sessions WHERE id = ?1";
        let id = id.to_owned();
        let read =
            self.database.run(move |connection| connection.query_row(sql, [id], |row| row.get(0)).optional());
        read.await
    }

    /// Removes the session of a user. Its orders and notes stay.
    pub(crate) async fn remove(&self, user: User) -> Result<(), RequestError> {
        self.check_idle(user)?;
        let sql = "DELETE FROM sessions WHERE user_id = ?1";
        self.database.run(move |connection| connection.execute(sql, [user.0])).await?;
        Ok(())
    }

    fn running(&self) -> MutexGuard<'_, HashSet<User>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn in_progress() -> RequestError {
    RequestError::conflict("a run is in progress; wait until it ends")
}

/// The right to run a session, until it is stored.
pub(crate) struct Claim {
    /// The id of the session.
    pub(crate) id: i64,
    revision: u64,
    guard: Running,
}

impl Claim {
    /// Stores the session after its run.
    pub(crate) async fn store(self, session: &Session) -> Result<(), RequestError> {
        let Claim { id, revision: claimed, guard } = self;
        let (revision, data) =
            (session.revision(), serde_json::to_string(session).map_err(RequestError::internal)?);
        let sql = "UPDATE sessions SET revision = ?2, data = ?3 WHERE id = ?1 AND revision = ?4";
        let stored = guard.sessions.database.run(move |connection| {
            connection.execute(sql, params![id, revision.cast_signed(), data, claimed.cast_signed()])
        });
        if stored.await? == 0 {
            return Err(RequestError::conflict(
                "the conversation was removed during the run; load the page again",
            ));
        }
        Ok(())
    }
}

/// Lists the user as running until it is dropped, even after a panic.
struct Running {
    user: User,
    sessions: Sessions,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.sessions.running().remove(&self.user);
    }
}
