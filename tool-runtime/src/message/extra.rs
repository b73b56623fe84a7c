//! Fields of a provider's message that have no neutral meaning.

use super::stored_json;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The further fields of a message that was read, verbatim. Only the wire that read them writes them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
// A pointer, since most messages have no further fields.
pub(crate) struct Extra(Option<Box<Fields>>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Fields {
    wire: Cow<'static, str>,
    #[serde(with = "stored_json::fields")]
    fields: Map<String, Value>,
}

impl Extra {
    pub(crate) fn new(wire: &'static str, fields: Map<String, Value>) -> Self {
        Extra((!fields.is_empty()).then(|| Box::new(Fields { wire: Cow::Borrowed(wire), fields })))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(crate) fn get(&self, field: &str) -> Option<&Value> {
        self.0.as_ref()?.fields.get(field)
    }

    /// The fields that this wire read.
    pub(crate) fn on_wire(&self, wire: &str) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter().filter(move |extra| extra.wire == wire).flat_map(|extra| &extra.fields)
    }

    /// A copy of the fields that this wire read.
    pub(crate) fn to_map(&self, wire: &str) -> Map<String, Value> {
        self.on_wire(wire).map(|(field, value)| (field.clone(), value.clone())).collect()
    }

    /// The fields that another wire read.
    pub(crate) fn on_other_wires(&self, wire: &str) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter().filter(move |extra| extra.wire != wire).flat_map(|extra| &extra.fields)
    }
}
