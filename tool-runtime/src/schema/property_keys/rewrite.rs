//! Schemas with written names.

use super::{PropertyKeys, names};
use crate::json::{object, percent_decoded};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A schema with written names.
#[derive(Debug)]
pub(crate) struct WrittenSchema {
    pub(crate) schema: Value,
    /// The place of each changed key as a JSON pointer, such as `/properties/filter[city]`, and the change.
    pub(crate) changes: Vec<(String, String)>,
}

impl PropertyKeys {
    /// A form of the tool's parameters with the written names: of properties, in the keywords that list them, in references
    /// through them, and in values that are objects of the schema.
    pub(crate) fn write_schema(&self, schema: &Value) -> WrittenSchema {
        let mut rewrite = Rewrite { keys: self, root: schema, path: String::new(), changes: Vec::new() };
        let written = rewrite.schema(schema);
        WrittenSchema { schema: written, changes: rewrite.changes }
    }
}

impl PropertyKeys {
    /// Like `write_schema`, of a JSON text.
    #[cfg_attr(
        not(any(feature = "anthropic", feature = "search")),
        expect(dead_code, reason = "only one wire and the search write definitions with other keys")
    )]
    pub(crate) fn write_parameters(&self, parameters: &RawValue) -> Option<Box<RawValue>> {
        let schema = serde_json::from_str(parameters.get()).ok()?;
        to_raw_value(&self.write_schema(&schema).schema).ok()
    }
}

struct Rewrite<'k> {
    keys: &'k PropertyKeys,
    root: &'k Value,
    path: String,
    changes: Vec<(String, String)>,
}

impl Rewrite<'_> {
    fn schema(&mut self, schema: &Value) -> Value {
        let Value::Object(keywords) = schema else { return schema.clone() };
        let written = keywords.iter().map(|(keyword, value)| {
            let written = self.keyword(schema, keyword, value);
            (keyword.clone(), written)
        });
        object(written).into()
    }

    fn keyword(&mut self, schema: &Value, keyword: &str, value: &Value) -> Value {
        match (keyword, value) {
            ("properties", Value::Object(properties)) => self.properties(properties),
            ("required", names) => self.names(names),
            ("dependentRequired" | "dependentSchemas" | "dependencies", Value::Object(entries)) => {
                let written = entries.iter().map(|(name, value)| {
                    let value =
                        if value.is_array() { self.names(value) } else { self.at(&[keyword, name], value) };
                    (self.keys.written_or_same(name).to_owned(), value)
                });
                object(written).into()
            }
            ("propertyNames", Value::Object(keywords)) => {
                let written = keywords.iter().map(|(keyword, value)| {
                    let is_names = matches!(&**keyword, "enum" | "const");
                    (keyword.clone(), if is_names { self.names(value) } else { value.clone() })
                });
                object(written).into()
            }
            ("$defs" | "definitions", Value::Object(definitions)) => {
                let written = definitions
                    .iter()
                    .map(|(name, definition)| (name.clone(), self.at(&[keyword, name], definition)));
                object(written).into()
            }
            ("patternProperties", Value::Object(entries)) => {
                let written = entries
                    .iter()
                    .map(|(pattern, value)| (pattern.clone(), self.at(&[keyword, pattern], value)));
                object(written).into()
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(branches)) => {
                let branches = branches.iter().enumerate();
                branches.map(|(index, branch)| self.at(&[keyword, &index.to_string()], branch)).collect()
            }
            ("prefixItems" | "items", Value::Array(items)) => {
                let items = items.iter().enumerate();
                items.map(|(index, item)| self.at(&[keyword, &index.to_string()], item)).collect()
            }
            ("items" | "contains" | "additionalItems" | "unevaluatedItems", items) => {
                self.at(&[keyword], items)
            }
            ("not" | "if" | "then" | "else" | "additionalProperties" | "unevaluatedProperties", schema) => {
                self.at(&[keyword], schema)
            }
            ("$ref", Value::String(reference)) => self.reference(reference).into(),
            ("enum" | "examples", Value::Array(values)) => {
                values.iter().map(|value| self.value(schema, value)).collect()
            }
            ("const" | "default", value) => self.value(schema, value),
            _ => value.clone(),
        }
    }

    fn properties(&mut self, properties: &Map<String, Value>) -> Value {
        let keys = self.keys;
        let written = properties.iter().map(|(name, schema)| {
            let outer = self.path.len();
            push_place(&mut self.path, &["properties", name]);
            if let Some(written) = keys.written(name) {
                self.changes.push((self.path.clone(), change(name, written)));
            }
            let schema = self.schema(schema);
            self.path.truncate(outer);
            (keys.written_or_same(name).to_owned(), schema)
        });
        object(written).into()
    }

    /// A subschema at another place.
    fn at(&mut self, place: &[&str], schema: &Value) -> Value {
        let outer = self.path.len();
        push_place(&mut self.path, place);
        let written = self.schema(schema);
        self.path.truncate(outer);
        written
    }

    /// A name, or a list of names.
    fn names(&self, names: &Value) -> Value {
        match names {
            Value::String(name) => self.keys.written_or_same(name).into(),
            Value::Array(names) => names.iter().map(|name| self.names(name)).collect(),
            other => other.clone(),
        }
    }

    /// A value of this schema.
    fn value(&self, schema: &Value, value: &Value) -> Value {
        if !value.is_object() && !value.is_array() {
            return value.clone();
        }
        self.keys.write_value(self.root, schema, value).unwrap_or_else(|| value.clone())
    }

    /// A reference, which may pass through renamed properties: `#/properties/size`.
    fn reference(&self, reference: &str) -> String {
        let Some(pointer) = reference.strip_prefix("#/") else { return reference.to_owned() };
        let mut is_name = false;
        let mut is_property = false;
        let segments = pointer.split('/').map(|segment| {
            let decoded = percent_decoded(segment).replace("~1", "/").replace("~0", "~");
            let written = self.keys.written(&decoded).filter(|_| is_property);
            is_property = !is_name && matches!(segment, "properties" | "dependentSchemas" | "dependencies");
            is_name =
                is_property || !is_name && matches!(segment, "$defs" | "definitions" | "patternProperties");
            written.map_or(Cow::Borrowed(segment), |written| Cow::Owned(written.to_owned()))
        });
        format!("#/{}", segments.collect::<Vec<_>>().join("/"))
    }
}

fn push_place(path: &mut String, place: &[&str]) {
    for segment in place {
        path.push('/');
        path.push_str(&segment.replace('~', "~0").replace('/', "~1"));
    }
}

fn change(key: &str, written: &str) -> String {
    let reason = if key.len() > names::MAX_LENGTH && key.is_ascii() {
        "the provider accepts only keys of at most 64 characters"
    } else {
        "the provider accepts only letters, digits, `_`, `.` and `-` in keys"
    };
    format!("sent as `{written}`, since {reason}")
}
