//! The kinds of invalid messages in a history.

use std::fmt;

/// A kind of invalid message.
///
/// [`validate`](crate::history::validate) finds the kinds that strict servers reject. The package `tool-runtime-repair` finds those
/// that only some servers reject, and lists the servers that are known to reject a kind.
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
    /// ([`IdRules::max_bytes`](crate::wire::IdRules::max_bytes); 40 bytes at OpenAI).
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
