//! The unit variants of an enum, merged into one list of values whose description contains the docs of the variants.

use crate::description::{self, join_sentences};
use crate::json::{object, remove_entry, to_text};
use serde_json::{Map, Value, json};

/// Merges variants with docs. schemars generates a schema for each: `oneOf: [{const: "a", description: ".."}, ..]`.
pub(crate) fn merge_unit_variants(keywords: &mut Map<String, Value>) {
    for alternatives in ["oneOf", "anyOf"] {
        let Some(branches) = keywords.get(alternatives).and_then(Value::as_array) else { continue };
        let Some(kind) = branches.iter().find_map(Variant::from_schema).map(|variant| variant.kind.clone())
        else {
            continue;
        };
        let is_variant =
            |branch: &&Value| Variant::from_schema(branch).is_some_and(|variant| *variant.kind == kind);
        let (variants, others): (Vec<&Value>, Vec<&Value>) = branches.iter().partition(is_variant);
        let variants: Vec<Variant> = variants.into_iter().filter_map(Variant::from_schema).collect();
        let values: Vec<&Value> = variants.iter().flat_map(|variant| variant.values).collect();
        let docs = join_sentences(variants.iter().filter_map(Variant::doc));
        let mut merged = object([("type".to_owned(), kind), ("enum".to_owned(), json!(values))]);
        if others.is_empty() {
            description::append(keywords, &docs);
            remove_entry(keywords, alternatives);
            keywords.extend(merged);
        } else if variants.len() > 1 {
            description::append(&mut merged, &docs);
            let merged: Vec<Value> =
                std::iter::once(Value::Object(merged)).chain(others.into_iter().cloned()).collect();
            keywords.insert(alternatives.to_owned(), merged.into());
        }
    }
}

/// A schema that only lists values of one type.
struct Variant<'a> {
    kind: &'a Value,
    values: &'a [Value],
    description: Option<&'a str>,
}

impl<'a> Variant<'a> {
    fn from_schema(schema: &'a Value) -> Option<Self> {
        let keywords = schema.as_object()?;
        let is_known =
            |keyword: &String| matches!(keyword.as_str(), "type" | "const" | "enum" | "description");
        let kind = keywords.get("type").filter(|kind| kind.is_string())?;
        let values = match (keywords.get("const"), keywords.get("enum")) {
            (Some(constant), None) => std::slice::from_ref(constant),
            (None, Some(Value::Array(values))) => values,
            _ => return None,
        };
        let description = keywords.get("description").and_then(Value::as_str);
        // The description of several values is not the doc of one variant.
        let is_doc = values.len() == 1 || description.is_none();
        (is_doc && keywords.keys().all(is_known)).then_some(Variant { kind, values, description })
    }

    /// `metric: In degrees Celsius.`
    fn doc(&self) -> Option<String> {
        let [value] = self.values else { return None };
        let name = value.as_str().map_or_else(|| to_text(value), str::to_owned);
        let doc = self.description?.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(format!("{name}: {doc}"))
    }
}
