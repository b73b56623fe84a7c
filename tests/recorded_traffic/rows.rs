//! Reading of recorded traffic.

use serde_json::Value;
use std::io::Write as _;
use std::path::PathBuf;

/// The rows of a file. Prints a notice and returns `None` if `TOOL_CORPORA` is not set.
pub(crate) fn rows(file: &str) -> Option<Vec<Value>> {
    let Some(folder) = std::env::var_os("TOOL_CORPORA") else {
        // Written to the handle, since the test harness captures `eprintln!`.
        let notice = "skipped: TOOL_CORPORA does not name the folder of recorded traffic\n";
        std::io::stderr().write_all(notice.as_bytes()).expect("standard error is there");
        return None;
    };
    let path = PathBuf::from(folder).join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    Some(text.lines().map(|row| serde_json::from_str(row).expect("a row is JSON")).collect())
}
