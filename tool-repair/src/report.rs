//! Reports of changes.

use std::fmt::{self, Write as _};
use tool_runtime::__repair::log_writer;
use tool_runtime::ToolMessage;

/// One change that [`repair`](crate::repair()) made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Repair {
    /// A tool message was moved after the reply with its call.
    #[non_exhaustive]
    ResultMoved {
        /// Its index before the repair.
        index: usize,
        /// The id of the call.
        id: String,
        /// The index of the reply before the repair.
        reply: usize,
    },
    /// A call without a tool message got one: `Error: the result of this call was lost`.
    #[non_exhaustive]
    ResultAdded {
        /// The index of the reply before the repair.
        index: usize,
        /// The id of the call.
        id: String,
    },
    /// A tool message with an unknown id got the id of an open call of the reply before it.
    #[non_exhaustive]
    ResultIdChanged {
        /// Its index before the repair.
        index: usize,
        /// The index of the reply before the repair.
        reply: usize,
        /// Its id before the repair.
        old_id: String,
        /// The id of the call.
        id: String,
    },
    /// A tool message without a call was removed.
    #[non_exhaustive]
    ResultDropped {
        /// Its index before the repair.
        index: usize,
        /// The removed message.
        result: ToolMessage,
    },
    /// A tool message without a call was converted to a user message.
    #[non_exhaustive]
    ResultConvertedToUser {
        /// Its index before the repair.
        index: usize,
        /// Its id.
        id: String,
    },
    /// A call with an empty or repeated id got a new id.
    #[non_exhaustive]
    CallIdChanged {
        /// The index of the reply before the repair.
        index: usize,
        /// The id before the repair.
        old_id: String,
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
        self.index_and_id().0
    }

    /// The id of the call or tool message before the repair, empty if it had none; for a tool message that was moved or
    /// added, the id of its call.
    #[must_use]
    pub fn id(&self) -> &str {
        self.index_and_id().1
    }

    fn index_and_id(&self) -> (usize, &str) {
        match self {
            Repair::ResultMoved { index, id, .. }
            | Repair::ResultAdded { index, id }
            | Repair::ResultIdChanged { index, old_id: id, .. }
            | Repair::ResultConvertedToUser { index, id }
            | Repair::CallIdChanged { index, old_id: id, .. } => (*index, id),
            Repair::ResultDropped { index, result } => (*index, &result.tool_call_id),
            Repair::ReplyFilled { index } => (*index, ""),
        }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut f = log_writer(f);
        let (index, old_id) = self.index_and_id();
        let with_id = if old_id.is_empty() { "without an id" } else { old_id };
        write!(f, "messages[{index}]: ")?;
        match self {
            Repair::ResultMoved { id, reply, .. } => {
                write!(f, "the tool message {id} was moved after its call in messages[{reply}]")
            }
            Repair::ResultAdded { id, .. } => {
                write!(f, "the call {id} had no tool message: added one that reports a lost result")
            }
            Repair::ResultIdChanged { id, .. } if old_id.is_empty() => {
                write!(f, "the tool message had no id: set the id of its call, {id}")
            }
            Repair::ResultIdChanged { id, .. } => {
                write!(
                    f,
                    "the tool message {old_id} had no call: set the id of the open call before it, {id}"
                )
            }
            Repair::ResultDropped { .. } => write!(f, "the tool message {with_id} had no open call: removed"),
            Repair::ResultConvertedToUser { .. } => {
                write!(f, "the tool message {with_id} had no open call: converted to a user message")
            }
            Repair::CallIdChanged { id, .. } if old_id.is_empty() => {
                write!(f, "a call had no id: set the new id {id}")
            }
            Repair::CallIdChanged { id, .. } => {
                write!(f, "two calls had the id {old_id}: set the new id {id} for a later one")
            }
            Repair::ReplyFilled { .. } => f.write_str("the reply was empty: set an empty text"),
        }
    }
}
