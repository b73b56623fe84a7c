//! The stored sessions of a program.

use serde::Serialize;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tokio::task::spawn_blocking;
use tool_runtime::session::HookFuture;

/// A session in the list of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SessionEntry {
    /// The id for [`SessionSource::load`].
    pub id: String,
    /// The text in the list.
    pub title: String,
    /// A second line, such as the time of the last change. Default: empty.
    pub detail: String,
}

impl SessionEntry {
    /// A session whose title is its id.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        let id = id.into();
        SessionEntry { title: id.clone(), id, detail: String::new() }
    }

    /// Sets the title.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Sets the second line.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }
}

/// The stored sessions of a program, which the page lists and opens: see [`Inspector::sessions`](crate::Inspector::sessions).
///
/// The page shows the text of an error.
///
/// ```
/// use tool_runtime::session::HookFuture;
/// use tool_runtime_inspector::{SessionEntry, SessionSource};
///
/// /// Sessions in a table of a database.
/// struct Database;
///
/// impl SessionSource for Database {
///     fn list(&self) -> HookFuture<'_, Vec<SessionEntry>> {
///         Box::pin(async { Ok(vec![SessionEntry::new("7").title("Refund of order 72")]) })
///     }
///
///     fn load<'a>(&'a self, id: &'a str) -> HookFuture<'a, Option<String>> {
///         Box::pin(async move { Ok((id == "7").then(|| r#"[{"role":"user","content":"Hello!"}]"#.to_owned())) })
///     }
/// }
/// ```
pub trait SessionSource: Send + Sync {
    /// The sessions, in the order of the list.
    fn list(&self) -> HookFuture<'_, Vec<SessionEntry>>;

    /// The text of a session: a serialized [`Session`](tool_runtime::Session), a list of messages, or the body of a request.
    /// `None` if there is none with this id.
    fn load<'a>(&'a self, id: &'a str) -> HookFuture<'a, Option<String>>;
}

/// The `.json` files of a folder as sessions, the newest first. The id of a session is the name of its file.
///
/// ```
/// use tool_runtime::{Registry, tools};
/// use tool_runtime_inspector::{Inspector, SessionFolder};
///
/// let registry = Registry::new(tools![])?;
/// let router = Inspector::new(&registry).sessions(SessionFolder::new("sessions")).router();
/// # let _ = router;
/// # Ok::<(), tool_runtime::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SessionFolder {
    path: PathBuf,
}

impl SessionFolder {
    /// The sessions in the folder of this path. A missing folder is an error of the list.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        SessionFolder { path: path.into() }
    }

    fn entries(&self) -> io::Result<Vec<SessionEntry>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            // A file that was removed in between is no session.
            if let (true, Ok(metadata)) = (is_session(&name), entry.metadata()) {
                files.push((metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), metadata.len(), name));
            }
        }
        files.sort_by(|one, other| other.cmp(one));
        let entry = |(_, bytes, name)| SessionEntry::new(name).detail(format!("{bytes} bytes"));
        Ok(files.into_iter().map(entry).collect())
    }

    fn read(&self, id: &str) -> io::Result<Option<String>> {
        if !is_session(id) {
            return Ok(None);
        }
        match fs::read_to_string(self.path.join(id)) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Whether this is the name of a JSON file, and no path that leads out of the folder.
fn is_session(name: &str) -> bool {
    let path = Path::new(name);
    path.extension().is_some_and(|extension| extension == "json")
        && path.file_name() == Some(OsStr::new(name))
}

impl SessionSource for SessionFolder {
    fn list(&self) -> HookFuture<'_, Vec<SessionEntry>> {
        let folder = self.clone();
        Box::pin(async move { Ok(spawn_blocking(move || folder.entries()).await??) })
    }

    fn load<'a>(&'a self, id: &'a str) -> HookFuture<'a, Option<String>> {
        let (folder, id) = (self.clone(), id.to_owned());
        Box::pin(async move { Ok(spawn_blocking(move || folder.read(&id)).await??) })
    }
}
