//! The items of a reply as its provider sent them.
//!
//! Providers sign parts of a reply, such as reasoning, and accept them only unchanged and in their order. So a reply
//! keeps its items verbatim. An item that represents text or a call has its fingerprint, so that a change of the
//! message is detected, and the item is written anew.

use super::stored::is_default;
use super::{AssistantMessage, Content, ItemKind, ToolCall};
use crate::fingerprint::Fingerprint;
use crate::json::pairs;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};

/// One item of a reply, verbatim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct NativeItem {
    /// The text of its JSON: providers may read the order of keys.
    pub(crate) item: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) stands_for: StandsFor,
}

/// The neutral field that an item represents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StandsFor {
    /// Only the provider reads the item: a call of its own tools, for example.
    #[default]
    Nothing,
    /// Reasoning: another provider gets nothing in its place.
    Reasoning,
    /// A part of the text. The fingerprint is that of the whole text.
    Text(Fingerprint),
    Call(Fingerprint),
    /// A call that the provider rejects in this form. The next changed call takes its place.
    RejectedCall,
}

impl StandsFor {
    /// The call that an item represents; `None` if the provider rejects the item.
    pub(crate) fn from_call(call: Option<&ToolCall>) -> Self {
        call.map_or(StandsFor::RejectedCall, |call| StandsFor::Call(call_fingerprint(call)))
    }
}

/// One item of a reply that is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ReplyItem<'a> {
    /// An unchanged item of the same provider, as JSON. If it is a call, the call.
    Native(&'a str, Option<&'a ToolCall>),
    Content(&'a Content),
    Call(&'a ToolCall),
}

impl NativeItem {
    /// The type of the item, for reports. An item without a type is named after its first field.
    pub(crate) fn kind(&self) -> String {
        #[derive(Deserialize)]
        struct Typed {
            r#type: String,
        }
        if let Ok(Typed { r#type }) = serde_json::from_str(&self.item) {
            return r#type;
        }
        if self.is_reasoning() {
            return "reasoning".to_owned();
        }
        let first = pairs(&self.item).and_then(|fields| fields.into_iter().next());
        first.map_or_else(|| "item".to_owned(), |(name, _)| name.into_owned())
    }

    /// Whether another provider gets nothing in place of this item.
    pub(crate) fn is_native_only(&self) -> bool {
        matches!(self.stands_for, StandsFor::Nothing | StandsFor::Reasoning)
    }

    pub(crate) fn is_reasoning(&self) -> bool {
        self.stands_for == StandsFor::Reasoning
    }
}

fn call_fingerprint(call: &ToolCall) -> Fingerprint {
    Fingerprint::new(&[&call.id, &call.name, &call.arguments])
}

/// An item of a reply that is read.
#[derive(Debug)]
pub(crate) struct ReadItem {
    /// The text of its JSON.
    pub(crate) json: String,
    pub(crate) content: ItemContent,
    /// Whether the provider accepts a call in this form when it goes back. Otherwise the call is written anew.
    pub(crate) is_valid: bool,
}

/// The neutral content of an item.
#[derive(Debug)]
pub(crate) enum ItemContent {
    Native,
    Reasoning,
    Text(String),
    Call(ToolCall),
}

impl ItemContent {
    pub(crate) fn kind(&self) -> ItemKind {
        match self {
            ItemContent::Native => ItemKind::Native,
            ItemContent::Reasoning => ItemKind::Reasoning,
            ItemContent::Text(_) => ItemKind::Text,
            ItemContent::Call(_) => ItemKind::Call,
        }
    }
}

impl AssistantMessage {
    /// The reply that consists of these items.
    pub(crate) fn from_items(items: Vec<ReadItem>) -> Self {
        let texts = items.iter().filter_map(|item| match &item.content {
            ItemContent::Text(text) => Some(&**text),
            _ => None,
        });
        let text: Option<String> = texts.map(str::to_owned).reduce(|all, text| all + &text);
        let whole_text = Fingerprint::new(&[text.as_deref().unwrap_or_default()]);
        let mut reply = AssistantMessage::default();
        for ReadItem { json, content, is_valid } in items {
            let stands_for = match content {
                ItemContent::Native => StandsFor::Nothing,
                ItemContent::Reasoning => StandsFor::Reasoning,
                ItemContent::Text(_) => StandsFor::Text(whole_text),
                ItemContent::Call(call) => {
                    let stands_for = StandsFor::from_call(Some(&call).filter(|_| is_valid));
                    reply.tool_calls.push(call);
                    stands_for
                }
            };
            reply.native.push(NativeItem { item: json, stands_for });
        }
        reply.content = text.map(Into::into);
        reply
    }

    /// Whether the last item is a call.
    pub(crate) fn ends_with_call(&self) -> bool {
        let last = self.native.last().map(|item| item.stands_for);
        matches!(last, Some(StandsFor::Call(_) | StandsFor::RejectedCall))
    }

    /// Changes calls. Each changed call still has its item, which keeps the id and the arguments of the provider.
    pub(crate) fn change_calls(&mut self, change: impl FnOnce(&mut [ToolCall])) {
        if self.native.is_empty() {
            return change(&mut self.tool_calls);
        }
        let old: Vec<Fingerprint> = self.tool_calls.iter().map(call_fingerprint).collect();
        change(&mut self.tool_calls);
        let mut items: HashMap<Fingerprint, VecDeque<&mut Fingerprint>> = HashMap::new();
        for native in &mut self.native {
            if let StandsFor::Call(fingerprint) = &mut native.stands_for {
                items.entry(*fingerprint).or_default().push_back(fingerprint);
            }
        }
        for (call, old) in self.tool_calls.iter().zip(old) {
            if let Some(item) = items.get_mut(&old).and_then(VecDeque::pop_front) {
                *item = call_fingerprint(call);
            }
        }
    }

    /// The items to write on this wire, in order: unchanged items of the provider as they came, and the text and the
    /// calls for which there are none.
    pub(crate) fn items(&self, wire: &str) -> Vec<ReplyItem<'_>> {
        let is_same_wire = self.origin.as_ref().is_some_and(|origin| origin.wire == wire);
        let natives = if is_same_wire { &*self.native } else { &[] };
        let mut content = self.content.as_ref().filter(|content| !content.is_empty());
        let text = Fingerprint::new(&[self.text()]);
        let has_text_only = content.is_none_or(|content| content.parts().is_none());
        let has_native_text = natives.iter().any(|native| matches!(native.stands_for, StandsFor::Text(_)));
        let mut calls = OpenCalls::new(&self.tool_calls, natives);
        let mut items = Vec::with_capacity(natives.len() + self.tool_calls.len() + 1);
        for native in natives {
            if !has_native_text && !native.is_native_only() {
                // Text comes before calls, and after the reasoning at the start.
                items.extend(content.take().map(ReplyItem::Content));
            }
            match native.stands_for {
                StandsFor::Nothing | StandsFor::Reasoning => {
                    items.push(ReplyItem::Native(&native.item, None));
                }
                StandsFor::Text(fingerprint) if has_text_only && fingerprint == text => {
                    items.push(ReplyItem::Native(&native.item, None));
                    content = None;
                }
                StandsFor::Text(_) => items.extend(content.take().map(ReplyItem::Content)),
                StandsFor::RejectedCall => items.extend(calls.changed.next().map(ReplyItem::Call)),
                StandsFor::Call(fingerprint) => match calls.unchanged(fingerprint) {
                    Some(call) => items.push(ReplyItem::Native(&native.item, Some(call))),
                    None => items.extend(calls.changed.next().map(ReplyItem::Call)),
                },
            }
        }
        items.extend(content.map(ReplyItem::Content));
        items.extend(calls.changed.map(ReplyItem::Call));
        items
    }
}

/// The calls of a reply that are not among its items yet.
struct OpenCalls<'a> {
    /// The calls that are equal to an item, by fingerprint.
    unchanged: HashMap<Fingerprint, VecDeque<&'a ToolCall>>,
    /// The others, in order.
    changed: std::vec::IntoIter<&'a ToolCall>,
}

impl<'a> OpenCalls<'a> {
    fn new(calls: &'a [ToolCall], natives: &[NativeItem]) -> Self {
        let mut items: HashMap<Fingerprint, usize> = HashMap::new();
        for native in natives {
            if let StandsFor::Call(fingerprint) = native.stands_for {
                *items.entry(fingerprint).or_default() += 1;
            }
        }
        let mut unchanged: HashMap<Fingerprint, VecDeque<&ToolCall>> = HashMap::new();
        let mut changed = Vec::new();
        for call in calls {
            let fingerprint = call_fingerprint(call);
            match items.get_mut(&fingerprint).filter(|left| **left > 0) {
                Some(left) => {
                    *left -= 1;
                    unchanged.entry(fingerprint).or_default().push_back(call);
                }
                None => changed.push(call),
            }
        }
        OpenCalls { unchanged, changed: changed.into_iter() }
    }

    fn unchanged(&mut self, fingerprint: Fingerprint) -> Option<&'a ToolCall> {
        self.unchanged.get_mut(&fingerprint)?.pop_front()
    }
}
