//! Assembly of a provider's items.

use crate::fingerprint::Fingerprint;
use crate::json::{Entries, remove_entry};
use crate::message::{
    CallPiece, Growth, ItemContent, ItemKind, NativeItem, ReadItem, StandsFor, ToolCall, WrapItem, is_object,
};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// The items so far.
#[derive(Debug, Default)]
pub(super) struct Items {
    list: Vec<Item>,
    /// The newest item in pieces with each index.
    by_index: HashMap<i64, usize>,
    /// The length of the text of complete items.
    complete_text_bytes: usize,
}

#[derive(Debug)]
struct Item {
    kind: ItemKind,
    /// The position of the call that the item represents.
    call: Option<usize>,
    state: ItemState,
}

#[derive(Debug)]
enum ItemState {
    Growing(GrowingItem),
    /// A complete item, and its position; without one, it is the next item.
    Complete(Option<i64>, ReadItem),
}

/// An item that arrives in pieces.
#[derive(Debug)]
pub(super) struct GrowingItem {
    /// The index by which its pieces name it; `None` if only text follows.
    index: Option<i64>,
    fields: Value,
    /// The arguments of a call, unless pieces of them follow.
    arguments: Option<Value>,
    /// The field with JSON, and its text.
    json: Option<(&'static str, String)>,
    has_ended: bool,
    wrap: WrapItem,
}

impl Items {
    /// Counts the text of a complete item. Returns the text if it did not arrive in pieces before. `text` is the text of the
    /// reply so far.
    pub(super) fn take_missing_text(
        &mut self,
        index: Option<i64>,
        item: &ReadItem,
        text: Option<&str>,
    ) -> Option<String> {
        let ItemContent::Text(piece) = &item.content else { return None };
        let last = self.list.last().filter(|last| last.kind == ItemKind::Text);
        if index.is_some() && last.and_then(Item::index) == index {
            return None;
        }
        let is_missing = text.unwrap_or_default().len() == self.complete_text_bytes;
        self.complete_text_bytes += piece.len();
        is_missing.then(|| piece.clone()).filter(|text| !text.is_empty())
    }

    /// Whether an item of this kind with this index has started and not ended.
    pub(super) fn is_growing(&self, index: i64, kind: ItemKind) -> bool {
        let item = self.by_index.get(&index).and_then(|&position| self.list.get(position));
        item.is_some_and(|item| {
            item.kind == kind
                && matches!(&item.state, ItemState::Growing(GrowingItem { has_ended: false, .. }))
        })
    }

    /// Starts an item. `call` is the position of the call that it represents.
    pub(super) fn start(&mut self, item: GrowingItem, kind: ItemKind, call: Option<usize>) {
        self.by_index.extend(item.index.map(|index| (index, self.list.len())));
        self.list.push(Item { kind, call, state: ItemState::Growing(item) });
    }

    /// Adds a complete item. `call` is the position of the call that it represents.
    pub(super) fn push(&mut self, index: Option<i64>, item: ReadItem, call: Option<usize>) {
        self.list.push(Item { kind: item.content.kind(), call, state: ItemState::Complete(index, item) });
    }

    /// Adds to a field of the newest item with this index. Returns a piece of the arguments, if the item is a call.
    pub(super) fn grow(&mut self, index: i64, field: &'static str, growth: Growth) -> Option<CallPiece> {
        let item = self.list.get_mut(*self.by_index.get(&index)?)?;
        let ItemState::Growing(growing) = &mut item.state else { return None };
        match growth {
            Growth::Whole(value) => *growing.field(field) = value,
            Growth::Json(piece) => {
                let (_, json) = growing.json.get_or_insert_with(|| (field, String::new()));
                if item.kind == ItemKind::Call {
                    return Some(CallPiece::from_arguments(index, piece));
                }
                json.push_str(&piece);
            }
            Growth::Text(piece) => match growing.field(field) {
                Value::String(text) => text.push_str(&piece),
                value => *value = piece.into(),
            },
            Growth::Element(element) => match growing.field(field) {
                Value::Array(list) => list.push(element),
                value => *value = json!([element]),
            },
        }
        None
    }

    /// Ends the newest item with this index.
    pub(super) fn end(&mut self, index: i64) {
        let item = self.by_index.get(&index).and_then(|&position| self.list.get_mut(position));
        if let Some(ItemState::Growing(growing)) = item.map(|item| &mut item.state) {
            growing.has_ended = true;
        }
    }

    /// Adds an item with text to the newest item, if that one has the same further fields.
    pub(super) fn join(&mut self, item: Value, kind: ItemKind, wrap: WrapItem) {
        let Value::Object(mut new) = item else { return };
        let newest = self.list.last_mut().filter(|last| last.kind == kind);
        if let Some(old) = newest.and_then(Item::joinable_fields) {
            // The text is moved and not copied, since it grows with each chunk. Null keeps its place among the fields.
            let [old_text, new_text] =
                [&mut *old, &mut new].map(|item| item.insert("text".to_owned(), Value::Null));
            let is_same = *old == new;
            let mut text = match old_text {
                Some(Value::String(text)) => text,
                _ => String::new(),
            };
            if is_same {
                text.push_str(as_text(new_text.as_ref()));
            }
            old.insert("text".to_owned(), text.into());
            if is_same {
                return;
            }
            match new_text {
                Some(text) => drop(new.insert("text".to_owned(), text)),
                None => drop(remove_entry(&mut new, "text")),
            }
        }
        self.start(GrowingItem::new(None, Value::Object(new), None, wrap), kind, None);
    }

    /// Adds the complete items at the end of a reply that did not arrive before, each with its index and the position of its
    /// call.
    pub(super) fn push_missing(&mut self, items: Vec<(Option<i64>, ReadItem, Option<usize>)>) {
        let known: HashSet<Option<i64>> = self.list.iter().map(Item::index).collect();
        // Without indices, each may have arrived.
        let missing =
            items.into_iter().filter(|(index, ..)| !known.contains(&None) && !known.contains(index));
        for (index, item, call) in missing {
            self.push(index, item, call);
        }
    }

    /// The arguments that arrived with the start of an item, and not in pieces, each with the position of its call.
    pub(super) fn take_whole_arguments(&mut self) -> Vec<(usize, Value)> {
        let calls = self.list.iter_mut().filter_map(|item| match &mut item.state {
            ItemState::Growing(GrowingItem { arguments, json: None, .. }) => {
                Some((item.call?, arguments.take()?))
            }
            _ => None,
        });
        calls.collect()
    }

    /// The calls whose items have ended, except the last call, which the end of the reply may have truncated: the position of
    /// each, and the arguments from the start of its item, or `{}` after all others, since several items may state one call.
    pub(super) fn take_ended_arguments(&mut self, last: Option<usize>) -> Vec<(usize, Value)> {
        let calls = self.list.iter_mut().filter(|item| item.call != last);
        let calls = calls.filter_map(|item| match &mut item.state {
            ItemState::Growing(GrowingItem { arguments, has_ended: true, .. }) => {
                Some((item.call?, arguments.take()))
            }
            _ => None,
        });
        let (stated, empty): (Vec<_>, Vec<_>) = calls.partition(|(_, arguments)| arguments.is_some());
        let all = stated.into_iter().chain(empty);
        all.map(|(call, arguments)| (call, arguments.unwrap_or_else(|| json!({})))).collect()
    }

    /// The items of a reply with this text and these calls. An item that does not contain the text that it represents
    /// is left out, and so is one whose JSON is incomplete.
    pub(super) fn into_native(mut self, text: &str, calls: &[ToolCall]) -> Vec<NativeItem> {
        self.list.sort_by_key(Item::index);
        self.list.dedup_by(|later, earlier| {
            let is_repeated = later.index().is_some() && later.index() == earlier.index();
            if is_repeated {
                std::mem::swap(later, earlier);
            }
            is_repeated
        });
        let texts = self.list.iter().filter(|item| item.kind == ItemKind::Text);
        let has_whole_text = texts.map(Item::text).collect::<String>() == text;
        let whole_text = Fingerprint::new(&[text]);
        let are_objects: Vec<bool> = calls.iter().map(|call| is_object(&call.arguments)).collect();
        // Several items may state one call. The first one represents it.
        let mut represented = HashSet::new();
        let native = self.list.into_iter().filter_map(|mut item| {
            let stands_for = match item.kind {
                ItemKind::Native => StandsFor::Nothing,
                ItemKind::Reasoning => StandsFor::Reasoning,
                ItemKind::Text if has_whole_text => StandsFor::Text(whole_text),
                ItemKind::Text => return None,
                ItemKind::Call if item.call.is_some_and(|position| represented.contains(&position)) => {
                    return None;
                }
                ItemKind::Call => {
                    let call = item.call.and_then(|position| {
                        let call = calls.get(position)?;
                        item.has_call(call, are_objects[position]).then_some(call)
                    });
                    represented.extend(item.call.filter(|_| call.is_some()));
                    if let (Some(call), ItemState::Growing(GrowingItem { json: Some((_, json)), .. })) =
                        (call, &mut item.state)
                    {
                        json.clone_from(&call.arguments);
                    }
                    StandsFor::from_call(call)
                }
            };
            Some(NativeItem { item: item.into_json()?, stands_for })
        });
        native.collect()
    }
}

fn as_text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

impl Item {
    fn text(&self) -> &str {
        match &self.state {
            ItemState::Growing(growing) => as_text(growing.fields.get("text")),
            ItemState::Complete(_, ReadItem { content: ItemContent::Text(text), .. }) => text,
            ItemState::Complete(..) => "",
        }
    }

    /// The position of a complete item; the others are in the order in which they arrived.
    fn index(&self) -> Option<i64> {
        match &self.state {
            ItemState::Complete(index, _) => *index,
            ItemState::Growing(_) => None,
        }
    }

    /// The fields of an item that only text follows.
    fn joinable_fields(&mut self) -> Option<&mut Map<String, Value>> {
        match &mut self.state {
            ItemState::Growing(GrowingItem { index: None, fields, .. }) => fields.as_object_mut(),
            _ => None,
        }
    }

    /// Whether the item contains its call in a form that the provider accepts. `has_object` is whether the arguments of the
    /// call are an object.
    fn has_call(&self, call: &ToolCall, has_object: bool) -> bool {
        match &self.state {
            ItemState::Growing(growing) => {
                growing.fields["name"] == *call.name && !call.name.is_empty() && has_object
            }
            ItemState::Complete(_, ReadItem { content: ItemContent::Call(item), is_valid, .. }) => {
                *is_valid
                    && (&item.id, &item.name, &item.arguments) == (&call.id, &call.name, &call.arguments)
            }
            ItemState::Complete(..) => false,
        }
    }

    /// The JSON of the item; `None` if it is incomplete.
    fn into_json(self) -> Option<String> {
        match self.state {
            ItemState::Growing(growing) => growing.into_json(),
            ItemState::Complete(_, item) => Some(item.json),
        }
    }
}

impl GrowingItem {
    pub(super) fn new(index: Option<i64>, fields: Value, arguments: Option<Value>, wrap: WrapItem) -> Self {
        GrowingItem { index, fields, arguments, json: None, has_ended: false, wrap }
    }

    fn field(&mut self, field: &str) -> &mut Value {
        if !self.fields.is_object() {
            self.fields = json!({});
        }
        &mut self.fields[field]
    }

    fn into_json(self) -> Option<String> {
        let json = self.json.filter(|(_, text)| !text.is_empty());
        let Some((field, text)) = json else { return Some((self.wrap)(self.fields.to_string())) };
        // Raw, since the order of keys stays.
        let value = RawValue::from_string(text).ok()?;
        let mut item = Entries(Vec::new());
        for (name, value) in self.fields.as_object()? {
            item.0.push((&**name, to_raw_value(value).ok()?));
        }
        item.set(field, value);
        serde_json::to_string(&item).ok().map(self.wrap)
    }
}
