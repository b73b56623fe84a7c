//! The libraries that are compared, each with a column.

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
    /// Ours is first, since the figures of the others are ratios to it.
    pub(crate) const ALL: Each<Library> = [Library::Ours, Library::LlmTool, Library::ToolsRs, Library::Rig];

    /// The package that a user of the library depends on.
    pub(crate) fn package(self) -> &'static str {
        match self {
            Library::Ours => "tool-runtime",
            Library::LlmTool => "llm-tool",
            Library::ToolsRs => "tools-rs",
            Library::Rig => "rig",
        }
    }

    /// The measured version, from the lock file that the generated programs use as well.
    pub(crate) fn version(self) -> Option<&'static str> {
        let locked = match self {
            // All packages of rig have one version.
            Library::Rig => "rig-agent",
            other => other.package(),
        };
        let entry = format!("name = \"{locked}\"\nversion = \"");
        let (_, rest) = LOCK.split_once(&entry)?;
        rest.split('"').next()
    }
}

pub(crate) const LOCK: &str = include_str!("../Cargo.lock");
