//! What is wrong with a history, and what a provider says of it.

use super::provider_words::said;
use std::error::Error;
use std::fmt;

/// A rule that messages can break.
///
/// Those that [`validate`](super::validate) looks for are what a strict server holds to; those of
/// [`warnings`](super::warnings) are held to by a few. Who is known to refuse what is in
/// [`rejected_by`](ViolationKind::rejected_by).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ViolationKind {
    /// A tool message without calls before it.
    OrphanAnswer,
    /// A call without an answer.
    MissingAnswer,
    /// An answer whose id is not in the calls that it stands behind, or that has none.
    UnknownId,
    /// A second answer to one call.
    DuplicateAnswer,
    /// Two calls of one reply with one id.
    DuplicateCallId,
    /// A call without an id.
    MissingCallId,
    /// Another message between a call and its answer.
    MessageBetween,
    /// An answer behind a reply that calls nothing: its calls were lost.
    LostCalls,
    /// A reply that neither says nor calls anything.
    EmptyReply,
    /// A warning: the arguments of a call are not a JSON object.
    ArgumentsNotAnObject,
    /// A warning: a name of more than 64 bytes, or with others than letters, digits, `_` and `-`.
    UnusableName,
    /// A warning: an id of more than 40 bytes.
    LongId,
    /// A warning: an id that a call of an earlier reply has too.
    RepeatedId,
}

impl ViolationKind {
    /// The rule in words that do not change, for logs: `missing_answer`, for example.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ViolationKind::OrphanAnswer => "orphan_answer",
            ViolationKind::MissingAnswer => "missing_answer",
            ViolationKind::UnknownId => "unknown_id",
            ViolationKind::DuplicateAnswer => "duplicate_answer",
            ViolationKind::DuplicateCallId => "duplicate_call_id",
            ViolationKind::MissingCallId => "missing_call_id",
            ViolationKind::MessageBetween => "message_between",
            ViolationKind::LostCalls => "lost_calls",
            ViolationKind::EmptyReply => "empty_reply",
            ViolationKind::ArgumentsNotAnObject => "arguments_not_an_object",
            ViolationKind::UnusableName => "unusable_name",
            ViolationKind::LongId => "long_id",
            ViolationKind::RepeatedId => "repeated_id",
        }
    }

    /// Who is known to refuse a request for it.
    #[must_use]
    pub fn rejected_by(self) -> &'static [&'static str] {
        match self {
            ViolationKind::OrphanAnswer
            | ViolationKind::LostCalls
            | ViolationKind::MissingAnswer
            | ViolationKind::MessageBetween => {
                &["OpenAI", "Azure", "Anthropic", "Gemini", "DeepSeek", "Mistral", "Kimi", "Bedrock"]
            }
            ViolationKind::UnknownId => {
                &["OpenAI", "Azure", "Anthropic", "DeepSeek", "Mistral", "Kimi", "Groq"]
            }
            ViolationKind::DuplicateAnswer => {
                &["OpenAI", "Azure", "Anthropic", "Gemini", "DeepSeek", "Mistral", "Bedrock"]
            }
            ViolationKind::DuplicateCallId => &["Anthropic", "DeepSeek", "Mistral"],
            ViolationKind::EmptyReply => &["OpenAI", "Azure", "llama.cpp"],
            ViolationKind::ArgumentsNotAnObject => &["Ollama", "llama.cpp"],
            ViolationKind::UnusableName => &["OpenAI", "Azure", "Anthropic", "Mistral"],
            ViolationKind::MissingCallId => &["Kimi", "Bedrock"],
            ViolationKind::LongId => &["OpenAI", "Azure"],
            ViolationKind::RepeatedId => &["DeepSeek"],
        }
    }
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ViolationKind::OrphanAnswer => "a tool message without calls before it",
            ViolationKind::MissingAnswer => "a call without an answer",
            ViolationKind::UnknownId => "an answer whose id is not in the calls before it",
            ViolationKind::DuplicateAnswer => "a second answer to one call",
            ViolationKind::DuplicateCallId => "two calls of one reply with one id",
            ViolationKind::MissingCallId => "a call without an id",
            ViolationKind::MessageBetween => "another message between a call and its answer",
            ViolationKind::LostCalls => "an answer behind a reply whose calls were lost",
            ViolationKind::EmptyReply => "a reply that neither says nor calls anything",
            ViolationKind::ArgumentsNotAnObject => "arguments that are not a JSON object",
            ViolationKind::UnusableName => "a name of a tool that servers refuse",
            ViolationKind::LongId => "an id of more than 40 bytes",
            ViolationKind::RepeatedId => "an id that a call of an earlier reply has too",
        })
    }
}

/// A rule that is broken, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The place in the list of the message at fault; of a call without an answer it is that of its reply.
    pub index: usize,
    /// The id of the call, or that the answer names. Empty where there is none.
    pub id: String,
    /// The rule.
    pub kind: ViolationKind,
    pub(super) said: Said,
}

/// A provider's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) by: &'static str,
    pub(super) text: String,
}

impl Violation {
    /// `position` is that of the call in its reply.
    pub(super) fn new(kind: ViolationKind, index: usize, position: usize, id: &str) -> Self {
        Violation { index, id: id.to_owned(), kind, said: said(kind, index, position, id) }
    }

    /// The error with which a provider answers a request that breaks this rule, in the words of
    /// [`provider`](Violation::provider).
    #[must_use]
    pub fn provider_text(&self) -> &str {
        &self.said.text
    }

    /// Whose words [`provider_text`](Violation::provider_text) has: one of those in [`ViolationKind::rejected_by`].
    #[must_use]
    pub fn provider(&self) -> &'static str {
        self.said.by
    }
}

/// `messages[3]: a call without an answer (call_1)`
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "messages[{}]: {}", self.index, self.kind)?;
        if self.id.is_empty() { Ok(()) } else { write!(f, " ({})", self.id) }
    }
}

/// All that is wrong with a list of messages, by place: at least one [`Violation`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryError(pub(super) Vec<Violation>);

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
        f.write_str("a provider would refuse these messages: ")?;
        for (index, violation) in self.0.iter().enumerate() {
            write!(f, "{}{violation}", if index == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl Error for HistoryError {}
