//! The conversion of a definition to the form that a provider accepts.
//!
//! Definitions come from strangers too: servers, plug-ins, generators. Each wire has a list of [`Step`]s with the rules of
//! its provider. A step changes as little as possible, and reports what it changed. The schema against which arguments are
//! validated stays as it was.

mod drafts;
mod engines;
mod metaschema;
mod patterns;
mod references;
mod root;

pub(crate) use engines::accept_in_engines;
pub(super) use engines::simplify_texts;
pub(crate) use root::merge_root;

use drafts::modernise;
use metaschema::metaschema_errors;
use references::{Dangling, resolve};

use super::ToolSchema;
use super::description::join_sentences;
use super::keywords::visit_schemas;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

/// A step of the conversion, for one rule of a provider.
pub(crate) type Step = fn(&mut Conversion);

/// A definition while it is converted.
#[derive(Default)]
pub(crate) struct Conversion {
    pub(crate) root: Map<String, Value>,
    /// Sentences for the description of the tool.
    sentences: Vec<String>,
    changes: Vec<SchemaChange>,
}

/// A change of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SchemaChange {
    /// The changed subschema as a JSON pointer; empty for the parameters as a whole.
    pub(crate) place: String,
    /// The change, and its reason.
    pub(crate) change: String,
}

/// A definition in the form of a wire.
#[derive(Debug)]
pub(crate) struct WrittenDefinition {
    /// `None` if it is that of the tool.
    description: Option<String>,
    /// `None` if they are those of the tool.
    parameters: Option<Box<RawValue>>,
    pub(crate) changes: Vec<SchemaChange>,
    /// Why the provider cannot get the tool.
    pub(crate) rejected: Option<String>,
}

impl Conversion {
    pub(crate) fn new(root: Map<String, Value>) -> Self {
        Conversion { root, ..Conversion::default() }
    }

    pub(crate) fn report(&mut self, place: &str, change: impl Into<String>) {
        self.changes.push(SchemaChange { place: place.to_owned(), change: change.into() });
    }

    /// Calls `visit` with each schema, and reports the changes that it returns.
    pub(crate) fn each_schema(&mut self, visit: &mut dyn FnMut(&mut Map<String, Value>) -> Vec<String>) {
        let changes = &mut self.changes;
        visit_schemas(&mut self.root, "", &mut |keywords, place| {
            let found = visit(keywords).into_iter();
            changes.extend(found.map(|change| SchemaChange { place: place.to_owned(), change }));
        });
    }
}

/// The schema of arguments with the keywords of JSON Schema 2020-12. It accepts the same values.
pub(super) fn standard(schema: Value) -> Result<Value, InvalidSchema> {
    let Value::Object(root) = schema else { return Err(InvalidSchema::NotAnObject) };
    let mut conversion = Conversion::new(root);
    modernise(&mut conversion);
    resolve(&mut conversion, Dangling::Keep);
    let schema = Value::Object(conversion.root);
    check(&schema).map(|()| schema)
}

/// Why a schema cannot be the schema of arguments.
pub(crate) enum InvalidSchema {
    NotAnObject,
    /// The errors under the metaschema of JSON Schema 2020-12.
    Keywords(Vec<String>),
}

fn check(schema: &Value) -> Result<(), InvalidSchema> {
    if schema.get("type").is_none_or(|kind| kind != "object") {
        return Err(InvalidSchema::NotAnObject);
    }
    let errors = metaschema_errors(schema);
    if errors.is_empty() { Ok(()) } else { Err(InvalidSchema::Keywords(errors)) }
}

impl fmt::Display for InvalidSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidSchema::NotAnObject => f.write_str("its parameters are not the JSON Schema of an object"),
            InvalidSchema::Keywords(errors) => {
                write!(f, "its parameters are not a JSON Schema: {}", errors.join("; "))
            }
        }
    }
}

impl WrittenDefinition {
    pub(crate) fn new(tool: &ToolSchema, steps: &[Step]) -> Self {
        let mut written =
            WrittenDefinition { description: None, parameters: None, changes: Vec::new(), rejected: None };
        let root = match serde_json::from_str(tool.parameters().get()) {
            Ok(Value::Object(root)) => root,
            Ok(Value::Null) => Map::new(),
            _ => {
                written.rejected = Some(InvalidSchema::NotAnObject.to_string());
                return written;
            }
        };
        let mut conversion = Conversion::new(root);
        modernise(&mut conversion);
        resolve(&mut conversion, Dangling::Remove);
        for step in steps {
            step(&mut conversion);
        }
        let Conversion { root, sentences, changes } = conversion;
        let root = Value::Object(root);
        written.rejected = check(&root).err().map(|error| error.to_string());
        if changes.is_empty() {
            return written;
        }
        written.changes = changes;
        if !sentences.is_empty() {
            let description = std::iter::once(tool.description()).filter(|text| !text.is_empty());
            written.description =
                Some(join_sentences(description.chain(sentences.iter().map(String::as_str))));
        }
        // Writing a JSON value as JSON does not fail.
        written.parameters = to_raw_value(&root).ok();
        written
    }

    pub(crate) fn description<'a>(&'a self, tool: &'a ToolSchema) -> &'a str {
        self.description.as_deref().unwrap_or(tool.description())
    }

    pub(crate) fn parameters<'a>(&'a self, tool: &'a ToolSchema) -> &'a RawValue {
        self.parameters.as_deref().unwrap_or(tool.parameters())
    }
}

impl ToolSchema {
    /// The definition in the form of the wire of this name, whose provider needs these steps. It is created once and cached.
    pub(crate) fn written(&self, wire: &'static str, steps: &[Step]) -> Arc<WrittenDefinition> {
        self.forms().written(wire, || WrittenDefinition::new(self, steps))
    }
}
