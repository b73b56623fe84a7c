//! The stored sessions of a program.

use serde::Serialize;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::SystemTime;
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
            let is_json = entry.path().extension().is_some_and(|extension| extension == "json");
            if let (true, Ok(name)) = (is_json, entry.file_name().into_string()) {
                let metadata = entry.metadata()?;
                files.push((metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), metadata.len(), name));
            }
        }
        files.sort_by(|one, other| other.cmp(one));
        let entry = |(_, bytes, name)| SessionEntry::new(name).detail(format!("{bytes} bytes"));
        Ok(files.into_iter().map(entry).collect())
    }
}

impl SessionSource for SessionFolder {
    fn list(&self) -> HookFuture<'_, Vec<SessionEntry>> {
        Box::pin(async move { Ok(self.entries()?) })
    }

    fn load<'a>(&'a self, id: &'a str) -> HookFuture<'a, Option<String>> {
        Box::pin(async move {
            // Only a listed name: an id from a page could lead out of the folder.
            if self.entries()?.iter().all(|entry| entry.id != id) {
                return Ok(None);
            }
            Ok(Some(fs::read_to_string(self.path.join(id))?))
        })
    }
}
