//! What is wrong with a history, and what a provider says of it.

use super::provider_words::said;
use std::error::Error;
use std::fmt;

/// A rule that messages can break.
///
/// Those that [`validate`](super::validate) looks for are what a strict server holds to; those of
/// [`warnings`](super::warnings) are held to by a few. Who is known to refuse what is in
/// [`refused_by`](Rule::refused_by).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
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

impl Rule {
    /// The rule in words that do not change, for logs: `missing_answer`, for example.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Rule::OrphanAnswer => "orphan_answer",
            Rule::MissingAnswer => "missing_answer",
            Rule::UnknownId => "unknown_id",
            Rule::DuplicateAnswer => "duplicate_answer",
            Rule::DuplicateCallId => "duplicate_call_id",
            Rule::MissingCallId => "missing_call_id",
            Rule::MessageBetween => "message_between",
            Rule::LostCalls => "lost_calls",
            Rule::EmptyReply => "empty_reply",
            Rule::ArgumentsNotAnObject => "arguments_not_an_object",
            Rule::UnusableName => "unusable_name",
            Rule::LongId => "long_id",
            Rule::RepeatedId => "repeated_id",
        }
    }

    /// Who is known to refuse a request for it.
    #[must_use]
    pub fn refused_by(self) -> &'static [&'static str] {
        match self {
            Rule::OrphanAnswer | Rule::LostCalls | Rule::MissingAnswer | Rule::MessageBetween => {
                &["OpenAI", "Azure", "Anthropic", "Gemini", "DeepSeek", "Mistral", "Kimi", "Bedrock"]
            }
            Rule::UnknownId => &["OpenAI", "Azure", "Anthropic", "DeepSeek", "Mistral", "Kimi", "Groq"],
            Rule::DuplicateAnswer => {
                &["OpenAI", "Azure", "Anthropic", "Gemini", "DeepSeek", "Mistral", "Bedrock"]
            }
            Rule::DuplicateCallId => &["Anthropic", "DeepSeek", "Mistral"],
            Rule::EmptyReply => &["OpenAI", "Azure", "llama.cpp"],
            Rule::ArgumentsNotAnObject => &["Ollama", "llama.cpp"],
            Rule::UnusableName => &["OpenAI", "Azure", "Anthropic", "Mistral"],
            Rule::MissingCallId => &["Kimi", "Bedrock"],
            Rule::LongId => &["OpenAI", "Azure"],
            Rule::RepeatedId => &["DeepSeek"],
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::OrphanAnswer => "a tool message without calls before it",
            Rule::MissingAnswer => "a call without an answer",
            Rule::UnknownId => "an answer whose id is not in the calls before it",
            Rule::DuplicateAnswer => "a second answer to one call",
            Rule::DuplicateCallId => "two calls of one reply with one id",
            Rule::MissingCallId => "a call without an id",
            Rule::MessageBetween => "another message between a call and its answer",
            Rule::LostCalls => "an answer behind a reply whose calls were lost",
            Rule::EmptyReply => "a reply that neither says nor calls anything",
            Rule::ArgumentsNotAnObject => "arguments that are not a JSON object",
            Rule::UnusableName => "a name of a tool that servers refuse",
            Rule::LongId => "an id of more than 40 bytes",
            Rule::RepeatedId => "an id that a call of an earlier reply has too",
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
    pub rule: Rule,
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
    pub(super) fn new(rule: Rule, index: usize, position: usize, id: &str) -> Self {
        Violation { index, id: id.to_owned(), rule, said: said(rule, index, position, id) }
    }

    /// The error with which a provider answers a request that breaks this rule, in the words of
    /// [`provider`](Violation::provider).
    #[must_use]
    pub fn provider_text(&self) -> &str {
        &self.said.text
    }

    /// Whose words [`provider_text`](Violation::provider_text) has: one of those in [`Rule::refused_by`].
    #[must_use]
    pub fn provider(&self) -> &'static str {
        self.said.by
    }
}

/// `messages[3]: a call without an answer (call_1)`
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "messages[{}]: {}", self.index, self.rule)?;
        if self.id.is_empty() { Ok(()) } else { write!(f, " ({})", self.id) }
    }
}

/// All that is wrong with a list of messages, by place: at least one [`Violation`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violations(pub(super) Vec<Violation>);

impl std::ops::Deref for Violations {
    type Target = [Violation];
    fn deref(&self) -> &[Violation] {
        &self.0
    }
}

impl IntoIterator for Violations {
    type Item = Violation;
    type IntoIter = std::vec::IntoIter<Violation>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Violations {
    type Item = &'a Violation;
    type IntoIter = std::slice::Iter<'a, Violation>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a provider would refuse these messages: ")?;
        for (index, violation) in self.0.iter().enumerate() {
            write!(f, "{}{violation}", if index == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl Error for Violations {}
