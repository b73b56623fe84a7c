//! Assembly of a reply from its chunks.

use super::InterruptedError;
use super::event::{QueuedEvent, ReplyEvent};
use super::partial_reply::PartialReply;
use crate::message::{AssistantMessage, Chunk, Completeness, Finish, Piece, StreamError, ToolCall};
use crate::wire::{ChatCompletions, Wire};
use std::slice;

/// Assembles a reply from its chunks, including the variations that servers send, and reports the contents of each
/// chunk.
///
/// The running time is linear in the number of bytes, however small the chunks are. See the
/// [module](crate::stream) for an example.
///
/// Servers deviate from the documentation in these ways:
///
/// - **The call of a piece** in the format of Chat Completions is the call with its index; without an index, the call with
///   its id; without both, the newest call. If a call already has the index, a different name starts a new call, and so
///   does a different id with a name after complete arguments (Gemini and its gateways give all calls the index 0), once
///   its arguments begin. A repeated id or name belongs to the same call, and so does an id that changes with each piece.
///   A different name before any arguments, or with arguments that continue incomplete ones, is the next piece of the
///   name. Calls are in the order in which they began, whatever their indices are: some servers count from 1.
/// - **An id that comes again** with the same tool and the same arguments, or with more of them, states its call again: the
///   call runs once. In all other formats, the id is the identity of the call,
///   unless it is the name of the tool: if other complete arguments come, both texts become the arguments, which are no
///   object, so that the call fails and does not run. In the Responses API, the complete item replaces its pieces.
/// - **Arguments** are pieces of text, one text, an object, null, or missing. If each piece repeats the piece before and the
///   pieces together are no object, the newest piece is the arguments. A second object after a complete one starts another
///   call of the same tool, unless it is empty or a repetition; after an empty object, it is the arguments. Any other text
///   after a complete object is ignored.
/// - **Half a character**, such as `\ud83d` in JSON, is joined with its other half at the start of the next chunk, and
///   becomes U+FFFD otherwise.
/// - **The end** is the first `finish_reason`, unless a later one reports truncation. Without a reason, the end is
///   `[DONE]` or [`push_end`](ReplyAssembler::push_end). Chunks without choices are ignored, and so are choices whose index
///   differs from that of the first choice.
/// - **Reasoning** is kept in the form that the server expects in later requests: see
///   [`keep_reasoning`](crate::wire::ChatCompletions::keep_reasoning).
#[derive(Debug, Default)]
pub struct ReplyAssembler {
    /// The wire of chunks that are text; Chat Completions if there is none.
    wire: Option<Box<dyn Wire>>,
    reply: PartialReply,
    /// The number of the reply that is read, and whether the next pieces belong to another one.
    reply_number: Option<i64>,
    is_other_reply: bool,
    /// Whether the pieces since the newest [`Piece::Reply`] have an event.
    has_events: bool,
    /// Whether the finish reason arrived alone and nothing followed it: some servers send one with each chunk.
    is_settled: bool,
    stage: Stage,
    error: Option<StreamError>,
    /// An error unless a reply follows it.
    possible_error: Option<StreamError>,
    /// The beginning of the first chunk without a piece of a reply.
    skipped: Option<String>,
    /// A chunk that waits for the next one, since half a character ends one of its texts.
    held: Option<Chunk>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    NotBegun,
    Coming,
    /// The end of the reply was reported.
    Finished,
    /// Further chunks are ignored.
    Closed {
        /// Whether the server sent `[DONE]`, and the stream did not merely end.
        from_server: bool,
    },
}

impl ReplyAssembler {
    /// An assembler without chunks. It reads chunks in the format of Chat Completions.
    #[must_use]
    pub fn new() -> Self {
        ReplyAssembler::default()
    }

    /// The name of the wire that read the chunks; empty before the first one.
    pub(crate) fn wire_name(&self) -> &str {
        self.reply.wire_name()
    }

    /// Sets the wire that reads the text of chunks. Default: [`ChatCompletions`].
    #[must_use]
    pub fn wire(mut self, wire: impl Wire + 'static) -> Self {
        self.wire = Some(Box::new(wire));
        self
    }

    /// Takes the next chunk, in any form that converts to a [`Chunk`], and returns its events. A caller may ignore the
    /// events.
    ///
    /// This method does not fail. An error of the server, of the connection or in the chunk is a
    /// [`ReplyEvent::Interrupted`], and [`into_reply`](ReplyAssembler::into_reply) returns it. After a finish reason that
    /// arrived alone, only an error of the server counts, since the reply is complete.
    pub fn push(&mut self, chunk: impl Into<Chunk>) -> ReplyEvents<'_> {
        self.reply.calls.queued.clear();
        if !self.has_ended() {
            self.take(chunk.into());
        }
        ReplyEvents { assembler: self, queued: self.reply.calls.queued.iter() }
    }

    /// Whether further chunks are ignored: after an error, after the `[DONE]` of a stream of server-sent events, or
    /// after [`push_end`](ReplyAssembler::push_end). Some servers do not close the connection after `[DONE]`.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        matches!(self.stage, Stage::Closed { .. }) || self.error.is_some()
    }

    /// Ends the stream, and returns the remaining events: calls that are now complete, or an error if there was no
    /// reply. For programs that use the events of streams without `[DONE]`, such as those of typed clients.
    ///
    /// ```
    /// use tool_runtime::stream::{ReplyAssembler, ReplyEvent};
    ///
    /// let mut reply = ReplyAssembler::new();
    /// reply.push(r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"now"}}]}}]}"#);
    /// reply.push(r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#);
    /// let complete: Vec<&str> = reply
    ///     .push_end()
    ///     .filter_map(|event| match event {
    ///         ReplyEvent::CallComplete { call, .. } => Some(&*call.name),
    ///         _ => None,
    ///     })
    ///     .collect();
    /// assert_eq!(complete, ["now"]);
    /// ```
    pub fn push_end(&mut self) -> ReplyEvents<'_> {
        self.reply.calls.queued.clear();
        if !self.has_ended() {
            self.close(false);
        }
        ReplyEvents { assembler: self, queued: self.reply.calls.queued.iter() }
    }

    /// Returns the reply.
    ///
    /// A reply is truncated if its finish reason reports it. If the stream ended without a finish reason and without a
    /// regular end such as `[DONE]`, the reply is
    /// [unconfirmed](crate::message::Completeness::Unconfirmed), which is not an error, since some servers send neither. In
    /// both cases, a call whose arguments are not a complete object is marked and never runs; its tool message reports
    /// that it was truncated.
    ///
    /// # Errors
    ///
    /// The reply was interrupted by an error of the server or of the connection, or the stream had no reply. The error
    /// contains the partial reply.
    pub fn into_reply(self) -> Result<AssistantMessage, InterruptedError<AssistantMessage>> {
        let (mut reply, error) = self.assemble();
        reply.make_ids_usable();
        match error {
            None => Ok(reply),
            Some(error) => Err(InterruptedError::new(reply, error)),
        }
    }

    /// The reply with the ids of the server, which may be empty, and the error that interrupted it.
    pub(crate) fn assemble(mut self) -> (AssistantMessage, Option<StreamError>) {
        self.push_end();
        let completeness = match self.stage {
            Stage::Closed { from_server: true } => Completeness::Unknown,
            _ => Completeness::Unconfirmed,
        };
        self.reply.set_wire(self.wire.as_ref().map(Wire::name));
        (self.reply.into_message(completeness), self.error)
    }

    fn take(&mut self, chunk: Chunk) {
        let mut chunk = match (&chunk.unread, &self.wire) {
            (Some(text), Some(wire)) => wire.read_event(text),
            (Some(text), None) => ChatCompletions::new().read_event(text),
            (None, _) => chunk,
        };
        let is_blank = chunk.unread.is_none() && chunk.pieces.is_empty();
        if let Some(mut held) = self.held.take_if(|_| !is_blank) {
            held.join_split_pair(&mut chunk);
            self.take_read(held);
        }
        if chunk.split_pairs.at_end.is_some() {
            self.held = Some(chunk);
        } else {
            self.take_read(chunk);
        }
    }

    fn take_read(&mut self, Chunk { unread, wire, null_is_absent, pieces, .. }: Chunk) {
        // A wire that wraps another one returned the text instead of reading it.
        if let Some(beginning) = unread {
            return self.fail(StreamError::NoReply { beginning });
        }
        self.reply.set_wire(wire);
        self.reply.null_is_absent |= null_is_absent;
        for piece in pieces {
            self.take_piece(piece);
        }
    }

    fn take_piece(&mut self, piece: Piece) {
        match piece {
            _ if self.has_ended() => {}
            Piece::Skipped(beginning) => drop(self.skipped.get_or_insert(beginning)),
            Piece::PossibleError(error) => drop(self.possible_error.get_or_insert(error)),
            Piece::Error(error) => self.fail(error),
            Piece::Done => self.close(true),
            Piece::Reply(number) => self.start_reply(number),
            Piece::Beginning(id) if self.reply.is_followed_by(id.as_deref()) => {
                self.fail(StreamError::AnotherReply);
            }
            // They belong to the response and not to one of its replies, so those of another reply count too.
            origin @ (Piece::Model(_) | Piece::ResponseId(_) | Piece::Usage(_)) => {
                self.reply.take(origin);
            }
            _ if self.is_other_reply => {}
            Piece::Finish(finish) => self.take_finish(finish),
            piece => {
                let before = self.reply.calls.queued.len();
                self.reply.take(piece);
                if self.reply.calls.queued.len() > before {
                    (self.has_events, self.is_settled) = (true, false);
                }
            }
        }
    }

    fn start_reply(&mut self, number: Option<i64>) {
        if self.stage == Stage::NotBegun {
            self.stage = Stage::Coming;
        }
        (self.possible_error, self.has_events) = (None, false);
        self.is_other_reply = number.is_some_and(|number| *self.reply_number.get_or_insert(number) != number);
    }

    fn take_finish(&mut self, finish: Finish) {
        self.is_settled |= !self.has_events;
        self.reply.finish(finish);
        let is_truncated = self.reply.is_truncated();
        if self.is_settled {
            self.reply.calls.complete_whole(is_truncated);
        } else if !is_truncated {
            self.reply.calls.complete_last();
        }
        self.queue_finished();
    }

    /// Ends the stream, with or without `[DONE]` from the server.
    fn close(&mut self, from_server: bool) {
        if let Some(held) = self.held.take() {
            self.take_read(held);
            if self.has_ended() {
                return;
            }
        }
        let is_finished = self.stage == Stage::Finished;
        if let Some(error) = self.possible_error.take().filter(|_| !is_finished) {
            return self.fail(error);
        }
        if self.stage == Stage::NotBegun {
            let beginning = self.skipped.take().unwrap_or_default();
            return self.fail(StreamError::NoReply { beginning });
        }
        let is_truncated = self.reply.is_truncated();
        let is_complete = from_server || self.reply.finish_reason().is_some();
        if is_complete && !is_truncated {
            self.reply.calls.use_newest_snapshots();
        }
        if is_truncated {
            self.reply.complete_whole_calls();
        } else if from_server || self.is_settled {
            self.reply.complete_calls();
        } else {
            self.reply.calls.complete_whole(false);
        }
        self.queue_finished();
        self.stage = Stage::Closed { from_server };
    }

    fn queue_finished(&mut self) {
        if self.stage == Stage::Coming {
            self.stage = Stage::Finished;
            self.reply.calls.queued.push(QueuedEvent::Finished);
        }
    }

    fn fail(&mut self, error: StreamError) {
        if self.is_settled && !matches!(error, StreamError::Server { .. }) {
            // The reply is complete. Some servers close the connection in an irregular way.
            self.close(false);
        } else {
            self.error = Some(error);
            self.reply.calls.queued.push(QueuedEvent::Interrupted);
        }
    }

    fn event(&self, queued: &QueuedEvent) -> Option<ReplyEvent<'_>> {
        let PartialReply { text, reasoning, calls, .. } = &self.reply;
        Some(match queued {
            QueuedEvent::Text(grown) => ReplyEvent::Text(text.as_ref()?.get(grown.clone())?),
            QueuedEvent::Reasoning(grown) => ReplyEvent::Reasoning(reasoning.get(grown.clone())?),
            &QueuedEvent::CallAnnounced(index) => {
                ReplyEvent::CallAnnounced { index, tool: &calls.get(index)?.name }
            }
            QueuedEvent::CallArguments(index, grown) => {
                let arguments = calls.get(*index)?.arguments.get(..grown.end)?;
                ReplyEvent::CallArguments { index: *index, arguments, piece: arguments.get(grown.start..)? }
            }
            &QueuedEvent::CallComplete(index) => ReplyEvent::CallComplete { index, call: calls.get(index)? },
            QueuedEvent::Finished => ReplyEvent::Finished { reason: self.reply.finish_reason() },
            QueuedEvent::Interrupted => ReplyEvent::Interrupted(self.error.as_ref()?),
        })
    }
}

/// The events of one chunk: see [`ReplyAssembler::push`].
#[derive(Clone, Debug)]
pub struct ReplyEvents<'a> {
    assembler: &'a ReplyAssembler,
    queued: slice::Iter<'a, QueuedEvent>,
}

impl<'a> ReplyEvents<'a> {
    /// The call at this position, so far.
    pub(crate) fn call(&self, index: usize) -> Option<&'a ToolCall> {
        self.assembler.reply.calls.get(index)
    }

    /// The id of the response, if it has one and it has arrived.
    pub(crate) fn response_id(&self) -> Option<&str> {
        self.assembler.reply.response_id.as_deref()
    }

    /// Whether null means an absent argument in the calls of the reply.
    pub(crate) fn null_is_absent(&self) -> bool {
        self.assembler.reply.null_is_absent
    }
}

impl<'a> Iterator for ReplyEvents<'a> {
    type Item = ReplyEvent<'a>;

    fn next(&mut self) -> Option<ReplyEvent<'a>> {
        self.queued.find_map(|queued| self.assembler.event(queued))
    }
}
