//! The ledger of a round: a line for each start of a process and each effect, independent of sessions and journals.

use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Entry {
    /// An agent has started.
    Agent,
    /// A worker has started.
    Worker { process: u32 },
    /// The model receives a request for the reply with this number.
    Asked { reply: usize },
    /// A tool takes effect.
    Effect { key: String, tool: String, order: u32 },
}

/// Appends an entry with a single write, which a kill does not split.
pub(crate) fn append(folder: &Path, entry: &Entry) {
    let line = serde_json::to_string(entry).expect("an entry is JSON") + "\n";
    let file = OpenOptions::new().append(true).create(true).open(folder.join("ledger"));
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the ledger can be written");
}

/// All entries so far.
pub(crate) fn entries(folder: &Path) -> Result<Vec<Entry>, String> {
    match std::fs::read_to_string(folder.join("ledger")) {
        Ok(text) => {
            let entry =
                |line| serde_json::from_str(line).map_err(|error| format!("ledger: {error} in {line}"));
            text.lines().map(entry).collect()
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error.to_string()),
    }
}
