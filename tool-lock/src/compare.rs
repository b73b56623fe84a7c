//! The comparison of a registry with a lock file, for programs that show the changes.

use crate::file::Lock;
use crate::tools::compare_tools;
use std::error::Error;
use std::fmt;
use tool_runtime::Registry;

/// A difference between a lock file and a registry: see [`compare_tools_lock`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolChange {
    /// The name of the tool; of a renamed tool, the one in the lock file.
    pub tool: String,
    /// Whether a program or a model that knows the old tool may fail.
    pub is_breaking: bool,
    /// The change in one line: for example ``the argument `city` is removed``.
    pub text: String,
    /// The lines of a changed text, each with `- ` or `+ `; empty where the line is enough.
    pub diff: Vec<String>,
}

/// The error of a text that is not a lock file, or is one of another version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidLockError(String);

impl fmt::Display for InvalidLockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for InvalidLockError {}

/// The changes from the text of a lock file to the tools of a registry, sorted by tool. Empty if nothing has changed.
/// [`assert_tools_lock`](crate::assert_tools_lock) lists which changes are breaking.
///
/// ```
/// use tool_runtime::{Registry, tool, tools};
/// use tool_runtime_lock::{compare_tools_lock, tools_lock};
///
/// /// The time of day.
/// #[tool]
/// fn now() {}
///
/// let old = tools_lock(&Registry::new(tools![])?);
/// let changes = compare_tools_lock(&Registry::new(tools![now])?, &old)?;
/// assert_eq!(changes[0].tool, "now");
/// assert_eq!(changes[0].text, "the tool is new");
/// assert!(!changes[0].is_breaking);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The text is not a lock file, has another version, or a schema of the registry is too deep to be read as JSON.
pub fn compare_tools_lock(registry: &Registry, lock: &str) -> Result<Vec<ToolChange>, InvalidLockError> {
    let old = Lock::read(lock).map_err(|problem| InvalidLockError(format!("the text {problem}")))?;
    let (new, _) = Lock::from_registry(registry).map_err(InvalidLockError)?;
    let tools = compare_tools(&old, &new).into_iter();
    let changes = tools.flat_map(|tool| {
        tool.changes.into_iter().map(|change| ToolChange {
            tool: tool.tool.to_owned(),
            is_breaking: change.is_breaking,
            text: change.line,
            diff: change.diff,
        })
    });
    Ok(changes.collect())
}
