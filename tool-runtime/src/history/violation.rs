//! Violations: the ways in which a history is invalid.

use super::provider_messages::provider_message;
use std::error::Error;
use std::fmt;

/// A kind of invalid message.
///
/// [`validate`](super::validate) finds the kinds that strict servers reject, [`warnings`](super::warnings) those that
/// only some servers reject. [`rejected_by`](ViolationKind::rejected_by) lists the servers that are known to reject a
/// kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ViolationKind {
    /// A tool message without tool calls before it.
    OrphanResult,
    /// A tool call without a tool message.
    MissingResult,
    /// A tool message with no id, or with an id that is not among the calls before it.
    UnknownId,
    /// A second tool message for one call.
    DuplicateResult,
    /// Two calls of one reply with the same id.
    DuplicateCallId,
    /// A tool call without an id.
    MissingCallId,
    /// Another message between a call and its tool message.
    MessageBetween,
    /// A tool message after a reply without calls: its tool calls were lost.
    LostCalls,
    /// A reply without content, calls, `refusal` and items of a provider. The content `""` counts as content.
    EmptyReply,
    /// A warning: an id that is longer than the limit of the wire
    /// ([`IdRules::max_id_bytes`](crate::wire::IdRules::max_id_bytes); 40 bytes at OpenAI).
    LongId,
    /// A warning: an id that a call of an earlier reply also has.
    RepeatedId,
}

impl ViolationKind {
    /// A stable name of the kind, for logs: for example `missing_result`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ViolationKind::OrphanResult => "orphan_result",
            ViolationKind::MissingResult => "missing_result",
            ViolationKind::UnknownId => "unknown_id",
            ViolationKind::DuplicateResult => "duplicate_result",
            ViolationKind::DuplicateCallId => "duplicate_call_id",
            ViolationKind::MissingCallId => "missing_call_id",
            ViolationKind::MessageBetween => "message_between",
            ViolationKind::LostCalls => "lost_calls",
            ViolationKind::EmptyReply => "empty_reply",
            ViolationKind::LongId => "long_id",
            ViolationKind::RepeatedId => "repeated_id",
        }
    }

    /// The servers that are known to reject a request with this violation.
    #[must_use]
    pub fn rejected_by(self) -> &'static [&'static str] {
        match self {
            ViolationKind::OrphanResult
            | ViolationKind::LostCalls
            | ViolationKind::MissingResult
            | ViolationKind::MessageBetween => {
                &["OpenAI", "Azure", "Anthropic", "Gemini", "DeepSeek", "Mistral", "Kimi", "Bedrock"]
            }
            ViolationKind::UnknownId => {
                &["OpenAI", "Azure", "Anthropic", "DeepSeek", "Mistral", "Kimi", "Groq"]
            }
            ViolationKind::DuplicateResult => {
                &["OpenAI", "Azure", "Anthropic", "Gemini", "DeepSeek", "Mistral", "Bedrock"]
            }
            ViolationKind::DuplicateCallId => &["Anthropic", "DeepSeek", "Mistral"],
            ViolationKind::EmptyReply => &["OpenAI", "Azure", "llama.cpp"],
            ViolationKind::MissingCallId => &["Kimi", "Bedrock"],
            ViolationKind::LongId => &["OpenAI", "Azure"],
            ViolationKind::RepeatedId => &["Anthropic", "DeepSeek"],
        }
    }
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ViolationKind::OrphanResult => "a tool message without tool calls before it",
            ViolationKind::MissingResult => "a tool call without a tool message",
            ViolationKind::UnknownId => "a tool message whose id is not among the calls before it",
            ViolationKind::DuplicateResult => "a second tool message for one call",
            ViolationKind::DuplicateCallId => "two calls of one reply with the same id",
            ViolationKind::MissingCallId => "a tool call without an id",
            ViolationKind::MessageBetween => "another message between a call and its tool message",
            ViolationKind::LostCalls => "a tool message after a reply whose tool calls were lost",
            ViolationKind::EmptyReply => "a reply without text and without tool calls",
            ViolationKind::LongId => "an id that is too long",
            ViolationKind::RepeatedId => "an id that a call of an earlier reply also has",
        })
    }
}

/// One violation in a list of messages.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The index of the invalid message; for a call without a tool message, the index of its reply.
    pub index: usize,
    /// The id of the call or of the tool message; empty if it has none.
    pub id: String,
    /// The kind of the violation.
    pub kind: ViolationKind,
    pub(super) provider_message: ProviderMessage,
}

/// An error message of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProviderMessage {
    pub(super) by: &'static str,
    pub(super) text: String,
}

impl Violation {
    /// `wire` is the name of the wire whose provider is quoted, and `position` the position of the call in its reply.
    pub(super) fn new(wire: &str, kind: ViolationKind, index: usize, position: usize, id: &str) -> Self {
        Violation {
            index,
            id: id.to_owned(),
            kind,
            provider_message: provider_message(wire, kind, index, position, id),
        }
    }

    /// The error message that [`provider`](Violation::provider) sends for a request with this violation. For wires other than
    /// Chat Completions, it is without the path of the invalid part, such as `messages.3.content.0`.
    #[must_use]
    pub fn provider_text(&self) -> &str {
        &self.provider_message.text
    }

    /// The provider whose error message [`provider_text`](Violation::provider_text) quotes: one of the wire. If none of them
    /// has an error for this kind, it is one of Chat Completions.
    #[must_use]
    pub fn provider(&self) -> &'static str {
        self.provider_message.by
    }
}

/// Formats as `messages[3]: a tool call without a tool message (call_1)`.
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "messages[{}]: {}", self.index, self.kind)?;
        if self.id.is_empty() { Ok(()) } else { write!(f, " ({})", self.id) }
    }
}

/// All violations in a list of messages, ordered by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryError(pub(super) Vec<Violation>);

impl HistoryError {
    /// The violations; at least one.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.0
    }
}

/// As a slice of its violations.
impl std::ops::Deref for HistoryError {
    type Target = [Violation];
    fn deref(&self) -> &[Violation] {
        &self.0
    }
}

impl IntoIterator for HistoryError {
    type Item = Violation;
    type IntoIter = std::vec::IntoIter<Violation>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a HistoryError {
    type Item = &'a Violation;
    type IntoIter = std::slice::Iter<'a, Violation>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("providers reject these messages: ")?;
        for (index, violation) in self.0.iter().enumerate() {
            write!(f, "{}{violation}", if index == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl Error for HistoryError {}
