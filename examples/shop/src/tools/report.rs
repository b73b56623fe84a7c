//! The report: a slow tool that reports progress, and stops when its call is cancelled.

use super::ShopError;
use crate::database::Database;
use crate::users::User;
use serde::Serialize;
use std::env;
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;
use tool_runtime::{CallContext, tool};

/// Simulates the work of a month in a large shop. `SHOP_REPORT_STEP_MS` sets it for tests.
static WORK: LazyLock<Duration> = LazyLock::new(|| {
    let milliseconds = env::var("SHOP_REPORT_STEP_MS").ok().and_then(|text| text.parse().ok());
    Duration::from_millis(milliseconds.unwrap_or(300))
});

#[derive(Serialize)]
pub(crate) struct Month {
    month: String,
    orders: u32,
    revenue_eur: f64,
}

/// Report the orders and the revenue of each month, this month last. Takes a few seconds.
#[tool(title = "Sales report", blocking, read_only)]
pub(crate) fn sales_report(
    #[arg(default = 12, schema(minimum = 1, maximum = 24))] months: u32,
    #[state] user: &User,
    #[state] database: &Database,
    #[context] call: &CallContext,
) -> Result<Vec<Month>, ShopError> {
    let cancellation = call.cancellation();
    let mut report = Vec::new();
    for ago in (0..months).rev() {
        // A running thread cannot be stopped from outside, so it looks at the token before each step.
        if cancellation.is_cancelled() {
            eprintln!("report for {user}: stopped");
            return Err(ShopError::Stopped);
        }
        let month = read_month(database, ago)?;
        eprintln!("report for {user}: {}", month.month);
        thread::sleep(*WORK);
        call.progress(u64::from(months - ago), u64::from(months), month.month.clone());
        report.push(month);
    }
    Ok(report)
}

/// The connection is locked only during this step, so that other requests can use it.
fn read_month(database: &Database, ago: u32) -> rusqlite::Result<Month> {
    database.lock().query_row(
        "SELECT strftime('%Y-%m', first), count(DISTINCT id), coalesce(sum(quantity * price_cents), 0) / 100.0
        FROM (SELECT date('now', 'start of month', '-' || ?1 || ' months') AS first)
        LEFT JOIN (orders JOIN order_lines ON order_id = orders.id)
        ON strftime('%Y-%m', placed_on) = strftime('%Y-%m', first) AND status <> 'cancelled'",
        [ago],
        |row| Ok(Month { month: row.get(0)?, orders: row.get(1)?, revenue_eur: row.get(2)? }),
    )
}
