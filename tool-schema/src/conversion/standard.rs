//! Foreign schemas with the keywords of JSON Schema 2020-12.

use super::Conversion;
use super::drafts::modernise;
use super::references::{Reader, resolve};
use crate::keywords::visit_schemas;
use serde_json::{Map, Value, json};

/// A schema with the keywords of JSON Schema 2020-12, which may not be valid. It accepts the same values.
#[must_use]
pub fn standardise(schema: Value) -> Value {
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
