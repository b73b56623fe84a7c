//! The keys of a tool without the feature `anthropic`: no other provider rejects any.

use crate::outcome::ArgumentError;
use serde_json::Value;
use serde_json::value::RawValue;

/// The rejected keys of a tool, which has none.
#[derive(Debug)]
pub(crate) enum PropertyKeys {}

/// A schema with written names.
pub(crate) struct WrittenSchema {
    pub(crate) schema: Value,
    pub(crate) changes: Vec<(String, String)>,
}

impl PropertyKeys {
    pub(crate) fn new(_: &RawValue, _: fn(Value) -> Value) -> Option<Self> {
        None
    }

    pub(crate) fn own_arguments(&self, _: &str) -> Option<String> {
        match *self {}
    }

    pub(crate) fn written_arguments(&self, _: &str) -> Option<String> {
        match *self {}
    }

    pub(crate) fn conflicts(&self, _: &str) -> Vec<ArgumentError> {
        match *self {}
    }

    pub(crate) fn write_schema(&self, _: &Value) -> WrittenSchema {
        match *self {}
    }

    #[cfg(feature = "search")]
    pub(super) fn written_parameters(&self) -> Option<Box<RawValue>> {
        match *self {}
    }

    pub(crate) fn written_path(&self, _: &str) -> String {
        match *self {}
    }
}
