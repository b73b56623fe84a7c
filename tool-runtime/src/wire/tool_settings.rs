//! The settings of a wire for the tools of its requests: tools of the provider, and fields of definitions.

use super::WireError;
use super::element::Element;
use crate::schema::ToolSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The settings of a wire for the tools of its requests.
#[derive(Clone, Debug)]
pub(crate) struct ToolSettings {
    /// The definitions of tools that the provider runs.
    hosted: Vec<Value>,
    /// The further fields of definitions, by the names of the tools.
    fields: BTreeMap<String, Map<String, Value>>,
    /// Tools that the provider defines, and a tool of the registry runs.
    client_tools: Vec<ClientTool>,
    /// The first setting that is not an object.
    invalid: Option<String>,
}

/// A tool that the provider defines, and a tool of the registry runs.
#[derive(Clone, Debug)]
struct ClientTool {
    definition: Value,
    tool: String,
}

/// No settings.
pub(super) static NO_SETTINGS: ToolSettings = ToolSettings::NONE;

impl Default for ToolSettings {
    fn default() -> Self {
        ToolSettings::NONE
    }
}

impl ToolSettings {
    const NONE: ToolSettings =
        ToolSettings { hosted: Vec::new(), fields: BTreeMap::new(), client_tools: Vec::new(), invalid: None };

    pub(super) fn add_hosted(&mut self, definition: Value) {
        if self.is_object(&definition, || "the definition of a hosted tool".to_owned()) {
            self.hosted.push(definition);
        }
    }

    pub(super) fn add_fields(&mut self, tool: String, fields: Value) {
        self.is_object(&fields, || format!("the value with fields for the definition of `{tool}`"));
        if let Value::Object(fields) = fields {
            self.fields.entry(tool).or_default().extend(fields);
        }
    }

    pub(super) fn add_client_tool(&mut self, definition: Value, tool: String) {
        if self.is_object(&definition, || format!("the provider's definition of `{tool}`")) {
            self.client_tools.push(ClientTool { definition, tool });
        }
    }

    fn is_object(&mut self, value: &Value, name: impl Fn() -> String) -> bool {
        if !value.is_object() {
            self.invalid.get_or_insert_with(name);
        }
        value.is_object()
    }

    /// The error of the first setting that is not an object.
    pub(super) fn check(&self) -> Result<(), WireError> {
        match &self.invalid {
            Some(setting) => Err(WireError::InvalidSetting { setting: setting.clone() }),
            None => Ok(()),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.hosted.is_empty() && self.fields.is_empty() && self.client_tools.is_empty()
    }

    pub(super) fn has_hosted(&self) -> bool {
        !self.hosted.is_empty()
    }

    /// The names of the tools that have settings.
    pub(super) fn tool_names(&self) -> impl Iterator<Item = &str> {
        let client_tools = self.client_tools.iter().map(|client| &*client.tool);
        self.fields.keys().map(String::as_str).chain(client_tools)
    }

    /// The definitions of the tools that the provider runs. They are before those of functions, which may change.
    pub(super) fn hosted(&self) -> Vec<Element<'_>> {
        self.hosted.iter().map(Element::from).collect()
    }

    /// The definition of a tool with its further fields. The provider's own definition takes its place if there is one.
    pub(super) fn definition(
        &self,
        tool: &ToolSchema,
        written: &impl Serialize,
    ) -> Result<Element<'static>, WireError> {
        let mut definition = match self.client_definition(tool.name()) {
            Some(definition) => Element::new(definition)?,
            None => Element::new(written)?,
        };
        if let Some(fields) = self.fields.get(tool.name()) {
            definition.set(fields.iter().map(|(field, value)| (&**field, value)))?;
        }
        Ok(definition)
    }

    /// The provider's definition of a tool of the registry.
    pub(super) fn client_definition(&self, tool: &str) -> Option<&Value> {
        let client = self.client_tools.iter().find(|client| client.tool == tool)?;
        Some(&client.definition)
    }

    /// The tool of the registry that runs the calls of a definition of the provider.
    pub(super) fn client_tool(&self, is_called: impl Fn(&Value) -> bool) -> Option<&str> {
        let client = self.client_tools.iter().find(|client| is_called(&client.definition))?;
        Some(&client.tool)
    }
}
