//! The stored states of a session.

use crate::plan::{Plan, Stores};
use fastrand::Rng;
use std::fs;
use std::path::{Path, PathBuf};
use tool_runtime::Session;

pub(crate) struct Store {
    folder: PathBuf,
}

impl Store {
    /// The store of a session of the round with this folder.
    pub(crate) fn new(round: &Path, session: &str) -> Self {
        let folder = round.join(session);
        fs::create_dir_all(&folder).expect("a folder");
        Store { folder }
    }

    /// Stores the last session.
    pub(crate) fn finish(&self, session: &Session) {
        self.write("final.json", session);
    }

    /// Stores a session, and keeps the older ones.
    pub(crate) fn add(&self, session: &Session) {
        let number = self.stored().expect("the folder is readable").len();
        self.write(&format!("session-{number:04}.json"), session);
    }

    /// Writes a file in one step.
    fn write(&self, name: &str, session: &Session) {
        let text = serde_json::to_string(session).expect("a session can be stored");
        let written = self.folder.join("written");
        fs::write(&written, text)
            .and_then(|()| fs::rename(&written, self.folder.join(name)))
            .expect("a file");
    }

    /// The stored sessions, from the oldest to the newest one.
    pub(crate) fn stored(&self) -> Result<Vec<Session>, String> {
        let files = fs::read_dir(&self.folder).map_err(|error| error.to_string())?;
        let paths = files.map(|file| file.map(|file| file.path()));
        let mut paths = paths.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        paths.retain(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("session-"))
        });
        paths.sort();
        paths.iter().map(|path| read(path)).collect()
    }

    /// The last session; `None` before the end.
    pub(crate) fn finished(&self) -> Result<Option<Session>, String> {
        let path = self.folder.join("final.json");
        if path.exists() { read(&path).map(Some) } else { Ok(None) }
    }

    /// The session with which a process begins: the newest one or any one; `None` for the one before the first run.
    pub(crate) fn load(&self, plan: &Plan, random: &mut Rng) -> Option<Session> {
        if plan.stores == Stores::Never {
            return None;
        }
        let mut stored = self.stored().expect("the stored sessions are valid");
        if !plan.may_begin_with_old {
            return stored.pop();
        }
        let index = random.usize(..=stored.len());
        (index < stored.len()).then(|| stored.swap_remove(index))
    }
}

fn read(path: &Path) -> Result<Session, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}
