//! The validation of foreign schemas against the metaschema of JSON Schema 2020-12.

use crate::json::to_text;
use crate::validator::{Budget, Validator};
use serde_json::Value;
use std::sync::OnceLock;
use tool_runtime_schema::conversion::standardise;

/// The schema of arguments with the keywords of JSON Schema 2020-12. It accepts the same values.
pub(super) fn standardise_checked(schema: Value) -> Result<Value, InvalidSchema> {
    let schema = standardise(schema);
    check(&schema).map(|()| schema)
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
