//! Assembly of a reply from its chunks.

use super::call::PartialCall;
use super::calls::Calls;
use super::chunk::Chunk;
use super::event::{Event, QueuedEvent};
use super::wire_chunk::{Choice, Delta};
use super::{InterruptedError, StreamError, fields};
use crate::message::{AssistantMessage, Content, is_cut_short};
use serde_json::{Map, Value, json};
use std::slice;

/// Assembles a reply from its chunks, including the variations that servers send, and reports the contents of each
/// chunk.
///
/// The running time is linear in the number of bytes, however small the chunks are. See the
/// [module](crate::stream) for an example.
///
/// Servers deviate from the documentation in these ways:
///
/// - **The call of a piece** is the call with its index; without an index, the call with its id; without both, the
///   newest call. If a call already has the index, a different name starts a new call, and so does a different id with
///   a name after complete arguments (Gemini and its gateways give all calls the index 0), once its arguments begin. A
///   repeated id or name belongs to the same call, and so does an id that changes with each piece. A different name
///   before any arguments is the next piece of the name. Calls are in the order in which they began, whatever their
///   indices are: some servers count from 1.
/// - **Arguments** are pieces of text, one text, an object, null, or missing. A second object after a complete one
///   starts another call of the same tool, unless it is empty or a repetition; after an empty object, it is the
///   arguments. Any other text after a complete object is ignored.
/// - **The end** is the first `finish_reason`, unless a later one reports truncation. Without a reason, the end is
///   `[DONE]` or [`end`](ReplyAssembler::end). Chunks without choices are ignored, and so are choices whose index
///   differs from that of the first choice.
/// - **Reasoning** is kept in the form that the server expects in later requests: see
///   [`Echo::Reasoning`](crate::message::Echo::Reasoning).
///
/// The `usage` of a chunk is ignored; a program that needs it reads it before it pushes the chunk.
#[derive(Debug, Default)]
pub struct ReplyAssembler {
    /// Whether any choice arrived, and the index of the choice that is read.
    has_choice: bool,
    choice: Option<i64>,
    text: Option<String>,
    /// The content, if it arrives in parts.
    parts: Option<Vec<Value>>,
    other: Map<String, Value>,
    calls: Calls,
    finish_reason: Option<String>,
    /// Whether the finish reason arrived alone and nothing followed it: some servers send one with each chunk.
    is_settled: bool,
    stage: Stage,
    error: Option<StreamError>,
    /// An error unless a reply follows it.
    possible_error: Option<StreamError>,
    /// The beginning of the first chunk without choices.
    skipped: Option<String>,
    /// The events of the newest chunk.
    queued: Vec<QueuedEvent>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
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
    /// An assembler without chunks.
    #[must_use]
    pub fn new() -> Self {
        ReplyAssembler::default()
    }

    /// Takes the next chunk, in any form that converts to a [`Chunk`], and returns its events. A caller may ignore the
    /// events.
    ///
    /// This method does not fail. An error of the server, of the connection or in the chunk is an [`Event::Failed`],
    /// and [`finish`](ReplyAssembler::finish) returns it. After a finish reason that arrived alone, only an error of
    /// the server counts, since the reply is complete.
    pub fn push(&mut self, chunk: impl Into<Chunk>) -> Events<'_> {
        self.queued.clear();
        if !self.has_ended() {
            self.take(chunk.into());
        }
        Events { reply: self, queued: self.queued.iter() }
    }

    /// Whether further chunks are ignored: after an error, after the `[DONE]` of a stream of server-sent events, or
    /// after [`end`](ReplyAssembler::end). Some servers do not close the connection after `[DONE]`.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        matches!(self.stage, Stage::Closed { .. }) || self.error.is_some()
    }

    /// Ends the stream, and returns the remaining events: calls that are now complete, or an error if there was no
    /// reply. For programs that use the events of streams without `[DONE]`, such as those of typed clients.
    ///
    /// ```
    /// use tool_runtime::stream::{Event, ReplyAssembler};
    ///
    /// let mut reply = ReplyAssembler::new();
    /// reply.push(r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"now"}}]}}]}"#);
    /// reply.push(r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#);
    /// let complete: Vec<&str> = reply
    ///     .end()
    ///     .filter_map(|event| match event {
    ///         Event::CallComplete { call, .. } => Some(&*call.name),
    ///         _ => None,
    ///     })
    ///     .collect();
    /// assert_eq!(complete, ["now"]);
    /// ```
    pub fn end(&mut self) -> Events<'_> {
        self.queued.clear();
        if !self.has_ended() {
            self.close(false);
        }
        Events { reply: self, queued: self.queued.iter() }
    }

    /// Returns the reply.
    ///
    /// A reply is truncated if its `finish_reason` reports it, or if the stream ended without a finish reason and
    /// without `[DONE]`. In a truncated reply, a call whose arguments are not a complete object is marked and never
    /// runs; its tool message reports that it was truncated. A missing end is not an error, since some servers send
    /// neither.
    ///
    /// # Errors
    ///
    /// The reply was interrupted by an error of the server or of the connection, or the stream had no reply. The error
    /// contains the partial reply.
    pub fn finish(mut self) -> Result<AssistantMessage, InterruptedError<AssistantMessage>> {
        self.end();
        let tool_calls = self.calls.into_list().into_iter().map(PartialCall::into_call).collect();
        let content = match self.parts {
            Some(parts) => Some(Content::from_parts(parts)),
            None => self.text.map(Content::from),
        };
        let reply = AssistantMessage {
            content,
            tool_calls,
            other: self.other,
            ended_without_reason: self.finish_reason.is_none()
                && self.stage != Stage::Closed { from_server: true },
            finish_reason: self.finish_reason,
        };
        match self.error {
            None => Ok(reply),
            Some(error) => Err(InterruptedError::new(reply, error)),
        }
    }

    fn take(&mut self, chunk: Chunk) {
        let Chunk { choices, error, possible_error, is_done, skipped } = chunk;
        self.skipped = self.skipped.take().or(skipped);
        self.possible_error =
            if choices.is_empty() { self.possible_error.take().or(possible_error) } else { None };
        for Choice { index, delta, message, finish_reason, .. } in choices {
            self.has_choice = true;
            if index.is_some_and(|index| *self.choice.get_or_insert(index) != index) {
                continue;
            }
            let queued = self.queued.len();
            if let Some(delta) = delta {
                self.take_delta(delta);
            }
            if let Some(message) = message.filter(|_| self.is_empty()) {
                self.take_delta(message);
            }
            let is_nothing = self.queued.len() == queued;
            self.is_settled &= is_nothing;
            if let (Some(reason), None) = (finish_reason, &error) {
                self.is_settled |= is_nothing;
                self.take_finish_reason(reason);
            }
        }
        if let Some(error) = error {
            self.fail(error);
        } else if is_done {
            self.close(true);
        }
    }

    fn take_delta(&mut self, delta: Delta) {
        let Delta { content, tool_calls, other, .. } = delta;
        let reasoning = SHOWN_REASONING.into_iter().find(|&field| is_text(other.get(field)));
        let from = reasoning.map(|field| self.text_of(field).len());
        fields::add(&mut self.other, other);
        if let (Some(field), Some(from)) = (reasoning, from) {
            let grown = from..self.text_of(field).len();
            self.queued.push(QueuedEvent::Reasoning(field, grown));
        }
        if let Some(content) = content {
            self.take_content(&content);
        }
        for call in tool_calls.into_iter().flatten().flatten() {
            self.calls.take(call.into(), &mut self.queued);
        }
    }

    fn take_content(&mut self, content: &Content) {
        let text = self.text.get_or_insert_default();
        let from = text.len();
        match (content.parts().filter(|parts| !parts.is_empty()), &mut self.parts) {
            (None, None) => {}
            (None, Some(_)) if content.as_str().is_empty() => {}
            (None, Some(parts)) => fields::add_parts(parts, vec![text_part(content.as_str())]),
            (Some(more), Some(parts)) => fields::add_parts(parts, more.to_vec()),
            (Some(more), None) => {
                let mut parts = if text.is_empty() { Vec::new() } else { vec![text_part(text)] };
                fields::add_parts(&mut parts, more.to_vec());
                self.parts = Some(parts);
            }
        }
        text.push_str(content.as_str());
        if text.len() > from {
            self.queued.push(QueuedEvent::Text(from..text.len()));
        }
    }

    fn take_finish_reason(&mut self, reason: String) {
        if self.finish_reason.is_none() || is_cut_short(&reason) {
            self.finish_reason = Some(reason);
        }
        if self.is_settled {
            self.calls.complete_whole(&mut self.queued);
        }
        self.queue_finished();
    }

    /// Ends the stream, with or without `[DONE]` from the server.
    fn close(&mut self, from_server: bool) {
        if let Some(error) = self.possible_error.take().filter(|_| self.stage == Stage::Coming) {
            return self.fail(error);
        }
        if !self.has_choice {
            let beginning = self.skipped.take().unwrap_or_default();
            return self.fail(StreamError::NoReply { beginning });
        }
        if (from_server || self.is_settled) && !self.is_cut_short() {
            self.calls.complete_all(&mut self.queued);
        } else {
            self.calls.complete_whole(&mut self.queued);
        }
        self.queue_finished();
        self.stage = Stage::Closed { from_server };
    }

    fn queue_finished(&mut self) {
        if self.stage == Stage::Coming {
            self.stage = Stage::Finished;
            self.queued.push(QueuedEvent::Finished);
        }
    }

    fn fail(&mut self, error: StreamError) {
        if self.is_settled && !matches!(error, StreamError::Server { .. }) {
            // The reply is complete. Some servers close the connection in an irregular way.
            self.close(false);
        } else {
            self.error = Some(error);
            self.queued.push(QueuedEvent::Failed);
        }
    }

    fn is_cut_short(&self) -> bool {
        self.finish_reason.as_deref().is_some_and(is_cut_short)
    }

    fn is_empty(&self) -> bool {
        self.text.as_deref().unwrap_or_default().is_empty() && self.calls.is_empty() && self.other.is_empty()
    }

    fn text_of(&self, field: &str) -> &str {
        self.other.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    fn event(&self, queued: &QueuedEvent) -> Option<Event<'_>> {
        Some(match queued {
            QueuedEvent::Text(grown) => Event::Text(self.text.as_ref()?.get(grown.clone())?),
            QueuedEvent::Reasoning(field, grown) => Event::Reasoning(self.text_of(field).get(grown.clone())?),
            &QueuedEvent::CallStarted(index) => {
                Event::CallStarted { index, tool: &self.calls.get(index)?.name }
            }
            QueuedEvent::Arguments(index, grown) => {
                let partial = self.calls.get(*index)?.arguments.get(..grown.end)?;
                Event::Arguments { index: *index, partial, piece: partial.get(grown.start..)? }
            }
            &QueuedEvent::CallComplete(index) => Event::CallComplete { index, call: self.calls.get(index)? },
            QueuedEvent::Finished => Event::Finished { reason: self.finish_reason.as_deref() },
            QueuedEvent::Failed => Event::Failed(self.error.as_ref()?),
        })
    }
}

/// The events of one chunk: see [`ReplyAssembler::push`].
#[derive(Clone, Debug)]
pub struct Events<'a> {
    reply: &'a ReplyAssembler,
    queued: slice::Iter<'a, QueuedEvent>,
}

impl<'a> Iterator for Events<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        self.queued.find_map(|queued| self.reply.event(queued))
    }
}

/// The fields in which servers send reasoning as text. Some send the same text in both.
const SHOWN_REASONING: [&str; 2] = ["reasoning_content", "reasoning"];

fn is_text(value: Option<&Value>) -> bool {
    value.and_then(Value::as_str).is_some_and(|text| !text.is_empty())
}

fn text_part(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}
