//! From the chunks of a reply to the reply.

use super::calls::Calls;
use super::chunk::{Choice, Chunk, Delta};
use super::event::{Event, Noted};
use super::{Interrupted, StreamError, fields};
use crate::messages::{AssistantMessage, Content, is_cut_short};
use serde_json::{Map, Value, json};
use std::slice;

/// Puts a reply together from its chunks, as servers really send them, and says what each brought.
///
/// It is the work of one pass: each byte is looked at once, however small the pieces. The module has
/// [an example](crate::stream).
///
/// What servers do otherwise than documented, and what it makes of it:
///
/// - **Which call a piece belongs to**: by its index, by its id where there is none, to the newest call where there is
///   neither. Another id, or another name, under an index that is taken is another call (Gemini and its gateways send the
///   index 0 for all); the same id or name again is the same call. Calls stand in the order in which they began, whatever
///   their indices: some servers count from 1.
/// - **Arguments** are text in pieces, one text, an object, null, or never there. A second object behind a whole one is a
///   further call of the same tool (Gemini); behind an empty one, it is the arguments. Anything else that follows a whole
///   object is left out.
/// - **The end**: the first `finish_reason` counts, unless a later one says that the reply was cut short; `[DONE]` or the
///   end of the stream does without. Chunks without choices are passed over, and so are choices beside the first that came.
/// - **Reasoning** is kept as the server wants it back: see [`Echo::Reasoning`](crate::Echo::Reasoning).
#[derive(Debug, Default)]
pub struct ReplyAssembler {
    /// The index of the choice that is read.
    choice: Option<i64>,
    text: Option<String>,
    /// The content, where it comes in parts.
    parts: Option<Vec<Value>>,
    other: Map<String, Value>,
    calls: Calls,
    finish_reason: Option<String>,
    /// Whether it was told that the reply has ended.
    is_finished: bool,
    /// Whether `[DONE]` came.
    is_done: bool,
    error: Option<StreamError>,
    /// What the newest chunk brought.
    noted: Vec<Noted>,
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
    /// It does not fail. An error, of the server, of the connection or in the chunk, is an [`Event::Failed`], and what
    /// [`finish`](ReplyAssembler::finish) comes to.
    pub fn push(&mut self, chunk: impl Into<Chunk>) -> Events<'_> {
        self.noted.clear();
        if !self.has_ended() {
            self.take(chunk.into());
        }
        Events { reply: self, noted: self.noted.iter() }
    }

    /// Whether nothing that comes will be looked at: there was an error, or the `[DONE]` of a stream of server-sent
    /// events. Some servers do not close the connection behind it.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.is_done || self.error.is_some()
    }

    /// The reply.
    ///
    /// Where it was cut short, by its `finish_reason` or since the stream just ended, a call whose arguments are not a whole
    /// object is marked, and never run: its answer says that it was cut off.
    ///
    /// # Errors
    ///
    /// The reply broke off, with an error of the server or of the connection, or there was none. The error has the reply as
    /// far as it came.
    pub fn finish(self) -> Result<AssistantMessage, Interrupted<AssistantMessage>> {
        let has_ended_well = self.error.is_none() && (self.is_finished || self.is_done);
        let may_be_cut_off = !has_ended_well || self.is_cut_short();
        let calls = self.calls.into_list().into_iter().map(|call| call.into_call(may_be_cut_off));
        let content = match self.parts {
            Some(parts) => Some(Content::from_parts(parts)),
            None => self.text.map(Content::from),
        };
        let tool_calls = calls.collect();
        let reply =
            AssistantMessage { content, tool_calls, other: self.other, finish_reason: self.finish_reason };
        match self.error {
            Some(error) => Err(Interrupted::new(reply, error)),
            None if self.choice.is_none() => Err(Interrupted::new(reply, StreamError::NoReply)),
            None => Ok(reply),
        }
    }

    fn take(&mut self, chunk: Chunk) {
        let Chunk { choices, error, is_done } = chunk;
        for Choice { index, delta, message, finish_reason, .. } in choices {
            let index = index.unwrap_or_default();
            if *self.choice.get_or_insert(index) != index {
                continue;
            }
            let is_whole = delta.is_none() && self.is_empty();
            if let Some(delta) = delta.or(message.filter(|_| is_whole)) {
                self.take_delta(delta);
            }
            if let (Some(reason), None) = (finish_reason.filter(|reason| !reason.is_empty()), &error) {
                self.take_finish_reason(reason);
            }
        }
        if let Some(error) = error {
            self.fail(error);
        } else if is_done {
            self.is_done = true;
            self.end();
        }
    }

    fn take_delta(&mut self, delta: Delta) {
        let Delta { content, tool_calls, mut other, .. } = delta;
        let reasoning = REASONING.into_iter().find(|&field| other.get(field).is_some_and(Value::is_string));
        let from = reasoning.map(|field| self.text_of(field).len());
        other.retain(|_, value| !value.is_null());
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
            (None, Some(parts)) => fields::add_parts(parts, vec![text_part(content)]),
            (Some(more), Some(parts)) => fields::add_parts(parts, more.to_vec()),
            (Some(more), None) => {
                let mut parts = if text.is_empty() { Vec::new() } else { vec![text_part(text)] };
                fields::add_parts(&mut parts, more.to_vec());
                self.parts = Some(parts);
            }
        }
        text.push_str(content);
        if text.len() > from {
            self.noted.push(Noted::Text(from..text.len()));
        }
    }

    fn take_finish_reason(&mut self, reason: String) {
        let is_first = self.finish_reason.is_none();
        if is_first || is_cut_short(&reason) {
            self.finish_reason = Some(reason);
        }
        if is_first {
            self.end();
        }
    }

    /// Tells that the reply has ended, and which calls are complete for it; what was told is not told again.
    fn end(&mut self) {
        if self.is_cut_short() {
            self.calls.complete_whole(&mut self.noted);
        } else {
            self.calls.complete_all(&mut self.noted);
        }
        if !self.is_finished {
            self.is_finished = true;
            self.noted.push(Noted::Finished);
        }
    }

    fn fail(&mut self, error: StreamError) {
        if self.is_finished && !matches!(error, StreamError::Server { .. }) {
            // The reply is there. Some servers close the connection in an unusual way.
            self.is_done = true;
        } else {
            self.error = Some(error);
            self.noted.push(Noted::Failed);
        }
    }

    fn is_cut_short(&self) -> bool {
        self.finish_reason.as_deref().is_some_and(is_cut_short)
    }

    fn is_empty(&self) -> bool {
        self.text.is_none() && self.calls.is_empty() && self.other.is_empty()
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

/// In which servers show what the model thinks. Some fill both, with the same.
const REASONING: [&str; 2] = ["reasoning_content", "reasoning"];

fn text_part(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}
