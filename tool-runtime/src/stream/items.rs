//! Assembly of a provider's items.

use super::calls::Calls;
use crate::message::{CallPiece, ItemKind, ItemPiece, NativeItem};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// The items so far, by index.
#[derive(Debug, Default)]
pub(super) struct Items {
    by_index: BTreeMap<i64, PartialItem>,
}

#[derive(Debug)]
struct PartialItem {
    item: Value,
    kind: ItemKind,
    /// The field with JSON, and its text.
    json: Option<(&'static str, String)>,
}

impl Items {
    /// Takes a piece. Returns a piece of arguments, if the item is a call.
    pub(super) fn take(&mut self, piece: ItemPiece) -> Option<CallPiece> {
        match piece {
            ItemPiece::Start { index, item, kind } => {
                self.by_index.insert(index, PartialItem { item, kind, json: None });
            }
            ItemPiece::Text { index, field, piece } => match self.by_index.get_mut(&index)?.field(field) {
                Value::String(text) => text.push_str(&piece),
                value => *value = piece.into(),
            },
            ItemPiece::Element { index, field, element } => {
                match self.by_index.get_mut(&index)?.field(field) {
                    Value::Array(list) => list.push(element),
                    value => *value = json!([element]),
                }
            }
            ItemPiece::Json { index, field, piece } => {
                let partial = self.by_index.get_mut(&index)?;
                partial.json.get_or_insert_with(|| (field, String::new())).1.push_str(&piece);
                return (partial.kind == ItemKind::Call).then(|| CallPiece::arguments(index, piece));
            }
        }
        None
    }

    /// The items, of a reply with this text and these calls. An item whose JSON is incomplete is left out.
    pub(super) fn into_native(self, text: &str, calls: &Calls) -> Vec<NativeItem> {
        self.by_index
            .into_iter()
            .filter_map(|(index, partial)| {
                let kind = partial.kind;
                let item = partial.into_json()?;
                Some(match kind {
                    ItemKind::Native => NativeItem::new(item),
                    ItemKind::Text => NativeItem::from_text(item, text),
                    ItemKind::Call => NativeItem::from_call(item, calls.with_index(index)?),
                })
            })
            .collect()
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
