//! Reports about written requests.

use crate::tool_choice::ToolChoice;
use std::fmt;

/// The parts of messages and tools that a request does not contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Parts of messages that the provider's format has no place for.
    pub dropped: Vec<Dropped>,
    /// Tools that are sent without `strict`, although the wire is strict.
    pub not_strict: Vec<NotStrictTool>,
    /// The tool choice that the request cannot have, since its tool is not among the allowed tools, or since it requires a
    /// tool and there is none. The model decides instead.
    pub ignored_choice: Option<ToolChoice>,
}

/// A part of a message that is not in the request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// The index of the message.
    pub message: usize,
    /// The type of the part: for example `image`, `thinking` or `reasoning_content`.
    pub kind: String,
}

/// A tool that is sent without `strict`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotStrictTool {
    /// The name of the tool.
    pub tool: String,
    /// The reasons.
    pub reasons: Vec<String>,
}

impl Report {
    pub(crate) fn drop_part(&mut self, message: usize, kind: impl Into<String>) {
        self.dropped.push(Dropped { message, kind: kind.into() });
    }

    /// Whether the request contains everything, and all tools are strict if the wire is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.dropped.is_empty() && self.not_strict.is_empty() && self.ignored_choice.is_none()
    }
}

/// Formats as `messages[3]: dropped thinking`.
impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "messages[{}]: dropped {}", self.message, self.kind)
    }
}

impl fmt::Display for NotStrictTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the tool `{}` is not strict: {}", self.tool, self.reasons.join("; "))
    }
}
