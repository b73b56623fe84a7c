//! Assembly of a provider's items.

use crate::fingerprint::Fingerprint;
use crate::message::{Arguments, CallPiece, ItemKind, ItemPiece, NativeItem, ToolCall, is_object};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::HashMap;

/// The items so far, in the order in which they started.
#[derive(Debug, Default)]
pub(super) struct Items {
    list: Vec<PartialItem>,
    /// The newest item with each index.
    by_index: HashMap<i64, usize>,
}

#[derive(Debug)]
struct PartialItem {
    index: i64,
    item: Value,
    kind: ItemKind,
    arguments: Option<Value>,
    /// The field with JSON, and its text.
    json: Option<(&'static str, String)>,
}

impl Items {
    fn newest(&mut self, index: i64) -> Option<&mut PartialItem> {
        self.list.get_mut(*self.by_index.get(&index)?)
    }

    /// Takes a piece. Returns a piece of arguments, if the item is a call.
    pub(super) fn take(&mut self, piece: ItemPiece) -> Option<CallPiece> {
        match piece {
            ItemPiece::Start { index, item, kind, arguments } => {
                self.by_index.insert(index, self.list.len());
                self.list.push(PartialItem { index, item, kind, arguments, json: None });
            }
            ItemPiece::Text { index, field, piece } => match self.newest(index)?.field(field) {
                Value::String(text) => text.push_str(&piece),
                value => *value = piece.into(),
            },
            ItemPiece::Element { index, field, element } => match self.newest(index)?.field(field) {
                Value::Array(list) => list.push(element),
                value => *value = json!([element]),
            },
            ItemPiece::Json { index, field, piece } => {
                let partial = self.newest(index)?;
                partial.json.get_or_insert_with(|| (field, String::new())).1.push_str(&piece);
                return (partial.kind == ItemKind::Call).then(|| CallPiece::arguments(index, piece));
            }
        }
        None
    }

    /// The arguments of calls that arrived with the start of their item, and not in pieces.
    pub(super) fn take_whole_arguments(&mut self) -> Vec<CallPiece> {
        let whole = self.list.iter_mut().filter(|item| item.json.is_none());
        whole
            .filter_map(|item| {
                let arguments = Arguments::Json(item.arguments.take()?);
                Some(CallPiece { arguments, ..CallPiece::arguments(item.index, String::new()) })
            })
            .collect()
    }

    /// The items of a reply with this text and these calls. An item that does not contain the text or the call that it
    /// stands for is left out, and so is one whose JSON is incomplete.
    pub(super) fn into_native(self, text: &str, calls: &[ToolCall]) -> Vec<NativeItem> {
        let texts = self.list.iter().filter(|item| item.kind == ItemKind::Text);
        let has_whole_text = texts.filter_map(|item| item.item["text"].as_str()).collect::<String>() == text;
        let whole_text = Fingerprint::new(&[text]);
        let mut calls = calls.iter();
        let native = self.list.into_iter().filter_map(|partial| match partial.kind {
            ItemKind::Native => partial.into_json().map(NativeItem::new),
            ItemKind::Text => {
                let json = partial.into_json().filter(|_| has_whole_text)?;
                Some(NativeItem::from_text(json, whole_text))
            }
            ItemKind::Call => {
                let call = calls.next()?;
                let is_equal = partial.item["id"] == *call.id && partial.item["name"] == *call.name;
                let is_valid = is_equal && !call.name.is_empty() && is_object(&call.arguments);
                partial.into_json().filter(|_| is_valid).map(|json| NativeItem::from_call(json, call))
            }
        });
        native.collect()
    }
}

impl PartialItem {
    fn field(&mut self, field: &str) -> &mut Value {
        if !self.item.is_object() {
            self.item = json!({});
        }
        &mut self.item[field]
    }

    /// The text of the item.
    fn into_json(mut self) -> Option<String> {
        let json = self.json.take().filter(|(_, text)| !text.is_empty());
        let Some((field, text)) = json else { return Some(self.item.to_string()) };
        // Raw, since the order of keys stays.
        let value = RawValue::from_string(text).ok()?;
        self.item.as_object_mut()?.remove(field);
        let item = Item { fields: self.item, json: HashMap::from([(field, value)]) };
        serde_json::to_string(&item).ok()
    }
}

#[derive(Serialize)]
struct Item {
    #[serde(flatten)]
    fields: Value,
    #[serde(flatten)]
    json: HashMap<&'static str, Box<RawValue>>,
}
