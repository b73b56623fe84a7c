//! The keys of a tool without the feature `anthropic`: no other provider rejects any.

use crate::outcome::ArgumentError;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The rejected keys of a tool, which has none.
#[derive(Debug)]
pub(crate) enum PropertyKeys {}

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

    pub(crate) fn write_schema(&self, _: &mut Map<String, Value>) -> Vec<(String, String)> {
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
