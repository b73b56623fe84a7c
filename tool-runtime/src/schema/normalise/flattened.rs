//! Enums that are flattened into a struct.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Rewrites flattened enums as serde decodes them. A flattened `Option` of an enum must be one of its variants or absent:
/// serde decodes anything else as `None` and drops the data.
pub(super) fn normalise(keywords: &mut Map<String, Value>) {
    if keywords.get("type").is_none_or(|kind| kind != "object") {
        return;
    }
    let own = keywords.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    // A flattened map may contain the names of the variants' fields.
    let has_other_keys = ["additionalProperties", "unevaluatedProperties", "patternProperties"]
        .iter()
        .any(|keyword| keywords.get(*keyword).is_some_and(|value| *value != Value::Bool(false)));
    let is_free = |name: &String| has_other_keys || own.contains_key(name);
    rewrite(keywords, &is_free);
    // With several flattened enums, each is a part.
    for part in keywords.get_mut("allOf").and_then(Value::as_array_mut).into_iter().flatten() {
        part.as_object_mut().into_iter().for_each(|part| rewrite(part, &is_free));
    }
}

/// `is_free` tells which names may be present without a variant.
fn rewrite(keywords: &mut Map<String, Value>, is_free: &impl Fn(&String) -> bool) {
    let is_option = take_option(keywords);
    for alternatives in ["oneOf", "anyOf"] {
        let Some(variants) = keywords.get_mut(alternatives).and_then(Value::as_array_mut) else { continue };
        variants.iter_mut().for_each(unit_variant);
        if is_option {
            let fields = variants.iter().filter_map(|variant| variant.get("properties")?.as_object());
            let names: BTreeSet<&String> = fields.flat_map(Map::keys).filter(|name| !is_free(name)).collect();
            let absent: Map<String, Value> =
                names.into_iter().map(|name| (name.clone(), false.into())).collect();
            variants.push(json!({ "type": "object", "properties": absent }));
        }
    }
}

/// Takes the last branch of an option's union, which accepts anything: schemars writes `anyOf: [{oneOf: variants}, {}]`,
/// and `anyOf: [variants.., {}]` for an untagged enum.
fn take_option(keywords: &mut Map<String, Value>) -> bool {
    let Some(branches) = keywords.get_mut("anyOf").and_then(Value::as_array_mut) else { return false };
    if branches.last() != Some(&json!({})) {
        return false;
    }
    branches.pop();
    let tagged = match &branches[..] {
        [Value::Object(only)] if only.len() == 1 => only.get("oneOf").cloned(),
        _ => None,
    };
    if let Some(variants) = tagged {
        keywords.remove("anyOf");
        keywords.insert("oneOf".to_owned(), variants);
    }
    true
}

/// Rewrites a unit variant as a key with null. schemars does this only for variants without docs.
fn unit_variant(variant: &mut Value) {
    let Some(name) = variant.get("const").and_then(Value::as_str) else { return };
    let mut object = Map::new();
    object.insert("type".to_owned(), "object".into());
    object.insert("properties".to_owned(), json!({ name: { "type": "null" } }));
    object.insert("required".to_owned(), json!([name]));
    object.extend(variant.get("description").map(|doc| ("description".to_owned(), doc.clone())));
    *variant = object.into();
}
