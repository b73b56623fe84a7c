//! Definitions in the form of a wire.
//!
//! A program without foreign definitions contains only the rules for functions, since a foreign definition brings its conversion
//! ([`Convert`]).

use super::metaschema::{InvalidSchema, check};
use super::{NotStrict, PropertyKeys, ToolSchema};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::sync::Arc;
#[cfg(feature = "testing")]
use tool_runtime_schema::conversion;
use tool_runtime_schema::conversion::{Converted, Rule, SchemaChange, convert};
use tool_runtime_schema::schema_text;

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
        let keys = tool.forms().property_keys();
        let converted =
            convert(tool.description(), root, rules, &|root| write_keys(keys.map(|keys| &**keys), root));
        let Converted { description, parameters: root, changes, not_strict } = converted;
        // Writing a JSON value as JSON does not fail.
        let parameters = if changes.is_empty() { None } else { schema_text(&root).ok() };
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

/// Writes the names that a provider accepts in place of the keys of a tool that it rejects, if it has any.
fn write_keys(keys: Option<&PropertyKeys>, root: &mut Map<String, Value>) -> Vec<(String, String)> {
    keys.map_or_else(Vec::new, |keys| keys.write_schema(root))
}

/// The place in the parameters, and the error message, of the first rule that a definition breaks.
#[cfg(feature = "testing")]
pub(crate) fn broken_rule(parameters: &Value, rules: &[Rule]) -> Option<(String, &'static str)> {
    let keys = schema_text(parameters).ok();
    let keys = keys.and_then(|text| PropertyKeys::new(&text, conversion::standardise));
    conversion::broken_rule(parameters, rules, &|root| write_keys(keys.as_ref(), root))
}
