//! The conversion of a definition to the form that a provider accepts.
//!
//! The definition of a function comes from `#[tool]`; a foreign definition comes from a server, a plug-in or a generator. Each
//! wire has a list of [`Rule`]s of its provider. A rule changes as little as possible, and reports what it changes. The schema
//! against which arguments are validated does not change.
//!
//! The schema of a function is published in a form that needs few of these rules: a program without foreign definitions
//! contains only those, since a foreign definition brings its conversion ([`Convert`]).

mod drafts;
mod engines;
#[cfg(feature = "ollama")]
mod inlined;
mod metaschema;
mod patterns;
mod references;
mod root;
#[cfg(any(feature = "gemini", feature = "testing"))]
mod separated;

pub(crate) use drafts::modernise;
pub(crate) use engines::accept_in_engines;
pub(super) use engines::simplify;
#[cfg(feature = "ollama")]
pub(crate) use inlined::inline_definitions;
pub(crate) use patterns::accept_patterns;
pub(crate) use references::resolve_references;
pub(crate) use root::{add_properties, merge_root};
#[cfg(any(feature = "gemini", feature = "testing"))]
pub(crate) use separated::separate_references;

use metaschema::metaschema_errors;
use references::{Reader, leave_out_definitions, resolve};
use root::shorten;

use super::PropertyKeys;
use super::description::join_sentences;
use super::keywords::{unique, visit_schemas};
use super::normalise::complete;
use super::text::schema_text;
use super::{NotStrict, ToolSchema};
use crate::json::escaped_token;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The maximum length of the sentences that a conversion adds to the description of a tool.
const MAX_SENTENCES: usize = 4_000;

/// A rule of a provider.
pub(crate) struct Rule {
    /// Changes a definition that breaks the rule.
    convert: fn(&mut Conversion),
    /// The error message of the provider; `None` if it accepts such a definition, and the change helps the model.
    #[cfg_attr(not(feature = "testing"), allow(dead_code, reason = "only `check_request` quotes it"))]
    error: Option<&'static str>,
}

impl Rule {
    pub(crate) const fn new(convert: fn(&mut Conversion), error: &'static str) -> Self {
        Rule { convert, error: Some(error) }
    }

    pub(crate) const fn without_error(convert: fn(&mut Conversion)) -> Self {
        Rule { convert, error: None }
    }
}

/// The place in the parameters, and the error message, of the first rule that a definition breaks.
#[cfg(feature = "testing")]
pub(crate) fn broken_rule(parameters: &Value, rules: &[Rule]) -> Option<(String, &'static str)> {
    // `{}` means any object, as no parameters do.
    let root = parameters.as_object().filter(|keywords| !keywords.is_empty())?;
    let keys = schema_text(parameters).ok().and_then(|text| PropertyKeys::new(&text, standardised));
    let root = root.clone();
    let mut conversion = Conversion { root, property_keys: keys.map(Arc::new), ..Conversion::default() };
    rules.iter().find_map(|rule| {
        conversion.changes.clear();
        (rule.convert)(&mut conversion);
        let change = conversion.changes.first()?;
        Some((change.place.clone(), rule.error?))
    })
}

/// A definition while it is converted.
#[derive(Default)]
pub(crate) struct Conversion {
    pub(crate) root: Map<String, Value>,
    /// Sentences for the description of the tool.
    sentences: Vec<String>,
    /// Why a strict form would reject what the tool accepts.
    not_strict: Vec<NotStrict>,
    property_keys: Option<Arc<PropertyKeys>>,
    changes: Vec<SchemaChange>,
}

/// A change of a definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SchemaChange {
    /// The changed subschema as a JSON pointer; empty for the parameters as a whole.
    pub(crate) place: String,
    /// The change, and its reason.
    pub(crate) change: String,
}

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

impl Conversion {
    pub(crate) fn report(&mut self, place: &str, change: impl Into<String>) {
        self.changes.push(SchemaChange { place: place.to_owned(), change: change.into() });
    }

    /// Replaces the root, and reports the change at each place that differs.
    pub(crate) fn replace_root(&mut self, root: Map<String, Value>, change: &str) {
        let (old, new) = (Value::Object(std::mem::take(&mut self.root)), Value::Object(root));
        self.report_differences(&old, &new, "", change);
        if let Value::Object(root) = new {
            self.root = root;
        }
    }

    /// Reports the change of the smallest values that differ.
    fn report_differences(&mut self, old: &Value, new: &Value, place: &str, change: &str) {
        match (old, new) {
            (Value::Object(old), Value::Object(new))
                if old.keys().all(|keyword| new.contains_key(keyword)) && old.len() == new.len() =>
            {
                for (keyword, old) in old {
                    let place = format!("{place}/{}", escaped_token(keyword));
                    self.report_differences(old, &new[keyword], &place, change);
                }
            }
            (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
                for (index, (old, new)) in old.iter().zip(new).enumerate() {
                    self.report_differences(old, new, &format!("{place}/{index}"), change);
                }
            }
            (old, new) if old != new => self.report(place, change),
            _ => {}
        }
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

/// The rule that keys have only some characters, and are short.
pub(crate) fn write_keys(conversion: &mut Conversion) {
    let Some(keys) = conversion.property_keys.take() else { return };
    for (place, change) in keys.write_schema(&mut conversion.root) {
        conversion.report(&place, change);
    }
}

/// The rule that an array has `items`, which is not `false`.
pub(crate) fn complete_arrays(conversion: &mut Conversion) {
    let mut schema = Value::Object(conversion.root.clone());
    complete(&mut schema);
    if let Value::Object(root) = schema {
        let change = "arrays get `items`, and `true` becomes `{}`, since providers reject other forms";
        conversion.replace_root(root, change);
    }
}

/// The schema of arguments with the keywords of JSON Schema 2020-12. It accepts the same values.
pub(super) fn standard(schema: Value) -> Result<Value, InvalidSchema> {
    let schema = standardised(schema);
    check(&schema).map(|()| schema)
}

/// A schema with the keywords of JSON Schema 2020-12, which may not be valid.
pub(super) fn standardised(schema: Value) -> Value {
    let Value::Object(root) = schema else { return schema };
    let mut conversion = Conversion { root, ..Conversion::default() };
    modernise(&mut conversion);
    visit_schemas(&mut conversion.root, "", &mut |keywords, place| accept_null(keywords, place));
    resolve(&mut conversion, Reader::Validator);
    conversion.root.into()
}

/// `nullable` of OpenAPI 3.0, which providers ignore. Arguments as a whole are an object.
fn accept_null(keywords: &mut Map<String, Value>, place: &str) {
    if place.is_empty() || keywords.get("nullable") != Some(&Value::Bool(true)) {
        return;
    }
    match keywords.get_mut("type") {
        Some(Value::Array(types)) if types.is_empty() || types.contains(&Value::from("null")) => {}
        Some(Value::Array(types)) => types.push("null".into()),
        Some(kind) => *kind = json!([kind, "null"]),
        None => {}
    }
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

impl InvalidSchema {
    fn reason(&self) -> String {
        let InvalidSchema::Keywords(errors) = self else {
            return "its parameters are not the JSON Schema of an object".to_owned();
        };
        format!("its parameters are not a JSON Schema: {}", errors.join("; "))
    }
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
        let mut written = WrittenDefinition {
            changes: unique(changes.into_iter()),
            not_strict,
            ..WrittenDefinition::default()
        };
        if !sentences.is_empty() {
            let description = std::iter::once(tool.description()).filter(|text| !text.is_empty());
            let sentences = description.chain(sentences.iter().map(String::as_str));
            written.description = Some(join_sentences(sentences));
        }
        if !written.changes.is_empty() {
            // Writing a JSON value as JSON does not fail.
            written.parameters = schema_text(&root).ok();
        }
        (written, root)
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
    /// The definition in the form of the wire of this name, whose provider has these rules for functions. It is created once and
    /// cached.
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
