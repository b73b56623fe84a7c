//! The ledger of a round: one line for each effect and each step of the program, independent of the journal.

use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// One line of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Entry {
    /// A process has opened the journal.
    Started,
    /// A run begins, with a session of so many replies.
    Run { replies: u64, is_streamed: bool },
    /// The model receives a request for the reply with this number, for the `ask`th time. `messages` is a digest.
    Asked { reply: u64, ask: u64, messages: u64 },
    /// The model has sent its reply.
    Replied { reply: u64, ask: u64 },
    /// The session has the reply.
    Received { reply: u64 },
    /// A tool begins. The effect counts from here.
    Begun { order: String, key: String },
    /// A tool has taken effect.
    Done { order: String },
    /// A person approves a call of this order.
    Approved { order: String },
    /// A run has ended: the end, or the error.
    Ended { end: String },
    /// The token of the run was cancelled, and the run has ended.
    Cancelled,
    /// The future of the run was dropped.
    Dropped,
    /// The session is stored.
    Stored { replies: u64 },
    /// The last session is stored.
    Finished,
    /// The process was killed.
    Killed,
}

impl Entry {
    /// Whether calls may have been interrupted here.
    pub(crate) fn interrupts(&self) -> bool {
        matches!(self, Entry::Killed | Entry::Cancelled | Entry::Dropped)
    }
}

/// A process that prints nothing for so long hangs.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(120);

/// The line that a child prints before it opens the journal, and after each entry of the ledger.
pub(crate) const SIGNAL: &str = "[signal]";

pub(crate) fn signal() {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{SIGNAL}").and_then(|()| stdout.flush()).expect("the parent reads");
}

/// The ledger in the process that writes it.
pub(crate) struct Ledger {
    state: Mutex<State>,
}

struct State {
    file: File,
    written: usize,
    /// The process does nothing more after so many entries, so that it is killed exactly there.
    holds_at: Option<usize>,
    alarm: Option<Alarm>,
}

/// An interruption of a run after so many entries.
struct Alarm {
    at: usize,
    ring: Box<dyn FnOnce() + Send>,
}

impl Ledger {
    pub(crate) fn open(folder: &Path, holds_at: Option<usize>) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path(folder))?;
        Ok(Ledger { state: Mutex::new(State { file, written: 0, holds_at, alarm: None }) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends an entry with a single write, and signals the parent.
    pub(crate) fn write(&self, entry: &Entry) {
        let line = line_of(entry);
        let mut state = self.state();
        state.file.write_all(line.as_bytes()).expect("the ledger is written");
        state.written += 1;
        signal();
        if state.holds_at == Some(state.written) {
            std::thread::sleep(TIME_LIMIT);
            std::process::abort();
        }
        let written = state.written;
        if let Some(alarm) = state.alarm.take_if(|alarm| alarm.at <= written) {
            (alarm.ring)();
        }
    }

    /// Calls the function at the `entries`th entry from now.
    pub(crate) fn set_alarm(&self, entries: usize, ring: impl FnOnce() + Send + 'static) {
        let mut state = self.state();
        state.alarm = Some(Alarm { at: state.written + entries, ring: Box::new(ring) });
    }

    pub(crate) fn remove_alarm(&self) {
        self.state().alarm = None;
    }
}

/// Appends an entry of the parent, while no child runs.
pub(crate) fn append(folder: &Path, entry: &Entry) -> Result<(), String> {
    let file = OpenOptions::new().append(true).create(true).open(path(folder));
    file.and_then(|mut file| file.write_all(line_of(entry).as_bytes())).map_err(|error| error.to_string())
}

fn line_of(entry: &Entry) -> String {
    serde_json::to_string(entry).expect("an entry is JSON") + "\n"
}

fn path(folder: &Path) -> PathBuf {
    folder.join("ledger")
}

/// All entries of the ledger; empty before the first one.
pub(crate) fn entries(folder: &Path) -> Result<Vec<Entry>, String> {
    let text = match std::fs::read_to_string(path(folder)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.to_string()),
    };
    text.lines()
        .map(|line| serde_json::from_str(line).map_err(|error| format!("ledger: {error} in {line}")))
        .collect()
}
