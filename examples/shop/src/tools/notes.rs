//! The tool for notes.

use super::ShopError;
use crate::database::Database;
use crate::users::User;
use rusqlite::Connection;
use serde::Serialize;
use tool_runtime::tool;

#[derive(Serialize)]
pub(crate) struct Note {
    author: String,
    written_on: String,
    text: String,
}

/// Add a note to an order, for the other clerks.
#[tool(title = "Add a note", blocking)]
pub(crate) fn add_note(
    order: i64,
    #[arg(schema(minLength = 1, maxLength = 500))] text: &str,
    #[state] user: &User,
    #[state] database: &Database,
) -> Result<Vec<Note>, ShopError> {
    let connection = database.lock();
    let added = connection.execute(
        "INSERT INTO notes (order_id, author, written_on, text)
        SELECT id, ?2, date('now'), ?3 FROM orders WHERE id = ?1",
        (order, format!("clerk {}", user.0), text),
    )?;
    if added == 0 {
        return Err(ShopError::UnknownOrder(order));
    }
    Ok(notes_of(&connection, order)?)
}

/// The notes of an order, oldest first.
pub(super) fn notes_of(connection: &Connection, order: i64) -> rusqlite::Result<Vec<Note>> {
    let sql = "SELECT author, written_on, text FROM notes WHERE order_id = ?1 ORDER BY id";
    let mut notes = connection.prepare(sql)?;
    let notes = notes.query_map([order], |row| {
        Ok(Note { author: row.get(0)?, written_on: row.get(1)?, text: row.get(2)? })
    })?;
    notes.collect()
}
