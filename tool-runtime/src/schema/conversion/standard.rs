//! Foreign schemas with the keywords of JSON Schema 2020-12, which the validator reads.

use super::Conversion;
use super::drafts::modernise;
use super::references::{Reader, resolve};
use crate::json::to_text;
use crate::schema::keywords::visit_schemas;
use crate::validator::{Budget, Validator};
use serde_json::{Map, Value, json};
use std::sync::OnceLock;

/// The schema of arguments with the keywords of JSON Schema 2020-12. It accepts the same values.
pub(in crate::schema) fn standardise_checked(schema: Value) -> Result<Value, InvalidSchema> {
    let schema = standardise(schema);
    check(&schema).map(|()| schema)
}

/// A schema with the keywords of JSON Schema 2020-12, which may not be valid.
pub(in crate::schema) fn standardise(schema: Value) -> Value {
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

pub(super) fn check(schema: &Value) -> Result<(), InvalidSchema> {
    if schema.get("type").is_none_or(|kind| kind != "object") {
        return Err(InvalidSchema::NotAnObject);
    }
    let errors = metaschema_errors(schema);
    if errors.is_empty() { Ok(()) } else { Err(InvalidSchema::Keywords(errors)) }
}

impl InvalidSchema {
    pub(super) fn reason(&self) -> String {
        let InvalidSchema::Keywords(errors) = self else {
            return "its parameters are not the JSON Schema of an object".to_owned();
        };
        format!("its parameters are not a JSON Schema: {}", errors.join("; "))
    }
}

/// The keywords with the types of their values, which <https://json-schema.org/draft/2020-12/schema> has in several documents.
const METASCHEMA: &str = include_str!("metaschema.json");

/// The errors of a schema, each with its place; empty if it is a schema of JSON Schema 2020-12.
fn metaschema_errors(schema: &Value) -> Vec<String> {
    static VALIDATOR: OnceLock<Option<Validator>> = OnceLock::new();
    let compile = || Validator::new(&serde_json::from_str(METASCHEMA).ok()?).ok();
    let Some(validator) = VALIDATOR.get_or_init(compile) else { return Vec::new() };
    let text = to_text(schema);
    let errors = validator.errors(validator.root, "", &text, &mut Budget::new(&text));
    errors.iter().map(ToString::to_string).collect()
}
