//! Reports of changes.

use crate::message::ToolMessage;
use std::fmt;

/// One change that [`repair`](super::repair()) made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Repair {
    /// A tool message was moved after the reply with its call.
    #[non_exhaustive]
    AnswerMoved {
        /// Its index before the repair.
        index: usize,
        /// The id of the call.
        id: String,
        /// The index of the reply before the repair.
        reply: usize,
    },
    /// A call without a tool message got one: `Error: the result of this call was lost`.
    #[non_exhaustive]
    AnswerMade {
        /// The index of the reply before the repair.
        index: usize,
        /// The id of the call.
        id: String,
    },
    /// A tool message got the id of the only call that it can belong to.
    #[non_exhaustive]
    AnswerRenamed {
        /// Its index before the repair.
        index: usize,
        /// The index of the reply before the repair.
        reply: usize,
        /// Its id before the repair.
        was: String,
        /// The id of the call.
        id: String,
    },
    /// A tool message without a call was removed.
    #[non_exhaustive]
    AnswerDropped {
        /// Its index before the repair.
        index: usize,
        /// The removed message.
        answer: ToolMessage,
    },
    /// A tool message without a call was converted to a user message.
    #[non_exhaustive]
    AnswerConvertedToUser {
        /// Its index before the repair.
        index: usize,
        /// Its id.
        id: String,
    },
    /// A call with an empty or repeated id got a new id.
    #[non_exhaustive]
    CallRenamed {
        /// The index of the reply before the repair.
        index: usize,
        /// The id before the repair.
        was: String,
        /// The new id.
        id: String,
    },
    /// An empty reply got an empty text.
    #[non_exhaustive]
    ReplyFilled {
        /// Its index before the repair.
        index: usize,
    },
}

impl Repair {
    /// The index of the message before the repair.
    #[must_use]
    pub fn index(&self) -> usize {
        match self {
            Repair::AnswerMoved { index, .. }
            | Repair::AnswerMade { index, .. }
            | Repair::AnswerRenamed { index, .. }
            | Repair::AnswerDropped { index, .. }
            | Repair::AnswerConvertedToUser { index, .. }
            | Repair::CallRenamed { index, .. }
            | Repair::ReplyFilled { index } => *index,
        }
    }

    /// The id of the call or tool message before the repair, empty if it had none; for a tool message that was moved or
    /// added, the id of its call.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Repair::AnswerMoved { id, .. }
            | Repair::AnswerMade { id, .. }
            | Repair::AnswerConvertedToUser { id, .. } => id,
            Repair::AnswerRenamed { was, .. } | Repair::CallRenamed { was, .. } => was,
            Repair::AnswerDropped { answer, .. } => &answer.tool_call_id,
            Repair::ReplyFilled { .. } => "",
        }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "messages[{}]: ", self.index())?;
        match self {
            Repair::AnswerMoved { id, reply, .. } => {
                write!(f, "the tool message {id} was moved after its call in messages[{reply}]")
            }
            Repair::AnswerMade { id, .. } => {
                write!(f, "the call {id} had no tool message: added one that reports a lost result")
            }
            Repair::AnswerRenamed { was, id, .. } if was.is_empty() => {
                write!(f, "the tool message had no id: set the id of its call, {id}")
            }
            Repair::AnswerRenamed { was, id, .. } => {
                write!(f, "the tool message {was} had no call: set the id of the open call before it, {id}")
            }
            Repair::AnswerDropped { answer, .. } => {
                write!(f, "the tool message {} had no open call: removed", Id(&answer.tool_call_id))
            }
            Repair::AnswerConvertedToUser { id, .. } => {
                write!(f, "the tool message {} had no open call: converted to a user message", Id(id))
            }
            Repair::CallRenamed { was, id, .. } if was.is_empty() => {
                write!(f, "a call had no id: set the new id {id}")
            }
            Repair::CallRenamed { was, id, .. } => {
                write!(f, "two calls had the id {was}: set the new id {id} for the second")
            }
            Repair::ReplyFilled { .. } => f.write_str("the reply was empty: set an empty text"),
        }
    }
}

/// An id, or `without an id`.
struct Id<'a>(&'a str);

impl fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "without an id" } else { self.0 })
    }
}
