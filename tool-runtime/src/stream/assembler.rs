//! From the chunks of a reply to the reply.

use super::call::CallSoFar;
use super::calls::Calls;
use super::chunk::Chunk;
use super::event::{Event, Noted};
use super::wire_chunk::{Choice, Delta};
use super::{InterruptedError, StreamError, fields};
use crate::message::{AssistantMessage, Content, is_cut_short};
use serde_json::{Map, Value, json};
use std::slice;

/// Puts a reply together from its chunks, as servers really send them, and says what each brought.
///
/// The work grows with the bytes that come, however small the pieces. The module has [an example](crate::stream).
///
/// What servers do otherwise than documented, and what it makes of it:
///
/// - **Which call a piece belongs to**: by its index, by its id where there is none, to the newest call where there is
///   neither. Under an index that is taken, another name is another call, and so is another id with a name where the
///   call is whole (Gemini and its gateways give all calls the index 0), once its arguments begin. The same id or name
///   again is the same call, and so is an id that changes with each piece. Another name before any arguments is the
///   next piece of the name. Calls stand in the order in which they began, whatever their indices: some servers count
///   from 1.
/// - **Arguments** are text in pieces, one text, an object, null, or never there. A second object behind a whole one is
///   a further call of the same tool, if it is not the same again or empty; behind an empty one, it is the arguments.
///   Anything else behind a whole object is left out.
/// - **The end**: the first `finish_reason` counts, unless a later one says that the reply was cut short. `[DONE]` or
///   [`end`](ReplyAssembler::end) does without. Chunks without choices are passed over, and so are choices with another
///   index than the first that came.
/// - **Reasoning** is kept as the server wants it back: see [`Echo::Reasoning`](crate::message::Echo::Reasoning).
///
/// A chunk's `usage` is not looked at: a program that wants it reads it on the way.
#[derive(Debug, Default)]
pub struct ReplyAssembler {
    /// Whether there was a choice, and the index of the one that is read.
    has_choice: bool,
    choice: Option<i64>,
    text: Option<String>,
    /// The content, where it comes in parts.
    parts: Option<Vec<Value>>,
    other: Map<String, Value>,
    calls: Calls,
    finish_reason: Option<String>,
    /// Whether nothing came with the finish reason, nor behind it: some servers say one with each piece.
    is_settled: bool,
    stage: Stage,
    error: Option<StreamError>,
    /// What may be an error, if no reply comes behind it.
    doubt: Option<StreamError>,
    /// The beginning of the first thing that had no choices.
    passed_over: Option<String>,
    /// What the newest chunk brought.
    noted: Vec<Noted>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Coming,
    /// It was told that the model has ended.
    Finished,
    /// What comes is not looked at any more.
    Closed {
        /// By the server's word, and not by the end of the stream alone.
        is_said: bool,
    },
}

impl ReplyAssembler {
    /// One that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        ReplyAssembler::default()
    }

    /// Takes the next chunk, in any of the forms that a [`Chunk`] is made of, and says what it brought. The events need
    /// not be looked at.
    ///
    /// It does not fail. An error, of the server, of the connection or in the chunk, is an [`Event::Failed`], and is
    /// what [`finish`](ReplyAssembler::finish) comes to: nothing is lost by it. Behind a finish reason, which came
    /// alone, only an error of the server is one: the reply is there.
    pub fn push(&mut self, chunk: impl Into<Chunk>) -> Events<'_> {
        self.noted.clear();
        if !self.has_ended() {
            self.take(chunk.into());
        }
        Events { reply: self, noted: self.noted.iter() }
    }

    /// Whether nothing that comes will be looked at: there was an error, or the `[DONE]` of a stream of server-sent
    /// events, or an [`end`](ReplyAssembler::end). Some servers do not close the connection behind their `[DONE]`.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        matches!(self.stage, Stage::Closed { .. }) || self.error.is_some()
    }

    /// Says that nothing more comes, and what follows from that: which calls are complete, or that there was no reply.
    /// For programs that go by the events, where a stream ends without `[DONE]`, as those of typed clients do.
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
        self.noted.clear();
        if !self.has_ended() {
            self.close(false);
        }
        Events { reply: self, noted: self.noted.iter() }
    }

    /// The reply.
    ///
    /// Where it was cut short, by its `finish_reason` or since the stream ended without one and without `[DONE]`, a
    /// call whose arguments are not a whole object is marked, and never run: its answer says that it was cut off. That
    /// such a stream ended early is not known for sure, and so it is no error: some servers say neither.
    ///
    /// # Errors
    ///
    /// The reply broke off, with an error of the server or of the connection, or there was none. The error has the
    /// reply as far as it came.
    pub fn finish(mut self) -> Result<AssistantMessage, InterruptedError<AssistantMessage>> {
        self.end();
        let tool_calls = self.calls.into_list().into_iter().map(CallSoFar::into_call).collect();
        let content = match self.parts {
            Some(parts) => Some(Content::from_parts(parts)),
            None => self.text.map(Content::from),
        };
        let reply = AssistantMessage {
            content,
            tool_calls,
            other: self.other,
            ended_unsaid: self.finish_reason.is_none() && self.stage != Stage::Closed { is_said: true },
            finish_reason: self.finish_reason,
        };
        match self.error {
            None => Ok(reply),
            Some(error) => Err(InterruptedError::new(reply, error)),
        }
    }

    fn take(&mut self, chunk: Chunk) {
        let Chunk { choices, error, doubt, is_done, passed_over } = chunk;
        self.passed_over = self.passed_over.take().or(passed_over);
        self.doubt = if choices.is_empty() { self.doubt.take().or(doubt) } else { None };
        for Choice { index, delta, message, finish_reason, .. } in choices {
            self.has_choice = true;
            if index.is_some_and(|index| *self.choice.get_or_insert(index) != index) {
                continue;
            }
            let noted = self.noted.len();
            if let Some(delta) = delta {
                self.take_delta(delta);
            }
            if let Some(message) = message.filter(|_| self.is_empty()) {
                self.take_delta(message);
            }
            let is_nothing = self.noted.len() == noted;
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
            self.noted.push(Noted::Reasoning(field, grown));
        }
        if let Some(content) = content {
            self.take_content(&content);
        }
        for call in tool_calls.into_iter().flatten().flatten() {
            self.calls.take(call.into(), &mut self.noted);
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
            self.noted.push(Noted::Text(from..text.len()));
        }
    }

    fn take_finish_reason(&mut self, reason: String) {
        if self.finish_reason.is_none() || is_cut_short(&reason) {
            self.finish_reason = Some(reason);
        }
        if self.is_settled {
            self.calls.complete_whole(&mut self.noted);
        }
        self.tell_finished();
    }

    /// Nothing more comes; the server may have said so.
    fn close(&mut self, is_said: bool) {
        if let Some(error) = self.doubt.take().filter(|_| self.stage == Stage::Coming) {
            return self.fail(error);
        }
        if !self.has_choice {
            let beginning = self.passed_over.take().unwrap_or_default();
            return self.fail(StreamError::NoReply { beginning });
        }
        if (is_said || self.is_settled) && !self.is_cut_short() {
            self.calls.complete_all(&mut self.noted);
        } else {
            self.calls.complete_whole(&mut self.noted);
        }
        self.tell_finished();
        self.stage = Stage::Closed { is_said };
    }

    fn tell_finished(&mut self) {
        if self.stage == Stage::Coming {
            self.stage = Stage::Finished;
            self.noted.push(Noted::Finished);
        }
    }

    fn fail(&mut self, error: StreamError) {
        if self.is_settled && !matches!(error, StreamError::Server { .. }) {
            // The reply is there. Some servers close the connection in an unusual way.
            self.close(false);
        } else {
            self.error = Some(error);
            self.noted.push(Noted::Failed);
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

    fn event(&self, noted: &Noted) -> Option<Event<'_>> {
        Some(match noted {
            Noted::Text(grown) => Event::Text(self.text.as_ref()?.get(grown.clone())?),
            Noted::Reasoning(field, grown) => Event::Reasoning(self.text_of(field).get(grown.clone())?),
            &Noted::CallStarted(index) => Event::CallStarted { index, tool: &self.calls.get(index)?.name },
            Noted::Arguments(index, grown) => {
                let so_far = self.calls.get(*index)?.arguments.get(..grown.end)?;
                Event::Arguments { index: *index, so_far, piece: so_far.get(grown.start..)? }
            }
            &Noted::CallComplete(index) => Event::CallComplete { index, call: self.calls.get(index)? },
            Noted::Finished => Event::Finished { reason: self.finish_reason.as_deref() },
            Noted::Failed => Event::Failed(self.error.as_ref()?),
        })
    }
}

/// What one chunk brought: see [`ReplyAssembler::push`].
#[derive(Clone, Debug)]
pub struct Events<'a> {
    reply: &'a ReplyAssembler,
    noted: slice::Iter<'a, Noted>,
}

impl<'a> Iterator for Events<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        self.noted.find_map(|noted| self.reply.event(noted))
    }
}

/// The fields in which servers show what the model thinks. Some fill both, with the same.
const SHOWN_REASONING: [&str; 2] = ["reasoning_content", "reasoning"];

fn is_text(value: Option<&Value>) -> bool {
    value.and_then(Value::as_str).is_some_and(|text| !text.is_empty())
}

fn text_part(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}
