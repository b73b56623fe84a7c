//! Writing a repaired history: elements that need no repair stay as they are, and the others are written by the wire.

use crate::input::{Group, History};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ops::Range;
use tool_runtime::message::Message;
use tool_runtime::wire::{RequestParts, Wire as _};

pub(crate) struct Rewritten {
    /// The text of the array.
    pub(crate) array: String,
    /// The parts that the wire cannot write again, each as its place and its type.
    pub(crate) dropped: Vec<(String, String)>,
}

/// A sequence of elements that is either kept or written anew: a reply with its results, or any other element.
struct Segment {
    elements: Range<usize>,
    messages: Range<usize>,
}

impl<'a> History<'a> {
    /// Writes the repaired messages. A repair moves, adds and removes results only, so the other messages of both lists
    /// correspond to each other.
    pub(crate) fn rewrite(&self, repaired: &[Message]) -> Result<Rewritten, String> {
        let mut dropped = Vec::new();
        let mut written: Vec<Cow<'a, str>> = Vec::with_capacity(self.elements.len());
        let segments = self.segments();
        let first = segments.first().map_or(self.elements.len(), |segment| segment.elements.start);
        written.extend(self.texts(0..first));
        let (mut next, mut is_changed) = (0, false);
        for segment in &segments {
            let old = &self.messages[segment.messages.clone()];
            let start = next;
            for _ in old.iter().filter(|message| !is_result(message)) {
                let results = repaired.iter().skip(next + 1).take_while(|message| is_result(message)).count();
                next += 1 + results;
            }
            let new = repaired.get(start..next).unwrap_or_default();
            if new == old {
                written.extend(self.texts(segment.elements.clone()));
            } else if let Some(end) = self.end_of(segment, new) {
                is_changed = true;
                written.extend(self.texts(segment.elements.start..end));
            } else {
                is_changed = true;
                written.extend(self.write(segment, new, &mut dropped)?.into_iter().map(Cow::Owned));
            }
        }
        let array = if is_changed { self.join(&written) } else { self.array.to_owned() };
        Ok(Rewritten { array, dropped })
    }

    /// Writes all messages anew, if the provider accepts them then.
    pub(crate) fn rewrite_all(&self, repaired: &[Message]) -> Option<Rewritten> {
        // On other wires, a system message would move to a field of the request.
        let keeps_system = self.wire.name() == "ollama";
        if !keeps_system
            && repaired.iter().any(|message| matches!(message, Message::System(_) | Message::Developer(_)))
        {
            return None;
        }
        let body = self.wire.write(&RequestParts::new(repaired)).ok()?;
        let dropped = &body.report().dropped;
        let dropped = dropped.iter().map(|part| (self.field.to_owned(), part.kind.clone())).collect();
        let elements: Vec<&RawValue> = serde_json::from_str(body.get(self.field)?.get()).ok()?;
        let elements: Vec<Cow<'_, str>> =
            elements.into_iter().map(|element| Cow::Borrowed(element.get())).collect();
        let array = self.join(&elements);
        self.rejected(&array).is_none().then_some(Rewritten { array, dropped })
    }

    fn segments(&self) -> Vec<Segment> {
        let mut segments: Vec<Segment> = Vec::new();
        let mut is_after_reply = false;
        for Group { elements, messages } in &self.groups {
            let of_group = &self.messages[messages.clone()];
            match segments.last_mut().filter(|_| is_after_reply && of_group.first().is_some_and(is_result)) {
                Some(segment) => (segment.elements.end, segment.messages.end) = (elements.end, messages.end),
                None => segments.push(Segment { elements: elements.clone(), messages: messages.clone() }),
            }
            if let Some(last) = of_group.iter().rfind(|message| !is_result(message)) {
                is_after_reply = matches!(last, Message::Assistant(_));
            }
        }
        segments
    }

    /// The end of the first elements of the segment, if they are exactly these messages.
    fn end_of(&self, segment: &Segment, messages: &[Message]) -> Option<usize> {
        let start = segment.messages.start;
        let first = self.groups.partition_point(|group| group.elements.start < segment.elements.start);
        let mut groups =
            self.groups.iter().skip(first).take_while(|group| group.elements.end <= segment.elements.end);
        groups
            .find(|group| self.messages.get(start..group.messages.end) == Some(messages))
            .map(|group| group.elements.end)
    }

    fn texts(&self, elements: Range<usize>) -> impl Iterator<Item = Cow<'a, str>> {
        self.elements[elements].iter().map(|element| Cow::Borrowed(element.get()))
    }

    /// The elements of these messages, which replace those of the segment.
    fn write(
        &self,
        segment: &Segment,
        messages: &[Message],
        dropped: &mut Vec<(String, String)>,
    ) -> Result<Vec<String>, String> {
        // Some wires write a user message before a reply that comes first. This message takes its place, and is removed below.
        let user = matches!(messages.first(), Some(Message::Assistant(_))).then(|| Message::user("."));
        let added = usize::from(user.is_some());
        let messages: Vec<Message> = user.into_iter().chain(messages.iter().cloned()).collect();
        if messages.is_empty() {
            return Ok(Vec::new());
        }
        let body = self.wire.write(&RequestParts::new(&messages)).map_err(|error| error.to_string())?;
        for part in &body.report().dropped {
            dropped.push((self.place(segment.messages.start), part.kind.clone()));
        }
        let array = body.get(self.field).map_or("[]", RawValue::get);
        let elements: Vec<&RawValue> = serde_json::from_str(array).map_err(|error| error.to_string())?;
        Ok(elements.into_iter().skip(added).map(|element| element.get().to_owned()).collect())
    }

    /// An array of these elements, with the white space of this one.
    fn join(&self, elements: &[Cow<'_, str>]) -> String {
        let start = |element: &RawValue| element.get().as_ptr().addr() - self.array.as_ptr().addr();
        let end = |element: &RawValue| start(element) + element.get().len();
        let (Some(first), Some(last)) = (self.elements.first(), self.elements.last()) else {
            return self.array.to_owned();
        };
        let separator = self.elements.get(1).map_or(",", |second| &self.array[end(first)..start(second)]);
        [&self.array[..start(first)], &elements.join(separator), &self.array[end(last)..]].concat()
    }
}

fn is_result(message: &Message) -> bool {
    matches!(message, Message::Tool(_))
}
