//! Keys of properties that a provider rejects, and the names that are written in their place.
//!
//! The names depend on the parameters alone, so that all processes agree. A name is unique in its tool: no property has it, and
//! each name belongs to one key.

mod arguments;
mod names;
mod rewrite;

use crate::json::Scanner;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The rejected keys of a tool, with their written names.
#[derive(Debug)]
pub(crate) struct PropertyKeys {
    written: BTreeMap<String, String>,
    own: BTreeMap<String, String>,
    /// The parameters with the tool's keys.
    schema: Value,
}

impl PropertyKeys {
    /// `None` if the parameters have no rejected key.
    pub(crate) fn new(parameters: &RawValue) -> Option<Self> {
        if !may_have_rejected_key(parameters.get()) {
            return None;
        }
        let schema = serde_json::from_str(parameters.get()).ok()?;
        let written = names::written_names(&schema);
        let own = written.iter().map(|(own, written)| (written.clone(), own.clone())).collect();
        (!written.is_empty()).then_some(PropertyKeys { written, own, schema })
    }

    /// The written name of a rejected key of the tool.
    fn written(&self, own: &str) -> Option<&str> {
        self.written.get(own).map(String::as_str)
    }

    /// The key of the tool with this written name.
    fn own(&self, written: &str) -> Option<&str> {
        self.own.get(written).map(String::as_str)
    }

    /// The written form of a name in a schema.
    fn written_or_same<'k>(&'k self, name: &'k str) -> &'k str {
        self.written(name).unwrap_or(name)
    }
}

/// Whether a key of the text may be a rejected key. It saves the parsing of most schemas.
fn may_have_rejected_key(json: &str) -> bool {
    let mut scanner = Scanner::new(json);
    loop {
        match scanner.peek() {
            0 => return false,
            b'"' => {
                let text = scanner.string().json();
                let key = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
                if scanner.peek() == b':' && key != "$ref" && !names::is_accepted(key) {
                    return true;
                }
            }
            _ => scanner.skip(1),
        }
    }
}
