//! Assembly of a reply from its chunks.

use super::InterruptedError;
use super::calls::Calls;
use super::event::{Event, QueuedEvent};
use super::items::Items;
use crate::message::{
    AssistantMessage, Chunk, ChunkContent, Completeness, Content, ContentPiece, Delta, Extra, Finish, Origin,
    ReplyPiece, StreamError, ToolCall, Usage,
};
use crate::wire::{ChatCompletions, Wire, add_fields, add_parts, read_parts, text_part};
use serde_json::{Map, Value};
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
///   [`keep_reasoning`](crate::wire::ChatCompletions::keep_reasoning).
#[derive(Debug)]
pub struct ReplyAssembler {
    wire: Box<dyn Wire>,
    /// The name of the wire that read the chunks.
    wire_name: Option<&'static str>,
    model: Option<String>,
    response_id: Option<String>,
    usage: Option<Usage>,
    /// Whether any choice arrived, and the index of the choice that is read.
    has_choice: bool,
    choice: Option<i64>,
    text: Option<String>,
    /// The parts of the content in the format of Chat Completions, if it arrives in parts.
    parts: Option<Vec<Value>>,
    /// The reasoning to show.
    reasoning: String,
    refusal: Option<String>,
    extra: Map<String, Value>,
    items: Items,
    calls: Calls,
    finish: Option<Finish>,
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
    /// An assembler without chunks. It reads chunks in the format of Chat Completions.
    #[must_use]
    pub fn new() -> Self {
        ReplyAssembler {
            wire: Box::new(ChatCompletions::new()),
            wire_name: None,
            model: None,
            response_id: None,
            usage: None,
            has_choice: false,
            choice: None,
            text: None,
            parts: None,
            reasoning: String::new(),
            refusal: None,
            extra: Map::new(),
            items: Items::default(),
            calls: Calls::default(),
            finish: None,
            is_settled: false,
            stage: Stage::Coming,
            error: None,
            possible_error: None,
            skipped: None,
            queued: Vec::new(),
        }
    }

    /// Sets the wire in whose format the text of chunks is.
    #[must_use]
    pub fn wire(mut self, wire: impl Wire + 'static) -> Self {
        self.wire = Box::new(wire);
        self
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
    pub fn finish(self) -> Result<AssistantMessage, InterruptedError<AssistantMessage>> {
        let (mut reply, error) = self.assemble();
        reply.make_ids_usable();
        match error {
            None => Ok(reply),
            Some(error) => Err(InterruptedError::new(reply, error)),
        }
    }

    /// The reply with the ids of the server, which may be empty, and the error that interrupted it.
    pub(crate) fn assemble(mut self) -> (AssistantMessage, Option<StreamError>) {
        self.end();
        let wire = self.wire_name.unwrap_or_else(|| self.wire.name());
        let content = match self.parts {
            Some(parts) => Some(read_parts(parts)),
            None => self.text.map(Content::from),
        };
        let text = content.as_ref().map_or("", Content::as_str);
        let mut tool_calls: Vec<ToolCall> =
            self.calls.into_list().into_iter().map(|call| call.into_call(wire)).collect();
        let native = self.items.into_native(text, &tool_calls);
        let truncates_last =
            |finish: &Finish| finish.may_truncate_objects && finish.completeness == Completeness::Truncated;
        if let (true, Some(last)) = (self.finish.as_ref().is_some_and(truncates_last), tool_calls.last_mut())
        {
            last.is_truncated = true;
        }
        let completeness = match &self.finish {
            Some(finish) => finish.completeness,
            None if self.stage == (Stage::Closed { from_server: true }) => Completeness::Unknown,
            None => Completeness::Unconfirmed,
        };
        let reply = AssistantMessage {
            content,
            tool_calls,
            refusal: self.refusal,
            origin: Some(Origin { model: self.model, response_id: self.response_id, ..Origin::new(wire) }),
            finish_reason: self.finish.map(|finish| finish.reason),
            completeness,
            usage: self.usage,
            native,
            extra: Extra::new(wire, self.extra),
        };
        (reply, self.error)
    }

    fn take(&mut self, chunk: Chunk) {
        let delta = match chunk.0 {
            ChunkContent::Delta(delta) => delta,
            ChunkContent::Text(text) => match self.wire.read_event(&text).0 {
                ChunkContent::Delta(delta) => delta,
                ChunkContent::Text(text) => return self.fail(StreamError::NoReply { beginning: text }),
            },
        };
        let Delta { replies, wire, model, response_id, usage, error, possible_error, is_done, skipped } =
            delta;
        self.wire_name = self.wire_name.or(wire);
        self.model = self.model.take().or(model);
        self.response_id = self.response_id.take().or(response_id);
        self.usage = merge(self.usage, usage);
        self.skipped = self.skipped.take().or(skipped);
        self.possible_error =
            if replies.is_empty() { self.possible_error.take().or(possible_error) } else { None };
        for ReplyPiece { choice, content, whole, finish } in replies {
            self.has_choice = true;
            if choice.is_some_and(|choice| *self.choice.get_or_insert(choice) != choice) {
                continue;
            }
            let queued = self.queued.len();
            self.take_content(content);
            if let Some(whole) = whole {
                self.take_whole(whole);
            }
            let is_nothing = self.queued.len() == queued;
            self.is_settled &= is_nothing;
            if let (Some(finish), None) = (finish, &error) {
                self.is_settled |= is_nothing;
                self.take_finish(finish);
            }
        }
        if let Some(error) = error {
            self.fail(error);
        } else if is_done {
            self.close(true);
        }
    }

    fn take_content(&mut self, piece: ContentPiece) {
        let ContentPiece { text, parts, reasoning, refusal, calls, extra, items } = piece;
        add_fields(&mut self.extra, extra);
        if let Some(reasoning) = reasoning.filter(|reasoning| !reasoning.is_empty()) {
            let from = self.reasoning.len();
            self.reasoning.push_str(&reasoning);
            self.queued.push(QueuedEvent::Reasoning(from..self.reasoning.len()));
        }
        if let Some(refusal) = refusal {
            self.refusal.get_or_insert_default().push_str(&refusal);
        }
        if let Some(text) = text {
            self.take_text(&text, parts);
        }
        for item in items {
            if let Some(text) = self.items.missing_text(&item, self.text.as_deref()) {
                self.take_text(&text, Vec::new());
            }
            if let Some(call) = self.items.take(item) {
                self.calls.take(call, &mut self.queued);
            }
        }
        for call in calls {
            self.calls.take(call, &mut self.queued);
        }
    }

    /// Takes the complete reply, of which pieces may have arrived.
    fn take_whole(&mut self, whole: ContentPiece) {
        if self.is_empty() {
            if !whole.items.is_empty() {
                self.items = Items::default();
            }
            return self.take_content(whole);
        }
        self.calls.take_missing(whole.calls, &mut self.queued);
        self.items.take_missing(whole.items);
    }

    fn take_text(&mut self, piece: &str, parts: Vec<Value>) {
        let text = self.text.get_or_insert_default();
        let from = text.len();
        match &mut self.parts {
            None if parts.is_empty() => {}
            None => {
                let mut all = if text.is_empty() { Vec::new() } else { vec![text_part(text)] };
                add_parts(&mut all, parts);
                self.parts = Some(all);
            }
            Some(_) if parts.is_empty() && piece.is_empty() => {}
            Some(all) if parts.is_empty() => add_parts(all, vec![text_part(piece)]),
            Some(all) => add_parts(all, parts),
        }
        text.push_str(piece);
        if text.len() > from {
            self.queued.push(QueuedEvent::Text(from..text.len()));
        }
    }

    fn take_finish(&mut self, finish: Finish) {
        if self.finish.is_none() || finish.completeness == Completeness::Truncated {
            self.finish = Some(finish);
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
        if (from_server || self.is_settled) && !self.is_truncated() {
            for call in self.items.take_whole_arguments() {
                self.calls.take(call, &mut self.queued);
            }
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

    fn is_truncated(&self) -> bool {
        self.finish.as_ref().is_some_and(|finish| finish.completeness == Completeness::Truncated)
    }

    fn is_empty(&self) -> bool {
        let has_text = [&self.text, &self.refusal].into_iter().flatten().any(|text| !text.is_empty());
        !has_text && self.calls.is_empty() && self.extra.is_empty()
    }

    fn event(&self, queued: &QueuedEvent) -> Option<Event<'_>> {
        Some(match queued {
            QueuedEvent::Text(grown) => Event::Text(self.text.as_ref()?.get(grown.clone())?),
            QueuedEvent::Reasoning(grown) => Event::Reasoning(self.reasoning.get(grown.clone())?),
            &QueuedEvent::CallStarted(index) => {
                Event::CallStarted { index, tool: &self.calls.get(index)?.name }
            }
            QueuedEvent::Arguments(index, grown) => {
                let partial = self.calls.get(*index)?.arguments.get(..grown.end)?;
                Event::Arguments { index: *index, partial, piece: partial.get(grown.start..)? }
            }
            &QueuedEvent::CallComplete(index) => Event::CallComplete { index, call: self.calls.get(index)? },
            QueuedEvent::Finished => {
                Event::Finished { reason: self.finish.as_ref().map(|finish| &*finish.reason) }
            }
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

impl<'a> Events<'a> {
    /// The call at this position, so far.
    pub(crate) fn call(&self, index: usize) -> Option<&'a ToolCall> {
        self.reply.calls.get(index)
    }

    /// The id of the response, if it has one and it has arrived.
    pub(crate) fn response_id(&self) -> Option<&str> {
        self.reply.response_id.as_deref()
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        self.queued.find_map(|queued| self.reply.event(queued))
    }
}

/// The larger of both counts: a provider sends them in several chunks, or again with each.
fn merge(known: Option<Usage>, new: Option<Usage>) -> Option<Usage> {
    let (Some(known), Some(new)) = (known, new) else { return known.or(new) };
    Some(Usage {
        input_tokens: known.input_tokens.max(new.input_tokens),
        cached_input_tokens: known.cached_input_tokens.max(new.cached_input_tokens),
        output_tokens: known.output_tokens.max(new.output_tokens),
    })
}

impl Default for ReplyAssembler {
    fn default() -> Self {
        ReplyAssembler::new()
    }
}
