//! Assembly of a provider's items.

use crate::fingerprint::Fingerprint;
use crate::message::{
    Arguments, CallPiece, ItemContent, ItemKind, ItemPiece, NativeItem, ToolCall, WholeItem, is_object,
};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet, VecDeque};

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
    state: ItemState,
}

#[derive(Debug)]
enum ItemState {
    Pieces(Pieces),
    Whole(WholeItem),
    /// The fields of an item whose text may grow.
    Joinable(Map<String, Value>),
}

/// An item that arrives in pieces.
#[derive(Debug)]
struct Pieces {
    index: i64,
    item: Value,
    arguments: Option<Value>,
    /// The field with JSON, and its text.
    json: Option<(&'static str, String)>,
}

impl Items {
    fn newest(&mut self, index: i64) -> Option<(ItemKind, &mut Pieces)> {
        let item = self.list.get_mut(*self.by_index.get(&index)?)?;
        match &mut item.state {
            ItemState::Pieces(pieces) => Some((item.kind, pieces)),
            ItemState::Whole(_) | ItemState::Joinable(_) => None,
        }
    }

    /// The text of a complete item that did not arrive in pieces before it, after this text so far.
    pub(super) fn missing_text(&mut self, item: &ItemPiece, text: Option<&str>) -> Option<String> {
        let ItemPiece::Whole(WholeItem { index, content: ItemContent::Text(piece), .. }) = item else {
            return None;
        };
        let last = self.list.last().filter(|last| last.kind == ItemKind::Text);
        if index.is_some() && last.and_then(Item::index) == *index {
            return None;
        }
        let is_missing = text.unwrap_or_default().len() == self.complete_text_bytes;
        self.complete_text_bytes += piece.len();
        is_missing.then(|| piece.clone()).filter(|text| !text.is_empty())
    }

    /// Takes an item or a piece. Returns a piece of arguments, if the item is a call.
    pub(super) fn take(&mut self, piece: ItemPiece) -> Option<CallPiece> {
        match piece {
            ItemPiece::Start { index, item, kind, arguments } => {
                self.by_index.insert(index, self.list.len());
                let state = ItemState::Pieces(Pieces { index, item, arguments, json: None });
                self.list.push(Item { kind, state });
            }
            ItemPiece::Text { index, field, piece } => match self.newest(index)?.1.field(field) {
                Value::String(text) => text.push_str(&piece),
                value => *value = piece.into(),
            },
            ItemPiece::Element { index, field, element } => match self.newest(index)?.1.field(field) {
                Value::Array(list) => list.push(element),
                value => *value = json!([element]),
            },
            ItemPiece::Json { index, field, piece } => {
                let (kind, pieces) = self.newest(index)?;
                pieces.json.get_or_insert_with(|| (field, String::new())).1.push_str(&piece);
                return (kind == ItemKind::Call).then(|| CallPiece::arguments(index, piece));
            }
            ItemPiece::Whole(item) => {
                self.list.push(Item { kind: item.content.kind(), state: ItemState::Whole(item) });
            }
            ItemPiece::Joinable { item, kind } => self.join(item, kind),
        }
        None
    }

    /// Takes the complete items at the end of a reply that did not arrive before.
    pub(super) fn take_missing(&mut self, items: Vec<ItemPiece>) {
        let known: HashSet<Option<i64>> = self.list.iter().map(Item::index).collect();
        if known.contains(&None) {
            // Without indices, each may have arrived.
            return;
        }
        for item in items {
            if matches!(&item, ItemPiece::Whole(whole) if !known.contains(&whole.index)) {
                self.take(item);
            }
        }
    }

    fn join(&mut self, item: Value, kind: ItemKind) {
        let Value::Object(mut new) = item else { return };
        if let Some(Item { kind: old_kind, state: ItemState::Joinable(old) }) = self.list.last_mut() {
            let (old_text, new_text) = (old.remove("text"), new.remove("text"));
            let is_same = *old_kind == kind && *old == new;
            // The text is moved and not copied, since it grows with each chunk.
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
            new.extend(new_text.map(|text| ("text".to_owned(), text)));
        }
        self.list.push(Item { kind, state: ItemState::Joinable(new) });
    }

    /// The arguments of calls that arrived with the start of their item, and not in pieces.
    pub(super) fn take_whole_arguments(&mut self) -> Vec<CallPiece> {
        let in_pieces = self.list.iter_mut().filter_map(|item| match &mut item.state {
            ItemState::Pieces(pieces) if pieces.json.is_none() => Some(pieces),
            _ => None,
        });
        in_pieces
            .filter_map(|pieces| {
                let arguments = Arguments::Json(pieces.arguments.take()?);
                Some(CallPiece { arguments, ..CallPiece::arguments(pieces.index, String::new()) })
            })
            .collect()
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
        let mut calls = UnmatchedCalls::new(calls);
        let native = self.list.into_iter().filter_map(|item| match item.kind {
            ItemKind::Native => item.into_json().map(NativeItem::new),
            ItemKind::Reasoning => item.into_json().map(NativeItem::from_reasoning),
            ItemKind::Text => {
                let json = item.into_json().filter(|_| has_whole_text)?;
                Some(NativeItem::from_text(json, whole_text))
            }
            ItemKind::Call => {
                let call = calls.call_of(&item);
                let json = item.into_json()?;
                Some(match call {
                    Some(call) => NativeItem::from_call(json, call),
                    None => NativeItem::from_rejected_call(json),
                })
            }
        });
        native.collect()
    }
}

/// The calls of a reply that no item represents yet.
struct UnmatchedCalls<'a> {
    in_order: std::slice::Iter<'a, ToolCall>,
    by_id: HashMap<&'a str, VecDeque<&'a ToolCall>>,
}

impl<'a> UnmatchedCalls<'a> {
    fn new(calls: &'a [ToolCall]) -> Self {
        let mut by_id: HashMap<&str, VecDeque<&ToolCall>> = HashMap::new();
        for call in calls {
            by_id.entry(&call.id).or_default().push_back(call);
        }
        UnmatchedCalls { in_order: calls.iter(), by_id }
    }

    /// The call that the item represents, if it contains the call in a valid form. Items in pieces have the order of the
    /// calls; complete items may arrive in another order.
    fn call_of(&mut self, item: &Item) -> Option<&'a ToolCall> {
        match &item.state {
            ItemState::Pieces(pieces) => self.in_order.next().filter(|call| {
                pieces.item["name"] == *call.name && !call.name.is_empty() && is_object(&call.arguments)
            }),
            ItemState::Whole(whole) => {
                let ItemContent::Call(item) = &whole.content else { return None };
                let call = self.by_id.get_mut(&*item.id)?.pop_front()?;
                let is_equal = call.name == item.name && call.arguments == item.arguments;
                (whole.is_valid && is_equal).then_some(call)
            }
            ItemState::Joinable(_) => None,
        }
    }
}

fn as_text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

impl Item {
    fn text(&self) -> &str {
        match &self.state {
            ItemState::Pieces(pieces) => as_text(pieces.item.get("text")),
            ItemState::Whole(WholeItem { content: ItemContent::Text(text), .. }) => text,
            ItemState::Whole(_) => "",
            ItemState::Joinable(fields) => as_text(fields.get("text")),
        }
    }

    /// The position of a complete item; the others are in the order in which they arrived.
    fn index(&self) -> Option<i64> {
        match &self.state {
            ItemState::Whole(whole) => whole.index,
            ItemState::Pieces(_) | ItemState::Joinable(_) => None,
        }
    }

    /// The text of the item.
    fn into_json(self) -> Option<String> {
        match self.state {
            ItemState::Pieces(pieces) => pieces.into_json(),
            ItemState::Whole(whole) => Some(whole.json),
            ItemState::Joinable(fields) => Some(Value::Object(fields).to_string()),
        }
    }
}

impl Pieces {
    fn field(&mut self, field: &str) -> &mut Value {
        if !self.item.is_object() {
            self.item = json!({});
        }
        &mut self.item[field]
    }

    fn into_json(mut self) -> Option<String> {
        let json = self.json.take().filter(|(_, text)| !text.is_empty());
        let Some((field, text)) = json else { return Some(self.item.to_string()) };
        // Raw, since the order of keys stays.
        let value = RawValue::from_string(text).ok()?;
        self.item.as_object_mut()?.remove(field);
        let item = RawItem { fields: self.item, json: HashMap::from([(field, value)]) };
        serde_json::to_string(&item).ok()
    }
}

#[derive(Serialize)]
struct RawItem {
    #[serde(flatten)]
    fields: Value,
    #[serde(flatten)]
    json: HashMap<&'static str, Box<RawValue>>,
}
