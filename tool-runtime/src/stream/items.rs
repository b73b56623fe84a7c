//! Assembly of a provider's items.

use super::calls::Calls;
use crate::message::{ItemKind, ItemPiece, NativeItem};
use serde_json::{Value, json};
use std::collections::BTreeMap;

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
    pub(super) fn take(&mut self, piece: ItemPiece) {
        match piece {
            ItemPiece::Start { index, item, kind } => {
                self.by_index.insert(index, PartialItem { item, kind, json: None });
            }
            ItemPiece::Text { index, field, piece } => {
                let Some(partial) = self.by_index.get_mut(&index) else { return };
                match partial.item.get_mut(field) {
                    Some(Value::String(text)) => text.push_str(&piece),
                    _ => partial.set(field, piece.into()),
                }
            }
            ItemPiece::Element { index, field, element } => {
                let Some(partial) = self.by_index.get_mut(&index) else { return };
                match partial.item.get_mut(field) {
                    Some(Value::Array(list)) => list.push(element),
                    _ => partial.set(field, json!([element])),
                }
            }
            ItemPiece::Json { index, field, piece } => {
                let Some(partial) = self.by_index.get_mut(&index) else { return };
                partial.json.get_or_insert_with(|| (field, String::new())).1.push_str(&piece);
            }
        }
    }

    /// The items, of a reply with this text and these calls. An item whose JSON is incomplete is left out.
    pub(super) fn into_native(self, text: &str, calls: &Calls) -> Vec<NativeItem> {
        self.by_index
            .into_iter()
            .filter_map(|(index, partial)| {
                let kind = partial.kind;
                let item = partial.into_item()?;
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
    fn set(&mut self, field: &str, value: Value) {
        if let Value::Object(fields) = &mut self.item {
            fields.insert(field.to_owned(), value);
        }
    }

    fn into_item(mut self) -> Option<Value> {
        if let Some((field, text)) = self.json.take().filter(|(_, text)| !text.is_empty()) {
            let json = serde_json::from_str(&text).ok()?;
            self.set(field, json);
        }
        Some(self.item)
    }
}
