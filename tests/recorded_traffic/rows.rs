//! Recorded traffic, from the folder that the variable `TOOL_CORPORA` names.

use serde_json::Value;
use std::io::Write as _;
use std::path::PathBuf;

/// The rows of a file, or `None`, said aloud, where there is no such recording at hand.
pub(crate) fn rows(file: &str) -> Option<Vec<Value>> {
    let Some(folder) = std::env::var_os("TOOL_CORPORA") else {
        // Past the capture of the test harness, which would hide it.
        let said = "skipped: TOOL_CORPORA is not set, so there is no recorded traffic to check against\n";
        std::io::stderr().write_all(said.as_bytes()).expect("standard error is there");
        return None;
    };
    let path = PathBuf::from(folder).join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    Some(text.lines().map(|row| serde_json::from_str(row).expect("a row is JSON")).collect())
}
