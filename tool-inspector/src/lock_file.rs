//! The changes of the tools since their lock file.

use serde::Serialize;
use std::fs;
use std::path::Path;
use tool_runtime::Registry;
use tool_runtime_lock::{ToolChange, compare_tools_lock};

/// A lock file that was compared with the registry.
#[derive(Debug, Serialize)]
pub(crate) struct LockFile {
    file: String,
    /// The reason why it cannot be compared.
    error: Option<String>,
    changes: Vec<ToolChangeView>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct ToolChangeView {
    tool: String,
    is_breaking: bool,
    text: String,
    diff: Vec<String>,
}

impl From<ToolChange> for ToolChangeView {
    fn from(change: ToolChange) -> Self {
        let ToolChange { tool, is_breaking, text, diff, .. } = change;
        ToolChangeView { tool, is_breaking, text, diff }
    }
}

impl LockFile {
    /// Reads the file again each time, since the developer changes it while the page is open.
    pub(crate) fn compare(registry: &Registry, path: &Path) -> Self {
        let text = fs::read_to_string(path).map_err(|error| format!("the file cannot be read: {error}"));
        let compared =
            text.and_then(|text| compare_tools_lock(registry, &text).map_err(|error| error.to_string()));
        let (changes, error) = match compared {
            Ok(changes) => (changes.into_iter().map(ToolChangeView::from).collect(), None),
            Err(error) => (Vec::new(), Some(error)),
        };
        // Without its folders, which are private to the machine.
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        LockFile { file, error, changes }
    }

    /// The changes of one tool.
    pub(crate) fn changes_of(&self, tool: &str) -> Vec<ToolChangeView> {
        self.changes.iter().filter(|change| change.tool == tool).cloned().collect()
    }

    /// `breaking` or `compatible`; `None` if the tool has not changed.
    pub(crate) fn kind_of(&self, tool: &str) -> Option<&'static str> {
        let mut changes = self.changes.iter().filter(|change| change.tool == tool).peekable();
        changes.peek()?;
        Some(if changes.any(|change| change.is_breaking) { "breaking" } else { "compatible" })
    }
}
