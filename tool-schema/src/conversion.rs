//! The conversion of a definition to the form that a provider accepts.
//!
//! The definition of a function comes from `#[tool]`; a foreign definition comes from a server, a plug-in or a generator. Each
//! wire of `tool-runtime` has a list of [`Rule`]s of its provider. A rule changes as little as possible, and reports what it
//! changes. The schema against which arguments are validated does not change.
//!
//! The schema of a function is published in a form that needs few of these rules.

mod converted;
mod drafts;
mod engines;
mod inlined;
mod patterns;
mod references;
mod root;
mod separated;
mod standard;

pub use converted::{Converted, convert};
pub use drafts::modernise;
pub use engines::accept_in_engines;
pub(crate) use engines::simplify;
pub use inlined::inline_definitions;
pub use patterns::accept_patterns;
pub use references::resolve_references;
pub use root::{add_properties, merge_root};
pub use separated::separate_references;
pub use standard::standardise;

use crate::json::escaped_token;
use crate::keywords::visit_schemas;
use crate::normalise::complete;
use crate::strict::NotStrict;
use serde_json::{Map, Value};

/// A rule of a provider.
pub struct Rule {
    /// Changes a definition that breaks the rule.
    convert: fn(&mut Conversion<'_>),
    /// The error message of the provider; `None` if it accepts such a definition, and the change helps the model.
    error: Option<&'static str>,
}

impl Rule {
    /// A rule whose provider answers with this error message if a definition breaks it. `convert` changes such a definition.
    #[must_use]
    pub const fn new(convert: fn(&mut Conversion<'_>), error: &'static str) -> Self {
        Rule { convert, error: Some(error) }
    }

    /// A rule whose provider accepts a definition that breaks it.
    #[must_use]
    pub const fn without_error(convert: fn(&mut Conversion<'_>)) -> Self {
        Rule { convert, error: None }
    }
}

/// Writes other names in place of the keys of a tool that its provider rejects. Returns the place of each changed key as a JSON
/// pointer, and the change; nothing for a tool without such keys.
pub type WriteKeys<'k> = &'k dyn Fn(&mut Map<String, Value>) -> Vec<(String, String)>;

/// The place in the parameters, and the error message, of the first rule that a definition breaks.
pub fn broken_rule(
    parameters: &Value,
    rules: &[Rule],
    write_keys: WriteKeys<'_>,
) -> Option<(String, &'static str)> {
    // `{}` means any object, as no parameters do.
    let root = parameters.as_object().filter(|keywords| !keywords.is_empty())?;
    let mut conversion =
        Conversion { root: root.clone(), write_keys: Some(write_keys), ..Conversion::default() };
    rules.iter().find_map(|rule| {
        conversion.changes.clear();
        (rule.convert)(&mut conversion);
        let change = conversion.changes.first()?;
        Some((change.place.clone(), rule.error?))
    })
}

/// A definition while it is converted.
#[derive(Default)]
pub struct Conversion<'k> {
    root: Map<String, Value>,
    /// Sentences for the description of the tool.
    sentences: Vec<String>,
    /// Why a strict form would reject what the tool accepts.
    not_strict: Vec<NotStrict>,
    write_keys: Option<WriteKeys<'k>>,
    changes: Vec<SchemaChange>,
}

/// A change of a definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SchemaChange {
    /// The changed subschema as a JSON pointer; empty for the parameters as a whole.
    pub place: String,
    /// The change, and its reason.
    pub change: String,
}

impl Conversion<'_> {
    fn report(&mut self, place: &str, change: impl Into<String>) {
        self.changes.push(SchemaChange { place: place.to_owned(), change: change.into() });
    }

    /// Replaces the root, and reports the change at each place that differs.
    fn replace_root(&mut self, root: Map<String, Value>, change: &str) {
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
    fn each_schema(&mut self, visit: &mut dyn FnMut(&mut Map<String, Value>) -> Vec<String>) {
        let changes = &mut self.changes;
        visit_schemas(&mut self.root, "", &mut |keywords, place| {
            let found = visit(keywords).into_iter();
            changes.extend(found.map(|change| SchemaChange { place: place.to_owned(), change }));
        });
    }
}

/// The rule that keys have only some characters, and are short.
pub fn write_keys(conversion: &mut Conversion<'_>) {
    let Some(write_keys) = conversion.write_keys.take() else { return };
    for (place, change) in write_keys(&mut conversion.root) {
        conversion.report(&place, change);
    }
}

/// The rule that an array has `items`, which is not `false`.
pub fn complete_arrays(conversion: &mut Conversion<'_>) {
    let mut root = conversion.root.clone();
    complete(&mut root);
    let change = "arrays get `items`, and `true` becomes `{}`, since providers reject other forms";
    conversion.replace_root(root, change);
}
