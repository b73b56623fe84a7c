//! What a chunk brought.

use super::StreamError;
use crate::messages::ToolCall;
use std::ops::Range;

/// What a chunk brought to a reply: see [`ReplyAssembler::push`](super::ReplyAssembler::push).
///
/// A call is known by its `index`: its place in the reply's [`tool_calls`](crate::AssistantMessage::tool_calls).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The next piece of what the model says.
    Text(&'a str),
    /// The next piece of what it thinks, where the server shows that.
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
        /// All that came of them so far. It is not JSON yet.
        so_far: &'a str,
        /// What is new: the end of `so_far`.
        piece: &'a str,
    },
    /// A call is complete: it will not change any more, and can run. That is so when its arguments are one whole object,
    /// or when the reply has ended; a call that was cut off is never complete.
    #[non_exhaustive]
    CallComplete {
        /// Which of the calls.
        index: usize,
        /// The call, with the id that the server gave to it, which may be empty.
        call: &'a ToolCall,
    },
    /// The reply has ended. Usage may still follow.
    #[non_exhaustive]
    Finished {
        /// The `finish_reason`, where there is one.
        reason: Option<&'a str>,
    },
    /// The reply broke off. What comes behind is not looked at.
    Failed(&'a StreamError),
}

/// An event that is not told yet: texts are where they are put together, and calls are known by their place.
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
