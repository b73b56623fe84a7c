//! The ledger of a round: one line for each effect and each step of the program, independent of the journal.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// One line of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Line {
    /// The name of the session; empty for an entry about the process.
    pub(crate) session: String,
    pub(crate) entry: Entry,
}

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
    /// The future of the run is dropped.
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

/// The ledger in the process that writes it, for the entries of one session or about the process.
#[derive(Clone)]
pub(crate) struct Ledger {
    session: String,
    state: Arc<Mutex<State>>,
}

struct State {
    file: File,
    written: usize,
    /// The process does nothing more after so many entries, so that it is killed exactly there.
    holds_at: Option<usize>,
    alarms: Vec<Alarm>,
    /// How often the models of the sessions were asked for each reply, in all processes.
    asks: HashMap<String, HashMap<u64, u64>>,
}

/// An interruption of a run after so many entries.
struct Alarm {
    at: usize,
    ring: Box<dyn FnOnce() + Send>,
}

impl Ledger {
    /// Opens the ledger, which has these lines. The handle is for entries about the process.
    pub(crate) fn open(folder: &Path, lines: &[Line], holds_at: Option<usize>) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path(folder))?;
        let mut state = State { file, written: 0, holds_at, alarms: Vec::new(), asks: HashMap::new() };
        for Line { session, entry } in lines {
            if let Entry::Asked { reply, .. } = entry {
                state.count_ask(session, *reply);
            }
        }
        Ok(Ledger { session: String::new(), state: Arc::new(Mutex::new(state)) })
    }

    /// The ledger for the entries of a session.
    pub(crate) fn for_session(&self, session: &str) -> Self {
        Ledger { session: session.to_owned(), state: Arc::clone(&self.state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends an entry with a single write, and signals the parent.
    pub(crate) fn write(&self, entry: Entry) {
        self.state().write(&self.session, entry);
    }

    /// Writes that the model is asked for a reply, and returns how often it was asked before.
    pub(crate) fn write_asked(&self, reply: u64, messages: u64) -> u64 {
        let mut state = self.state();
        let ask = state.count_ask(&self.session, reply);
        state.write(&self.session, Entry::Asked { reply, ask, messages });
        ask
    }

    /// How often the model was asked for a reply.
    pub(crate) fn asks(&self, reply: u64) -> u64 {
        let state = self.state();
        state.asks.get(&self.session).and_then(|asks| asks.get(&reply)).copied().unwrap_or_default()
    }

    /// Calls the function at the `entries`th entry from now, of any session.
    pub(crate) fn set_alarm(&self, entries: usize, ring: impl FnOnce() + Send + 'static) {
        let mut state = self.state();
        let at = state.written + entries;
        state.alarms.push(Alarm { at, ring: Box::new(ring) });
    }
}

impl State {
    /// Counts a request for a reply, and returns the number of those before.
    fn count_ask(&mut self, session: &str, reply: u64) -> u64 {
        let asks = self.asks.entry(session.to_owned()).or_default().entry(reply).or_default();
        *asks += 1;
        *asks - 1
    }

    fn write(&mut self, session: &str, entry: Entry) {
        let line = line_of(&Line { session: session.to_owned(), entry });
        self.file.write_all(line.as_bytes()).expect("the ledger is written");
        self.written += 1;
        signal();
        if self.holds_at == Some(self.written) {
            std::thread::sleep(TIME_LIMIT);
            std::process::abort();
        }
        let written = self.written;
        for alarm in self.alarms.extract_if(.., |alarm| alarm.at <= written) {
            (alarm.ring)();
        }
    }
}

/// Appends an entry of the parent, while no child runs.
pub(crate) fn append(folder: &Path, entry: Entry) -> Result<(), String> {
    let file = OpenOptions::new().append(true).create(true).open(path(folder));
    let line = line_of(&Line { session: String::new(), entry });
    file.and_then(|mut file| file.write_all(line.as_bytes())).map_err(|error| error.to_string())
}

fn line_of(line: &Line) -> String {
    serde_json::to_string(line).expect("a line is JSON") + "\n"
}

fn path(folder: &Path) -> PathBuf {
    folder.join("ledger")
}

/// All lines of the ledger; empty before the first one.
pub(crate) fn lines(folder: &Path) -> Result<Vec<Line>, String> {
    let text = match std::fs::read_to_string(path(folder)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.to_string()),
    };
    text.lines()
        .map(|line| serde_json::from_str(line).map_err(|error| format!("ledger: {error} in {line}")))
        .collect()
}

/// The entries of a session and about the processes, and the interruptions of the sessions around it.
pub(crate) fn entries_of(lines: &[Line], session: &str) -> Vec<Entry> {
    let is_around = |outer: &str| session.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
    let concerns = |line: &&Line| {
        line.session.is_empty()
            || line.session == session
            || line.entry.interrupts() && is_around(&line.session)
    };
    lines.iter().filter(concerns).map(|line| line.entry.clone()).collect()
}
