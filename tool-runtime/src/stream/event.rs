//! Events of a streamed reply.

use super::StreamError;
use crate::message::ToolCall;
use std::ops::Range;

/// An event in a streamed reply: see [`ReplyAssembler::push`](super::ReplyAssembler::push).
///
/// The `index` of a call is its position in the reply's [`tool_calls`](crate::AssistantMessage::tool_calls).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ReplyEvent<'a> {
    /// The next piece of the text.
    Text(&'a str),
    /// The next piece of the reasoning, if the server sends it as text.
    Reasoning(&'a str),
    /// A tool call begins.
    #[non_exhaustive]
    CallAnnounced {
        /// The index of the call.
        index: usize,
        /// The name of the tool. If the name arrives in pieces, this is the first piece.
        tool: &'a str,
    },
    /// The arguments of a call have grown.
    #[non_exhaustive]
    CallArguments {
        /// The index of the call.
        index: usize,
        /// The arguments so far, which need not be valid JSON yet. They start again if an empty object was a placeholder, if
        /// each piece from the server repeats the arguments so far, or if the complete arguments differ from their pieces.
        arguments: &'a str,
        /// The new piece: the end of `arguments`.
        piece: &'a str,
    },
    /// A call is complete: its tool and its arguments do not change any more, and it can run. A truncated call is never
    /// complete. Arguments are complete:
    ///
    /// - when they are one complete object. If truncated arguments may be an object too, as those of Anthropic and Gemini: when
    ///   other content follows the call, or the reply ends without truncation,
    /// - if they are an empty object, which arguments may still follow: when the reply has finished,
    /// - if they are missing or not JSON: when the stream has ended.
    #[non_exhaustive]
    CallComplete {
        /// The index of the call.
        index: usize,
        /// The call. Its id is that of the server, which may be empty.
        call: &'a ToolCall,
    },
    /// The first `finish_reason` arrived: the model has ended its reply. Calls that are complete only at the end of the
    /// stream may follow; from servers that send a reason with each chunk, any other event may follow.
    #[non_exhaustive]
    Finished {
        /// The `finish_reason`, if there is one. The reply has a different one if a later reason reports truncation.
        reason: Option<&'a str>,
    },
    /// The reply was interrupted. Further chunks are ignored.
    Interrupted(&'a StreamError),
}

/// An event in the queue. It refers to its text by range, since the texts still grow.
#[derive(Debug)]
pub(super) enum QueuedEvent {
    Text(Range<usize>),
    Reasoning(Range<usize>),
    CallAnnounced(usize),
    CallArguments(usize, Range<usize>),
    CallComplete(usize),
    Finished,
    Interrupted,
}
