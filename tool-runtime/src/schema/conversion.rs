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
mod patterns;
mod references;
mod root;
#[cfg(any(feature = "gemini", feature = "gemini_interactions"))]
mod separated;
mod standard;
mod written;

pub(crate) use drafts::modernise;
pub(crate) use engines::accept_in_engines;
pub(super) use engines::simplify;
#[cfg(feature = "ollama")]
pub(crate) use inlined::inline_definitions;
pub(crate) use patterns::accept_patterns;
pub(crate) use references::resolve_references;
pub(crate) use root::{add_properties, merge_root};
#[cfg(any(feature = "gemini", feature = "gemini_interactions"))]
pub(crate) use separated::separate_references;
pub(crate) use standard::InvalidSchema;
pub(super) use standard::{standardise, standardise_checked};
pub(crate) use written::{Convert, WrittenDefinition};

use super::keywords::visit_schemas;
use super::normalise::complete;
#[cfg(feature = "testing")]
use super::text::schema_text;
use super::{NotStrict, PropertyKeys};
use crate::json::escaped_token;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A rule of a provider.
pub(crate) struct Rule {
    /// Changes a definition that breaks the rule.
    convert: fn(&mut Conversion),
    /// The error message of the provider; `None` if it accepts such a definition, and the change helps the model.
    #[cfg_attr(not(feature = "testing"), allow(dead_code, reason = "only `tool-runtime-testing` quotes it"))]
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
    let keys = schema_text(parameters).ok().and_then(|text| PropertyKeys::new(&text, standardise));
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
    let mut root = conversion.root.clone();
    complete(&mut root);
    let change = "arrays get `items`, and `true` becomes `{}`, since providers reject other forms";
    conversion.replace_root(root, change);
}
