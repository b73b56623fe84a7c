//! The elements of lists in requests: blocks, parts and items.

use super::WireError;
use super::body::raw;
use super::chat_completions::written_arguments;
use crate::json::{Entries, remove_entry};
use crate::message::{AssistantMessage, ReplyItem, ToolCall};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// An element that is written.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Element<'a> {
    /// JSON whose keys keep their order: an item of the provider, and the arguments of a call.
    Raw(Cow<'a, RawValue>),
    Value(Cow<'a, Value>),
}

impl<'a> Element<'a> {
    pub(super) fn new(value: &impl Serialize) -> Result<Self, WireError> {
        raw(value).map(|json| Element::Raw(Cow::Owned(json)))
    }

    /// An object with these fields, in their order.
    pub(super) fn object<'f>(
        fields: impl IntoIterator<Item = (&'f str, Element<'f>)>,
    ) -> Result<Self, WireError> {
        Element::new(&Entries(fields.into_iter().collect()))
    }

    /// An item of the provider, verbatim if no field changes. `None` removes a field. All other values stay as they are.
    pub(super) fn native(json: &'a str, changes: &[(&str, Option<&str>)]) -> Result<Self, WireError> {
        if changes.is_empty() {
            return parse(json).map(|json| Element::Raw(Cow::Borrowed(json)));
        }
        let mut fields = fields(json)?;
        for (name, value) in changes {
            match value {
                Some(value) => fields.set(Cow::Borrowed(name), Cow::Owned(raw(value)?)),
                None => fields.0.retain(|(known, _)| known != name),
            }
        }
        Element::new(&fields)
    }

    /// Sets fields of an object. An object as the new value adds its fields to an object that is there.
    pub(super) fn set<'f>(
        &mut self,
        new: impl IntoIterator<Item = (&'f str, &'f Value)>,
    ) -> Result<(), WireError> {
        match self {
            Element::Raw(json) => {
                let mut fields = fields(json.get())?;
                for (name, value) in new {
                    let old = fields.0.iter().find(|(known, _)| known == name).map(|(_, old)| old.get());
                    let merged = old.and_then(|old| merged(serde_json::from_str(old).ok()?, value));
                    fields.set(Cow::Borrowed(name), Cow::Owned(raw(merged.as_ref().unwrap_or(value))?));
                }
                *json = Cow::Owned(raw(&fields)?);
            }
            Element::Value(object) => {
                let Value::Object(fields) = object.to_mut() else { return Ok(()) };
                for (name, value) in new {
                    let merged = remove_entry(fields, name).and_then(|old| merged(old, value));
                    fields.insert(name.to_owned(), merged.unwrap_or_else(|| value.clone()));
                }
            }
        }
        Ok(())
    }

    /// Whether it is an object with this field.
    pub(super) fn has(&self, name: &str) -> bool {
        match self {
            Element::Raw(json) => {
                let has = |fields: Entries<Cow<'_, str>, _>| fields.0.iter().any(|(known, _)| known == name);
                // Most elements do not even contain the word.
                json.get().contains(name) && fields(json.get()).is_ok_and(has)
            }
            Element::Value(value) => value.get(name).is_some(),
        }
    }

    /// Removes a field of an object, if it has it.
    pub(super) fn remove(&mut self, name: &str) -> Result<(), WireError> {
        if !self.has(name) {
            return Ok(());
        }
        match self {
            Element::Raw(json) => {
                let mut fields = fields(json.get())?;
                fields.0.retain(|(known, _)| known != name);
                *json = Cow::Owned(raw(&fields)?);
            }
            Element::Value(value) => {
                if let Value::Object(fields) = value.to_mut() {
                    remove_entry(fields, name);
                }
            }
        }
        Ok(())
    }
}

/// The object with these fields in addition; `None` if a value is not an object.
fn merged(old: Value, new: &Value) -> Option<Value> {
    let (Value::Object(mut fields), Value::Object(new)) = (old, new) else { return None };
    fields.extend(new.iter().map(|(name, value)| (name.clone(), value.clone())));
    Some(Value::Object(fields))
}

/// The fields of an object, in the order of the text.
fn fields(json: &str) -> Result<Entries<Cow<'_, str>, Cow<'_, RawValue>>, WireError> {
    let fields: BTreeMap<Cow<'_, str>, &RawValue> = parse(json)?;
    let fields = fields.into_iter().map(|(name, value)| (name, Cow::Borrowed(value)));
    let mut fields = Entries(fields.collect::<Vec<_>>());
    fields.0.sort_unstable_by_key(|(_, value)| value.get().as_ptr());
    Ok(fields)
}

impl From<Value> for Element<'_> {
    fn from(value: Value) -> Self {
        Element::Value(Cow::Owned(value))
    }
}

impl From<&str> for Element<'_> {
    fn from(text: &str) -> Self {
        Value::from(text).into()
    }
}

impl<'a> From<&'a Value> for Element<'a> {
    fn from(value: &'a Value) -> Self {
        Element::Value(Cow::Borrowed(value))
    }
}

pub(super) fn parse<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, WireError> {
    serde_json::from_str(json).map_err(|source| WireError::NotSerializable { source })
}

/// The items of a reply that are written on this wire, each with the fields that decide how it goes back: those of an item
/// of the provider, and the defaults for what is written anew.
pub(super) fn items_with_heads<'a, H>(reply: &'a AssistantMessage, wire: &str) -> Vec<(ReplyItem<'a>, H)>
where
    H: Default + Deserialize<'a>,
{
    let with_head = |item| match item {
        ReplyItem::Native(json, _) => (item, serde_json::from_str(json).unwrap_or_default()),
        ReplyItem::Content(_) | ReplyItem::Call(_) => (item, H::default()),
    };
    reply.items(wire).into_iter().map(with_head).collect()
}

/// The [arguments](written_arguments) of a call as an object.
pub(super) fn arguments_object(call: &ToolCall) -> Result<Cow<'_, RawValue>, WireError> {
    match written_arguments(call) {
        Cow::Borrowed(json) => parse(json).map(Cow::Borrowed),
        Cow::Owned(json) => parse::<&RawValue>(&json).map(|json| Cow::Owned(json.to_owned())),
    }
}
