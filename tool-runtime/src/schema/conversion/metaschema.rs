//! The metaschema of JSON Schema 2020-12.

use crate::json::to_text;
use crate::validator::{Budget, Validator};
use serde_json::Value;
use std::sync::OnceLock;

/// The keywords with the types of their values, which <https://json-schema.org/draft/2020-12/schema> has in several documents.
const METASCHEMA: &str = include_str!("metaschema.json");

/// The errors of a schema, each with its place; empty if it is a schema of JSON Schema 2020-12.
pub(super) fn metaschema_errors(schema: &Value) -> Vec<String> {
    static VALIDATOR: OnceLock<Option<Validator>> = OnceLock::new();
    let compile = || Validator::new(&serde_json::from_str(METASCHEMA).ok()?).ok();
    let Some(validator) = VALIDATOR.get_or_init(compile) else { return Vec::new() };
    let text = to_text(schema);
    let errors = validator.errors(validator.root, "", &text, &mut Budget::new(&text));
    errors.iter().map(ToString::to_string).collect()
}
