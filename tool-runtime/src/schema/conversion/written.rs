//! Definitions in the form of a wire.

use super::references::leave_out_definitions;
use super::root::shorten;
use super::standard::{InvalidSchema, check};
use super::{Conversion, Rule, SchemaChange};
use crate::schema::description::join_sentences;
use crate::schema::keywords::unique;
use crate::schema::text::schema_text;
use crate::schema::{NotStrict, ToolSchema};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The maximum length of the sentences that a conversion adds to the description of a tool.
const MAX_SENTENCES: usize = 4_000;

/// A definition in the form of a wire.
#[derive(Debug, Default)]
pub(crate) struct WrittenDefinition {
    /// `None` if it is that of the tool.
    description: Option<String>,
    /// `None` if they are those of the tool.
    parameters: Option<Box<RawValue>>,
    pub(crate) changes: Vec<SchemaChange>,
    pub(crate) not_strict: Vec<NotStrict>,
    /// Why the provider cannot get the tool.
    pub(crate) rejected: Option<String>,
}

impl WrittenDefinition {
    /// The definition of a function, or a foreign one before it is checked.
    fn new(tool: &ToolSchema, root: Map<String, Value>, rules: &[Rule]) -> (Self, Value) {
        let property_keys = tool.forms().property_keys().cloned();
        let mut conversion = Conversion { root, property_keys, ..Conversion::default() };
        for rule in rules {
            (rule.convert)(&mut conversion);
        }
        if !conversion.changes.is_empty() {
            leave_out_definitions(&mut conversion);
        }
        let Conversion { root, mut sentences, changes, not_strict, .. } = conversion;
        shorten(&mut sentences, MAX_SENTENCES, "rules");
        let root = Value::Object(root);
        let description = (!sentences.is_empty()).then(|| {
            let own = std::iter::once(tool.description()).filter(|text| !text.is_empty());
            join_sentences(own.chain(sentences.iter().map(String::as_str)))
        });
        // Writing a JSON value as JSON does not fail.
        let parameters = if changes.is_empty() { None } else { schema_text(&root).ok() };
        let changes = unique(changes.into_iter());
        (WrittenDefinition { description, parameters, changes, not_strict, rejected: None }, root)
    }

    /// A foreign definition.
    pub(crate) fn from_foreign(tool: &ToolSchema, rules: &[Rule]) -> Self {
        let root: Result<Option<Map<String, Value>>, _> = serde_json::from_str(tool.parameters().get());
        let converted = root.map_err(|_| InvalidSchema::NotAnObject).and_then(|root| {
            let (written, root) = WrittenDefinition::new(tool, root.unwrap_or_default(), rules);
            check(&root).map(|()| written)
        });
        converted.unwrap_or_else(|error| WrittenDefinition {
            rejected: Some(error.reason()),
            ..WrittenDefinition::default()
        })
    }

    pub(crate) fn description<'a>(&'a self, tool: &'a ToolSchema) -> &'a str {
        self.description.as_deref().unwrap_or(tool.description())
    }

    pub(crate) fn parameters<'a>(&'a self, tool: &'a ToolSchema) -> &'a RawValue {
        self.parameters.as_deref().unwrap_or(tool.parameters())
    }
}

/// Converts a foreign definition for the wire of this name.
pub(crate) type Convert = fn(&ToolSchema, &str) -> WrittenDefinition;

impl ToolSchema {
    /// The definition in the form of the wire of this name, whose provider has these rules for functions. It is created once
    /// and cached.
    pub(crate) fn written(&self, wire: &'static str, rules: &[Rule]) -> Arc<WrittenDefinition> {
        self.forms().written(wire, |convert| match convert {
            Some(convert) => convert(self, wire),
            None if rules.is_empty() => WrittenDefinition::default(),
            None => {
                let root = serde_json::from_str(self.parameters().get()).unwrap_or_default();
                WrittenDefinition::new(self, root, rules).0
            }
        })
    }
}
