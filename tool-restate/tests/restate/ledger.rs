//! The ledger: one line for each effect and each request, in a file that neither the engine nor the workers read.

use serde::{Deserialize, Serialize};
use std::collections::hash_map::RandomState;
use std::fs::OpenOptions;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The variable of the environment with the path of the ledger.
pub(crate) const LEDGER: &str = "RESTATE_LEDGER";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum What {
    /// The model receives a request.
    Asked,
    /// A tool begins.
    Begun,
    /// A tool has its effect.
    Done,
    /// A listener receives an event.
    Event,
    /// A person sees the end of a session.
    Ended,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) what: What,
    /// `session:reply:ask` for a request, and `session:reply:ask:position` for an effect.
    pub(crate) order: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) key: String,
    /// Differs in each run of the tool.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) nonce: String,
}

/// Appends a line with one write, which a kill does not split.
pub(crate) fn write(what: What, order: &str, key: &str, nonce: &str) {
    if let Some(path) = std::env::var_os(LEDGER) {
        append(Path::new(&path), what, order, key, nonce);
    }
}

/// The file, in the folder of the ledger, that lets the model and the tool `hold` continue.
fn release_file(ledger: &Path) -> PathBuf {
    ledger.with_file_name("release")
}

/// Lets the model and the tool `hold` continue.
pub(crate) fn release(ledger: &Path) {
    std::fs::write(release_file(ledger), "").expect("the folder can be written");
}

/// Lets them wait again.
pub(crate) fn hold(ledger: &Path) {
    std::fs::remove_file(release_file(ledger)).expect("it was released");
}

/// Waits until the test lets this process continue.
pub(crate) async fn wait_for_release() {
    let Some(ledger) = std::env::var_os(LEDGER) else { return };
    while !release_file(Path::new(&ledger)).exists() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Notes in the ledger that a person has seen the end of a session.
pub(crate) fn write_ended(path: &Path, session: &str) {
    append(path, What::Ended, &format!("{session}:ended"), "", "");
}

fn append(path: &Path, what: What, order: &str, key: &str, nonce: &str) {
    let entry = Entry { what, order: order.into(), key: key.into(), nonce: nonce.into() };
    let line = serde_json::to_string(&entry).expect("an entry is JSON") + "\n";
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the ledger can be written");
}

pub(crate) fn read(path: &Path) -> Vec<Entry> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("an entry")).collect()
}

/// A text that no other process has.
pub(crate) fn nonce() -> String {
    format!("{:08x}", RandomState::new().build_hasher().finish() >> 32)
}
