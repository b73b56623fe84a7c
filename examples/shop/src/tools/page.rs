//! Pages of long lists.

use rusqlite::{Connection, Row, ToSql};
use serde::Serialize;

/// One page of a list.
#[derive(Serialize)]
pub(super) struct Page<T> {
    items: Vec<T>,
    page: u32,
    pages: u32,
    total: u32,
}

/// A query whose rows are read in pages. All parts are constants: values are parameters.
pub(super) struct PagedQuery<'a> {
    pub(super) columns: &'static str,
    /// `FROM` and `WHERE`.
    pub(super) source: &'static str,
    pub(super) order: &'static str,
    pub(super) params: &'a [(&'a str, &'a dyn ToSql)],
}

impl PagedQuery<'_> {
    /// Reads a page, counted from 1.
    pub(super) fn read<T>(
        &self,
        connection: &Connection,
        (page, size): (u32, u32),
        item: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Page<T>> {
        let PagedQuery { columns, source, order, params } = self;
        let total: u32 =
            connection.query_row(&format!("SELECT count(*) {source}"), *params, |row| row.get(0))?;
        let offset = u64::from(size) * u64::from(page.saturating_sub(1));
        let sql = format!("SELECT {columns} {source} ORDER BY {order} LIMIT {size} OFFSET {offset}");
        let items = connection.prepare(&sql)?.query_map(*params, item)?.collect::<rusqlite::Result<_>>()?;
        Ok(Page { items, page, pages: total.div_ceil(size.max(1)), total })
    }
}
