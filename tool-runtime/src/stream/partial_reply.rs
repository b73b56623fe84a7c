//! The contents of a reply that is still arriving.

use super::calls::Calls;
use super::event::QueuedEvent;
use super::items::{GrowingItem, Items};
use crate::message::{
    AssistantMessage, CallPiece, Completeness, Content, Extra, Finish, ItemKind, Origin, Piece, ToolCall,
    Usage,
};
use crate::wire::{Provider, add_fields, add_parts, provider_or_chat_completions, read_parts, text_part};
use serde_json::{Map, Value};

#[derive(Debug, Default)]
pub(super) struct PartialReply {
    /// The name of the wire that read the chunks.
    wire: Option<&'static str>,
    /// Whether null means an absent argument in the calls.
    pub(super) null_is_absent: bool,
    model: Option<String>,
    pub(super) response_id: Option<String>,
    usage: Option<Usage>,
    pub(super) text: Option<String>,
    /// The parts of the content in the format of Chat Completions, if it arrives in parts.
    parts: Option<Vec<Value>>,
    /// The reasoning to show.
    pub(super) reasoning: String,
    refusal: Option<String>,
    extra: Map<String, Value>,
    items: Items,
    pub(super) calls: Calls,
    finish: Option<Finish>,
}

impl PartialReply {
    pub(super) fn wire_name(&self) -> &str {
        self.wire.unwrap_or_default()
    }

    pub(super) fn set_wire(&mut self, wire: Option<&'static str>) {
        self.wire = self.wire.or(wire);
    }

    /// The provider whose chunks these are.
    fn provider(&self) -> &'static Provider {
        provider_or_chat_completions(self.wire.unwrap_or_default())
    }

    /// Takes a piece of the reply.
    pub(super) fn take(&mut self, piece: Piece) {
        match piece {
            Piece::Model(model) => drop(self.model.get_or_insert(model)),
            Piece::ResponseId(id) => drop(self.response_id.get_or_insert(id)),
            Piece::Usage(usage) => self.usage = Some(self.usage.map_or(usage, |known| newest(known, usage))),
            Piece::Extra(fields) => add_fields(&mut self.extra, fields),
            Piece::Reasoning(piece) => {
                let from = self.reasoning.len();
                self.reasoning.push_str(&piece);
                if !piece.is_empty() {
                    self.calls.follow_last();
                    self.calls.queued.push(QueuedEvent::Reasoning(from..self.reasoning.len()));
                }
            }
            Piece::Refusal(piece) => self.refusal.get_or_insert_default().push_str(&piece),
            Piece::Text(piece) => self.take_text(&piece, Vec::new()),
            Piece::Parts(parts, text) => self.take_text(&text, parts),
            Piece::Call(piece) => drop(self.take_call(piece)),
            Piece::ItemStart { index, kind, is_implied: true, .. } if self.items.is_growing(index, kind) => {}
            Piece::ItemStart { index, item, kind, call, arguments, wrap, .. } => {
                if kind != ItemKind::Call {
                    self.calls.follow_last();
                }
                let call = call.and_then(|call| self.take_call(call));
                self.items.start(GrowingItem::new(Some(index), item, arguments, wrap), kind, call);
            }
            Piece::ItemGrowth { index, field, growth } => {
                if let Some(call) = self.items.grow(index, field, growth) {
                    self.take_call(call);
                }
            }
            Piece::ItemEnd(index) => self.items.end(index),
            Piece::Item { index, item, call } => {
                // `take_text` decides about a text: Gemini ends replies with an empty one.
                if item.content.kind() == ItemKind::Native {
                    self.calls.follow_last();
                }
                if let Some(text) = self.items.take_missing_text(index, &item, self.text.as_deref()) {
                    self.take_text(&text, Vec::new());
                }
                let call = call.and_then(|call| self.take_call(call));
                self.items.push(index, item, call);
            }
            Piece::JoinableItem { item, kind, wrap } => self.items.join(item, kind, wrap),
            Piece::Whole(pieces) => self.take_whole(pieces),
            // The assembler takes these.
            Piece::Reply(_)
            | Piece::Beginning(_)
            | Piece::Finish(_)
            | Piece::Skipped(_)
            | Piece::PossibleError(_)
            | Piece::Error(_)
            | Piece::Done => {}
        }
    }

    fn take_call(&mut self, piece: CallPiece) -> Option<usize> {
        self.calls.take(piece, self.provider())
    }

    /// Takes the complete reply, of which pieces may have arrived.
    fn take_whole(&mut self, pieces: Vec<Piece>) {
        let ends_with_other = matches!(pieces.last(), Some(Piece::Item { call: None, .. }));
        self.take_missing(pieces);
        if ends_with_other {
            self.calls.follow_last();
        }
    }

    /// Takes the contents of the complete reply that did not arrive in pieces.
    fn take_missing(&mut self, pieces: Vec<Piece>) {
        if self.is_empty() {
            if pieces.iter().any(|piece| matches!(piece, Piece::Item { .. })) {
                // Items that arrived without text and calls, such as reasoning, arrive again.
                self.items = Items::default();
            }
            return pieces.into_iter().for_each(|piece| self.take(piece));
        }
        let (mut items, mut calls) = (Vec::new(), Vec::new());
        for piece in pieces {
            match piece {
                Piece::Item { index, item, call } => {
                    // The number of its call in `calls`, until the position of the call is known.
                    items.push((index, item, call.is_some().then_some(calls.len())));
                    calls.extend(call);
                }
                Piece::Call(call) => calls.push(call),
                _ => {}
            }
        }
        let positions = self.calls.take_missing(calls, self.provider());
        for (.., call) in &mut items {
            *call = call.and_then(|number| *positions.get(number)?);
        }
        self.items.push_missing(items);
    }

    /// Whether a reply with this id is another reply, which begins before this one has ended.
    pub(super) fn is_followed_by(&self, id: Option<&str>) -> bool {
        let has_begun = !self.is_empty() || !self.reasoning.is_empty();
        has_begun && (id.is_none() || self.response_id.as_deref() != id)
    }

    fn is_empty(&self) -> bool {
        let has_text = [&self.text, &self.refusal].into_iter().flatten().any(|text| !text.is_empty());
        !has_text && self.calls.is_empty() && self.extra.is_empty()
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
            self.calls.follow_last();
            self.calls.queued.push(QueuedEvent::Text(from..text.len()));
        }
    }

    /// Sets the first finish reason, or a later one that reports truncation.
    pub(super) fn finish(&mut self, finish: Finish) {
        if self.finish.is_none() || finish.completeness == Completeness::Truncated {
            self.finish = Some(finish);
        }
    }

    pub(super) fn finish_reason(&self) -> Option<&str> {
        self.finish.as_ref().map(|finish| &*finish.reason)
    }

    pub(super) fn is_truncated(&self) -> bool {
        self.finish.as_ref().is_some_and(|finish| finish.completeness == Completeness::Truncated)
    }

    /// Completes every call at the end of the stream.
    pub(super) fn complete_calls(&mut self) {
        for (position, arguments) in self.items.take_whole_arguments() {
            self.calls.take_whole(position, arguments);
        }
        self.calls.complete_all();
    }

    /// Completes the calls of a truncated reply that are complete.
    pub(super) fn complete_whole_calls(&mut self) {
        for (position, arguments) in self.items.take_ended_arguments(self.calls.last) {
            self.calls.take_ended(position, arguments);
        }
        self.calls.complete_whole(true);
    }

    /// The reply, with the ids of the server, which may be empty. `completeness` is that of a reply without a finish reason.
    pub(super) fn into_message(self, completeness: Completeness) -> AssistantMessage {
        let wire = self.wire.unwrap_or_else(|| self.provider().name);
        let is_truncated = self.is_truncated();
        let truncated = self.calls.truncatable().filter(|_| is_truncated);
        let content = match self.parts {
            Some(parts) => Some(read_parts(parts)),
            None => self.text.map(Content::from),
        };
        let text = content.as_ref().map_or("", Content::as_str);
        let mut tool_calls: Vec<ToolCall> =
            self.calls.into_list().into_iter().map(|call| call.into_call(wire)).collect();
        let native = self.items.into_native(text, &tool_calls);
        if let Some(call) = truncated.and_then(|position| tool_calls.get_mut(position)) {
            call.is_truncated = true;
        }
        let reply = AssistantMessage {
            content,
            tool_calls,
            refusal: self.refusal,
            origin: Some(Origin { model: self.model, response_id: self.response_id, ..Origin::new(wire) }),
            completeness: self.finish.as_ref().map_or(completeness, |finish| finish.completeness),
            finish_reason: self.finish.map(|finish| finish.reason),
            usage: self.usage,
            native,
            extra: Extra::new(wire, self.extra),
        };
        reply.with_null_is_absent(self.null_is_absent)
    }
}

/// The newest usage. A provider may send the input only at the beginning, and servers send zeros.
fn newest(known: Usage, new: Usage) -> Usage {
    match new {
        Usage { input_tokens: 0, output_tokens: 0, .. } => known,
        Usage { input_tokens: 0, output_tokens, reasoning_tokens, .. } => {
            Usage { output_tokens, reasoning_tokens, ..known }
        }
        new => new,
    }
}
