//! What a chunk brought.

use super::StreamError;
use crate::message::ToolCall;
use std::ops::Range;

/// What a chunk brought to a reply: see [`ReplyAssembler::push`](super::ReplyAssembler::push).
///
/// A call is known by its `index`: its place in the reply's [`tool_calls`](crate::AssistantMessage::tool_calls).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The next piece of what the model says.
    Text(&'a str),
    /// The next piece of what it thinks, where the server shows that as text, in `reasoning_content` or `reasoning`.
    Reasoning(&'a str),
    /// It begins to call a tool.
    #[non_exhaustive]
    CallStarted {
        /// Which of the calls.
        index: usize,
        /// The tool. Should its name come in pieces, this is the first.
        tool: &'a str,
    },
    /// The arguments of a call have grown.
    #[non_exhaustive]
    Arguments {
        /// Which of the calls.
        index: usize,
        /// All that came of them so far, which need not be JSON yet. It begins anew where an empty object stood in
        /// front.
        so_far: &'a str,
        /// What is new: the end of `so_far`.
        piece: &'a str,
    },
    /// A call is complete: its tool and its arguments will not change any more, and it can run. That is so when the
    /// arguments are one whole object. Of an empty one, behind which they may still come, it is so when the reply has
    /// finished; of none, or of what is not JSON, when the stream has ended. A call that was cut off is never complete.
    #[non_exhaustive]
    CallComplete {
        /// Which of the calls.
        index: usize,
        /// The call, with the id that the server gave to it, which may be empty.
        call: &'a ToolCall,
    },
    /// The first `finish_reason` came: the model has ended its reply. Calls may still follow that are complete only
    /// when the stream has ended; and, of servers that say a reason with each piece, all else.
    #[non_exhaustive]
    Finished {
        /// The `finish_reason`, where there is one. That of the reply is another, if a later one says that it was cut
        /// short.
        reason: Option<&'a str>,
    },
    /// The reply broke off. What comes behind is not looked at.
    Failed(&'a StreamError),
}

/// An event that is yet to be told, by where its text stands: the texts still grow.
#[derive(Debug)]
pub(super) enum Noted {
    Text(Range<usize>),
    /// In one of the fields that servers have for it.
    Reasoning(&'static str, Range<usize>),
    CallStarted(usize),
    Arguments(usize, Range<usize>),
    CallComplete(usize),
    Finished,
    Failed,
}
