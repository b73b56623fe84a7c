//! What was changed.

use crate::message::ToolMessage;
use std::fmt;

/// One change that made a list of messages valid.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Repair {
    /// An answer was put behind the reply that asks for it.
    #[non_exhaustive]
    AnswerMoved {
        /// Where it stood.
        index: usize,
        /// The id of its call.
        id: String,
        /// Where its reply stood.
        reply: usize,
    },
    /// A call had no answer, and was given one: `Error: the result of this call was lost`.
    #[non_exhaustive]
    AnswerMade {
        /// Where its reply stood.
        index: usize,
        /// The id of the call.
        id: String,
    },
    /// An answer was given the id of the one call that it can be for.
    #[non_exhaustive]
    AnswerRenamed {
        /// Where it stood.
        index: usize,
        /// Where its reply stood.
        reply: usize,
        /// The id that it had.
        was: String,
        /// The id of its call.
        id: String,
    },
    /// An answer that is for no call was taken out.
    #[non_exhaustive]
    AnswerDropped {
        /// Where it stood.
        index: usize,
        /// The message.
        answer: ToolMessage,
    },
    /// An answer that is for no call became a user message.
    #[non_exhaustive]
    AnswerIntoUserText {
        /// Where it stood.
        index: usize,
        /// The id that it had.
        id: String,
    },
    /// A call that was lost was made anew from its answer, without its arguments.
    #[non_exhaustive]
    CallRebuilt {
        /// Where the reply stood that it belongs to.
        index: usize,
        /// The id of its answer.
        id: String,
        /// The tool that the answer names.
        tool: String,
    },
    /// A call whose id was empty, or that of another one, was given its own.
    #[non_exhaustive]
    CallRenamed {
        /// Where its reply stood.
        index: usize,
        /// The id that it had.
        was: String,
        /// The id that it has.
        id: String,
    },
    /// A reply that said nothing was given an empty text.
    #[non_exhaustive]
    ReplyFilled {
        /// Where it stood.
        index: usize,
    },
}

impl Repair {
    /// The place of the message in the list as it came.
    #[must_use]
    pub fn index(&self) -> usize {
        match self {
            Repair::AnswerMoved { index, .. }
            | Repair::AnswerMade { index, .. }
            | Repair::AnswerRenamed { index, .. }
            | Repair::AnswerDropped { index, .. }
            | Repair::AnswerIntoUserText { index, .. }
            | Repair::CallRebuilt { index, .. }
            | Repair::CallRenamed { index, .. }
            | Repair::ReplyFilled { index } => *index,
        }
    }

    /// The id that the call or the answer had, empty where there was none; of an answer that was moved or made, that of
    /// its call.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Repair::AnswerMoved { id, .. }
            | Repair::AnswerMade { id, .. }
            | Repair::AnswerIntoUserText { id, .. }
            | Repair::CallRebuilt { id, .. } => id,
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
                write!(f, "the answer {id} is put behind its call, in messages[{reply}]")
            }
            Repair::AnswerMade { id, .. } => {
                write!(f, "the call {id} has no answer: one is made, which says that the result was lost")
            }
            Repair::AnswerRenamed { was, id, .. } if was.is_empty() => {
                write!(f, "the answer has no id: it gets that of its call, {id}")
            }
            Repair::AnswerRenamed { was, id, .. } => {
                write!(f, "the answer {was} is for no call: it gets the id of the one beside it, {id}")
            }
            Repair::AnswerDropped { answer, .. } => {
                write!(
                    f,
                    "the answer {} is for no call that lacks one: it is taken out",
                    Id(&answer.tool_call_id)
                )
            }
            Repair::AnswerIntoUserText { id, .. } => {
                write!(f, "the answer {} is for no call that lacks one: it becomes a user message", Id(id))
            }
            Repair::CallRebuilt { id, tool, .. } => {
                write!(f, "the call {} was lost: it is made anew, of the tool {tool}", Id(id))
            }
            Repair::CallRenamed { was, id, .. } if was.is_empty() => {
                write!(f, "a call has no id: it gets one, {id}")
            }
            Repair::CallRenamed { was, id, .. } => {
                write!(f, "two calls have the id {was}: the second gets its own, {id}")
            }
            Repair::ReplyFilled { .. } => f.write_str("the reply is empty: it gets an empty text"),
        }
    }
}

/// An id, or that there is none.
struct Id<'a>(&'a str);

impl fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "without an id" } else { self.0 })
    }
}
