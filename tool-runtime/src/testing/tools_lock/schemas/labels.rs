//! Names for the alternatives of a union.

use super::Schema;
use super::types::names;
use crate::json::{TypeSet, definition_name};
use serde_json::Value;

/// In characters.
const MAX_LABEL: usize = 40;

/// The name of an alternative: its definition or title, the value of its tag, its only required property, or its type. Equal
/// for the old and the new form of the same alternative.
pub(super) fn label(schema: Schema<'_>) -> String {
    let reference = schema.get("$ref").and_then(Value::as_str).and_then(definition_name);
    let title = || schema.description("title").and_then(Value::as_str).map(str::to_owned);
    let name = reference.or_else(title);
    let schema = schema.resolved();
    let name = name.or_else(|| tag(schema)).unwrap_or_else(|| names(schema.types()));
    match name.char_indices().nth(MAX_LABEL) {
        Some((end, _)) => format!("{}..", name.get(..end).unwrap_or_default()),
        None => name,
    }
}

fn tag(schema: Schema<'_>) -> Option<String> {
    if schema.types() != TypeSet::OBJECT {
        return None;
    }
    let properties = schema.object("properties")?;
    let required = || schema.strings("required").filter_map(|name| Some((name, properties.get(name)?)));
    let constant = required().find_map(|(_, property)| property.get("const")?.as_str());
    let mut names = required().map(|(name, _)| name);
    let only = names.next().filter(|_| names.next().is_none());
    constant.or(only).map(str::to_owned)
}
