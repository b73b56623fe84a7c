//! The libraries that are compared: one column each.

/// One figure of each library, in the order of [`Library::ALL`].
pub(crate) type Each<T> = [T; 4];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    Ours,
    LlmTool,
    ToolsRs,
    Rig,
}

impl Library {
    /// Ours first: the others are told as ratios to it.
    pub(crate) const ALL: Each<Library> = [Library::Ours, Library::LlmTool, Library::ToolsRs, Library::Rig];

    pub(crate) fn package(self) -> &'static str {
        match self {
            Library::Ours => "tool-runtime",
            Library::LlmTool => "llm-tool",
            Library::ToolsRs => "tools-rs",
            Library::Rig => "rig-core",
        }
    }

    /// The version that was measured, from the lock file that the generated programs are built with as well.
    pub(crate) fn version(self) -> Option<&'static str> {
        let entry = format!("name = \"{}\"\nversion = \"", self.package());
        let (_, behind) = LOCK.split_once(&entry)?;
        behind.split('"').next()
    }
}

pub(crate) const LOCK: &str = include_str!("../Cargo.lock");
