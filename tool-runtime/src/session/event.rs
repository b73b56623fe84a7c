//! The events of a run.

use super::RunEnd;
use crate::context::CallEvent;
use crate::conversation::ReplyWarning;
use crate::message::Usage;
use serde::Serialize;

/// An event of a run, for [`Run::on_event`](super::Run::on_event).
///
/// It serializes as one JSON object, for example for server-sent events: `{"type":"text","text":"It is"}`. A
/// [`CallEvent`] adds its fields: `{"type":"call","id":"call_1","tool":"export","status":"started"}`. The ids of calls are
/// those of the session, which are unique in it, even if a server repeats its ids.
///
/// `CallAnnounced`, `CallArguments` and `CallComplete` have the call as the model writes it. With a search
/// (`RegistryBuilder::search`), its tool may be `call_tool`; the [`CallEvent`]s of the same id have the tool that runs.
///
/// The events of a reply that is not streamed are the same: its text and the arguments of each call are one piece.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// The next piece of the text of the reply.
    #[non_exhaustive]
    Text {
        /// The piece.
        text: String,
    },
    /// The next piece of the reasoning, if the server sends it as text.
    #[non_exhaustive]
    Reasoning {
        /// The piece.
        text: String,
    },
    /// The reply calls a tool. Its arguments follow.
    #[non_exhaustive]
    CallAnnounced {
        /// The id of the call.
        id: String,
        /// The name of the tool.
        tool: String,
    },
    /// The arguments of a call grow.
    #[non_exhaustive]
    CallArguments {
        /// The id of the call.
        id: String,
        /// The new piece of the arguments, which need not be valid JSON yet. Its keys are those that the model received, which
        /// differ from those of the tool if the provider rejects them.
        text: String,
        /// Whether this piece replaces all earlier ones: some servers send an empty object first, or repeat all arguments in
        /// each piece.
        is_restart: bool,
    },
    /// A call is complete: its tool and its arguments do not change any more. A call that was truncated or interrupted is
    /// never complete; its `Call` events report how it ends.
    #[non_exhaustive]
    CallComplete {
        /// The id of the call.
        id: String,
        /// The name of the tool.
        tool: String,
        /// The arguments, with the keys of the tool.
        arguments: String,
    },
    /// A call starts, reports progress, emits data, needs an approval or a result, or finishes.
    Call(CallEvent),
    /// The client sends the request again after an attempt that failed: see [`Request::report_retry`].
    ///
    /// [`Request::report_retry`]: crate::conversation::Request::report_retry
    #[non_exhaustive]
    RequestRetried {
        /// The number of the attempt that failed, from 1.
        attempt: u32,
        /// The text of its error.
        error: String,
        /// The time until the next attempt, in milliseconds.
        delay_ms: u64,
    },
    /// The reply has arrived, and is in the session.
    #[non_exhaustive]
    ReplyFinished {
        /// The number of the reply in the session, from 0.
        number: u64,
        /// The tokens that it took; `None` if the response does not report them.
        usage: Option<Usage>,
    },
    /// The reply was interrupted. A `ReplyFinished` follows if it is kept.
    #[non_exhaustive]
    ReplyInterrupted {
        /// Whether the session keeps the reply, since one of its calls has started. Otherwise the next run repeats the
        /// request, and a page can remove the text of this reply.
        is_kept: bool,
        /// The text of the error.
        error: String,
    },
    /// A warning about a reply, or about the request for the next one.
    #[non_exhaustive]
    Warning {
        /// The warning.
        warning: ReplyWarning,
        /// Its text.
        text: String,
    },
    /// The run has added a message of the [inbox](super::Session::inbox), which the next request contains.
    #[non_exhaustive]
    UserMessage {
        /// The text of the message.
        text: String,
    },
    /// The [compaction](super::Run::compact) has shortened the session.
    #[non_exhaustive]
    Compacted {
        /// The number of messages that it removed.
        removed: usize,
        /// The number of results that it truncated, or replaced by a notice.
        truncated: usize,
        /// Whether the messages are as short as the compaction intends.
        has_reached_target: bool,
    },
    /// The run has ended. A run that ends with an error, or whose future is dropped, has no such event.
    #[non_exhaustive]
    RunEnded {
        /// How it ended.
        end: RunEnd,
    },
}

impl From<ReplyWarning> for Event {
    fn from(warning: ReplyWarning) -> Self {
        Event::Warning { text: warning.to_string(), warning }
    }
}
