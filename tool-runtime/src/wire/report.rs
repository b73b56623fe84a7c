//! Reports about written requests.

use crate::message::Part;
use crate::outcome::LogWriter;
use crate::schema::{NotStrict, ToolSchema};
use crate::tool_choice::ToolChoice;
use std::fmt::{self, Write as _};
use std::sync::Arc;

/// The change of a request that starts with a reply, for providers that reject it.
pub(super) const ADDED_START: &str =
    "added a text of the user before it, since the provider requires one at the start";

/// The change of a system message that is after the start of the conversation, for APIs that have it only before all messages.
pub(super) const MOVED_TO_START: &str =
    "it is before all messages, where the API has system messages, so the prompt cache is lost";

/// The parts of messages and tools that a request does not contain, or contains in another form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Parts of messages that the provider's format has no place for.
    pub dropped: Vec<Dropped>,
    /// Parts of messages that the request has in another form, since the provider rejects this one.
    pub changed: Vec<Changed>,
    /// Changes of definitions to what the provider accepts or the model follows better. The tools validate against the original.
    pub changed_definitions: Arc<[ChangedDefinition]>,
    /// Tools that the request does not contain, since the provider rejects them.
    pub left_out_tools: Arc<[LeftOutTool]>,
    /// Tools that are sent without `strict`, although the wire is strict.
    pub not_strict_tools: Vec<NotStrictTool>,
    /// The reasons why the response format of a typed answer is sent without `strict`.
    pub answer_not_strict: Vec<String>,
    /// The tool choice that the request does not contain, since it has no such tool or the API has no tool choice. The model
    /// decides instead.
    pub ignored_choice: Option<ToolChoice>,
    /// Whether the API has no tool choice.
    pub(super) has_no_choice: bool,
    /// The names of allowed tools, and of tools with settings of the wire, that no tool has.
    pub unknown_tools: Vec<String>,
    /// The custom tools of the wire that are sent as functions, since the parameter is not a string or not their only one.
    pub not_custom_tools: Vec<String>,
}

/// A part of a message that is not in the request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// The index of the message in [`RequestParts::messages`](super::RequestParts::messages).
    pub message: usize,
    /// The type of the part: for example `image`, `thinking` or `reasoning_content`.
    pub kind: String,
}

/// A part of a message that is in the request in another form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changed {
    /// The index of the message in [`RequestParts::messages`](super::RequestParts::messages).
    pub message: usize,
    /// The change, and its reason.
    pub change: String,
}

/// A change of the definition of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangedDefinition {
    /// The name of the tool.
    pub tool: String,
    /// The changed schema as a JSON pointer into the parameters; empty for the parameters as a whole.
    pub place: String,
    /// The change, and its reason.
    pub change: String,
}

/// A tool that a request does not contain.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOutTool {
    /// The name of the tool.
    pub tool: String,
    /// Why the provider rejects it.
    pub reason: String,
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

impl NotStrictTool {
    /// The strict form of a tool. A tool that has none is added to the list.
    pub(super) fn strict_form<T>(
        tool: &ToolSchema,
        form: Result<T, Vec<String>>,
        not_strict: &mut Vec<NotStrictTool>,
    ) -> Option<T> {
        let list = |reasons| not_strict.push(NotStrictTool { tool: tool.name().to_owned(), reasons });
        form.map_err(list).ok()
    }
}

/// The reasons as texts.
pub(super) fn reasons(reasons: &[NotStrict]) -> Vec<String> {
    reasons.iter().map(ToString::to_string).collect()
}

impl Report {
    /// Reports a part of a content, unless it is a reference to a tool: the text describes the tool too.
    pub(super) fn content_part(&mut self, message: usize, reported: ReportedPart<'_>) {
        match reported {
            ReportedPart::Dropped(part) if part.as_tool_reference().is_some() => {}
            ReportedPart::Dropped(part) => self.drop_part(message, part.kind()),
            ReportedPart::Changed(change) => self.change(message, change),
        }
    }

    pub(crate) fn drop_part(&mut self, message: usize, kind: impl Into<String>) {
        self.dropped.push(Dropped { message, kind: kind.into() });
    }

    pub(super) fn change(&mut self, message: usize, change: impl Into<String>) {
        self.changed.push(Changed { message, change: change.into() });
    }

    /// Whether the request contains everything unchanged, a typed answer is strict, and all tools are strict if the wire is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Report::default()
    }
}

/// A part of a content that a request does not contain, or contains in another form.
pub(super) enum ReportedPart<'a> {
    Dropped(&'a Part),
    Changed(String),
}

/// Formats as `messages[3]: dropped thinking`.
impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut LogWriter(f);
        write!(f, "messages[{}]: dropped {}", self.message, self.kind)
    }
}

/// Formats as `messages[3]: added a text of the user before the reply`.
impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut LogWriter(f);
        write!(f, "messages[{}]: {}", self.message, self.change)
    }
}

/// Formats as ``the tool `search` at `/properties/id`: ..``.
impl fmt::Display for ChangedDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut LogWriter(f);
        match &*self.place {
            "" => write!(f, "the tool `{}`: {}", self.tool, self.change),
            place => write!(f, "the tool `{}` at `{place}`: {}", self.tool, self.change),
        }
    }
}

impl fmt::Display for LeftOutTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut LogWriter(f);
        write!(f, "the tool `{}` is left out: {}", self.tool, self.reason)
    }
}

impl fmt::Display for NotStrictTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut LogWriter(f);
        write!(f, "the tool `{}` is not strict: {}", self.tool, self.reasons.join("; "))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<String> = self.dropped.iter().map(ToString::to_string).collect();
        lines.extend(self.changed.iter().map(ToString::to_string));
        lines.extend(self.changed_definitions.iter().map(ToString::to_string));
        lines.extend(self.left_out_tools.iter().map(ToString::to_string));
        lines.extend(self.not_strict_tools.iter().map(ToString::to_string));
        if !self.answer_not_strict.is_empty() {
            lines.push(format!("the answer is not strict: {}", self.answer_not_strict.join("; ")));
        }
        lines.extend(self.ignored_choice.iter().map(|choice| match choice {
            _ if self.has_no_choice => "the tool choice is ignored: the API has none".to_owned(),
            ToolChoice::Tool(name) => format!("the tool choice is ignored: the request has no tool `{name}`"),
            _ => "the tool choice is ignored: the request has no tools".to_owned(),
        }));
        lines.extend(
            self.unknown_tools.iter().map(|name| format!("there is no tool `{name}`, which a setting names")),
        );
        let as_function = |name| format!("the tool `{name}` is sent as a function: it has other parameters");
        lines.extend(self.not_custom_tools.iter().map(as_function));
        f.write_str(&lines.join("\n"))
    }
}
