//! Keywords of older drafts of JSON Schema, and those that generators write almost right, as keywords of 2020-12.
//!
//! Anthropic rejects any other: "JSON schema is invalid. It must match JSON Schema draft 2020-12"
//! (<https://github.com/Dokploy/mcp/issues/74>).

use super::Conversion;
use super::references::referenced_by_root;
use super::root::rejects_nothing;
use crate::json::remove_entry;
use crate::keywords::{take_object, unique};
use serde_json::{Map, Value, json};

type Keywords = Map<String, Value>;

/// Converts every keyword that is not one of JSON Schema 2020-12. The result accepts the same values.
pub fn modernise(conversion: &mut Conversion<'_>) {
    conversion.each_schema(&mut |keywords| {
        let conversions: [fn(&mut Keywords) -> Option<&'static str>; 11] = [
            remove_nulls,
            replace_empty_arrays,
            convert_types,
            convert_required,
            convert_bounds,
            convert_multiple,
            convert_counts,
            convert_items,
            convert_dependencies,
            convert_recursion,
            wrap_examples,
        ];
        let changes = conversions.into_iter().filter_map(|convert| convert(keywords));
        changes.map(str::to_owned).collect()
    });
    replace_root_reference(conversion);
    add_root_type(conversion);
}

/// The root as a schema without a reference, which generators write (`zod-to-json-schema` with a name). Keywords next to the
/// reference may have their own rules: then it is a part of `allOf`.
fn replace_root_reference(conversion: &mut Conversion<'_>) {
    const MAX_REPLACED: usize = 32;
    let mut replaced = 0;
    while let Some(Value::String(reference)) = conversion.root.get("$ref").cloned() {
        let document = Value::Object(conversion.root.clone());
        let Some(Value::Object(target)) = referenced_by_root(&document, &reference) else { return };
        remove_entry(&mut conversion.root, "$ref");
        let is_combinable = |(keyword, value): (&String, &Value)| match keyword.as_str() {
            "type" => target.get("type").is_none_or(|kind| kind == value),
            "components" => true,
            keyword => rejects_nothing(keyword),
        };
        let change = if std::ptr::eq(target, document.as_object().unwrap_or(target)) {
            "is left out, since it refers to its own schema"
        } else if replaced < MAX_REPLACED && conversion.root.iter().all(is_combinable) {
            for (keyword, value) in target {
                conversion.root.entry(keyword.clone()).or_insert_with(|| value.clone());
            }
            replaced += 1;
            "is replaced by its schema, since the parameters must be an object"
        } else {
            let parts = conversion.root.entry("allOf").or_insert_with(|| json!([]));
            parts.as_array_mut().into_iter().for_each(|parts| parts.push(json!({ "$ref": reference })));
            "becomes a part of `allOf`, since other keywords are next to it"
        };
        conversion.report("", format!("the reference `{reference}` {change}"));
    }
}

/// Every provider requires `"type": "object"`. Arguments are always an object.
fn add_root_type(conversion: &mut Conversion<'_>) {
    const OBJECT_KEYWORDS: [&str; 6] =
        ["properties", "required", "anyOf", "oneOf", "allOf", "additionalProperties"];
    let accepts_object = match conversion.root.get("type") {
        None => OBJECT_KEYWORDS.iter().any(|keyword| conversion.root.contains_key(*keyword)),
        Some(Value::Array(types)) => types.iter().any(|kind| kind == "object"),
        Some(_) => false,
    };
    if accepts_object || conversion.root.is_empty() {
        conversion.root.insert("type".to_owned(), "object".into());
        conversion.report("", "the type becomes `object`, which the parameters must have");
    }
}

/// Other values of these keywords are schemas, lists or texts, so null is a missing value.
fn remove_nulls(keywords: &mut Keywords) -> Option<&'static str> {
    let is_missing =
        |keyword: &str, value: &Value| value.is_null() && !matches!(keyword, "default" | "const" | "example");
    let count = keywords.len();
    keywords.retain(|keyword, value| !is_missing(keyword, value));
    (keywords.len() < count).then_some("keywords with the value null are left out")
}

/// PHP writes an empty object as `[]`: <https://github.com/elementor/elementor/issues/37320>.
fn replace_empty_arrays(keywords: &mut Keywords) -> Option<&'static str> {
    const NAMED: [&str; 4] = ["properties", "patternProperties", "$defs", "definitions"];
    const OBJECTS: [&str; 6] =
        ["dependentSchemas", "dependentRequired", "items", "additionalProperties", "not", "contains"];
    let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    let mut is_changed = false;
    for (keyword, value) in keywords.iter_mut() {
        let is_named = NAMED.contains(&keyword.as_str());
        if is_empty(value) && (is_named || OBJECTS.contains(&keyword.as_str())) {
            (*value, is_changed) = (json!({}), true);
        }
        let schemas = value.as_object_mut().filter(|_| is_named).into_iter().flat_map(Map::values_mut);
        for schema in schemas.filter(|schema| is_empty(schema)) {
            (*schema, is_changed) = (json!({}), true);
        }
    }
    is_changed.then_some("`[]` becomes `{}` in the place of a schema")
}

/// Names of types in capital letters, which Gemini's older format has, and `any` of draft 3.
fn convert_types(keywords: &mut Keywords) -> Option<&'static str> {
    const NAMES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];
    let mut is_changed = false;
    let types = match keywords.get_mut("type")? {
        Value::Array(types) => types.as_mut_slice(),
        kind => std::slice::from_mut(kind),
    };
    for kind in types.iter_mut() {
        let Some(name) = kind.as_str() else { continue };
        let lower = name.to_ascii_lowercase();
        if name != lower && NAMES.contains(&&*lower) {
            (*kind, is_changed) = (lower.into(), true);
        }
    }
    if types.iter().any(|kind| kind == "any") {
        is_changed = true;
        remove_entry(keywords, "type");
    } else if let Some(Value::Array(types)) = keywords.get_mut("type") {
        let count = types.len();
        *types = unique(types.drain(..));
        is_changed |= types.len() < count;
    }
    is_changed.then_some("`type` gets the names of JSON Schema, each once")
}

/// Draft 3 had `required: true` in the property; since draft 4, the object lists its required properties.
fn convert_required(keywords: &mut Keywords) -> Option<&'static str> {
    let properties = keywords.get_mut("properties").and_then(Value::as_object_mut);
    let mut found = Vec::new();
    for (name, schema) in properties.into_iter().flatten() {
        let Some(schema) = schema.as_object_mut() else { continue };
        let Some(&Value::Bool(is_required)) = schema.get("required") else { continue };
        remove_entry(schema, "required");
        found.push((name.clone(), is_required));
    }
    // In a schema that is no property, or from a generator. PHP writes an empty list as `{}`.
    let is_flag =
        keywords.get("required").is_some_and(|required| required.is_boolean() || *required == json!({}));
    if is_flag {
        remove_entry(keywords, "required");
    }
    let required = match keywords.get("required") {
        Some(Value::Array(names)) => names.clone(),
        Some(_) => return None,
        None => Vec::new(),
    };
    let added = found.iter().filter(|(_, is_required)| *is_required).map(|(name, _)| json!(name));
    let all = unique(required.iter().cloned().chain(added));
    if found.is_empty() && all.len() == required.len() {
        return is_flag.then_some("`required` is left out, since it is no list of names");
    }
    if all.len() != required.len() || keywords.contains_key("required") {
        keywords.insert("required".to_owned(), all.into());
    }
    Some("`required` becomes a list of different names")
}

/// In draft 4, `exclusiveMinimum: true` makes `minimum` exclusive.
fn convert_bounds(keywords: &mut Keywords) -> Option<&'static str> {
    let mut change = None;
    for (exclusive, inclusive) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        let Some(&Value::Bool(is_exclusive)) = keywords.get(exclusive) else { continue };
        remove_entry(keywords, exclusive);
        let bound = if is_exclusive { remove_entry(keywords, inclusive) } else { None };
        keywords.extend(bound.map(|bound| (exclusive.to_owned(), bound)));
        change = Some("the boolean of an exclusive bound (draft 4) becomes a number");
    }
    change
}

/// A number and its negative have the same multiples.
fn convert_multiple(keywords: &mut Keywords) -> Option<&'static str> {
    let multiple = keywords.get_mut("multipleOf")?;
    let positive = match (multiple.as_i64(), multiple.as_f64()) {
        (Some(number), _) if number < 0 => json!(number.unsigned_abs()),
        (None, Some(number)) if number < 0.0 => json!(-number),
        _ => return None,
    };
    *multiple = positive;
    Some("`multipleOf` becomes positive")
}

/// Engines reject a count such as `10.0`: "maxLength must be an integer".
fn convert_counts(keywords: &mut Keywords) -> Option<&'static str> {
    const COUNTED: [&str; 4] = ["Length", "Items", "Properties", "Contains"];
    let mut is_changed = false;
    for (keyword, value) in keywords {
        let counted = keyword.strip_prefix("min").or_else(|| keyword.strip_prefix("max"));
        let number = value
            .as_f64()
            .filter(|_| value.is_f64() && counted.is_some_and(|counted| COUNTED.contains(&counted)));
        if let Some(count) = number.and_then(|number| number.to_string().parse::<u64>().ok()) {
            (*value, is_changed) = (count.into(), true);
        }
    }
    is_changed.then_some("a count becomes an integer")
}

/// Until draft 7, the list `items` had the schemas of the first items, and `additionalItems` that of the others.
fn convert_items(keywords: &mut Keywords) -> Option<&'static str> {
    let others = remove_entry(keywords, "additionalItems");
    if !keywords.get("items").is_some_and(Value::is_array) {
        // Without a list, it has no meaning.
        return others.map(|_| "`additionalItems` of older drafts is left out");
    }
    let first = remove_entry(keywords, "items")?;
    keywords.insert("prefixItems".to_owned(), first);
    keywords.extend(others.map(|others| ("items".to_owned(), others)));
    Some("a list `items` of older drafts becomes `prefixItems`")
}

/// Until draft 7, `dependencies` had both kinds.
fn convert_dependencies(keywords: &mut Keywords) -> Option<&'static str> {
    if !keywords.get("dependencies").is_some_and(Value::is_object) {
        return None;
    }
    for (name, dependency) in take_object(keywords, "dependencies") {
        let (keyword, dependency) = match dependency {
            // In draft 3, a single name.
            Value::String(other) => ("dependentRequired", json!([other])),
            Value::Array(_) => ("dependentRequired", dependency),
            _ => ("dependentSchemas", dependency),
        };
        let entries = keywords.entry(keyword).or_insert_with(|| json!({}));
        if let Some(entries) = entries.as_object_mut() {
            entries.entry(name).or_insert(dependency);
        }
    }
    Some("`dependencies` of older drafts becomes `dependentRequired` and `dependentSchemas`")
}

/// Draft 2019-09 and later name a recursive schema in another way than engines.
fn convert_recursion(keywords: &mut Keywords) -> Option<&'static str> {
    let is_changed = remove_entry(keywords, "$recursiveAnchor").is_some();
    let references = ["$dynamicRef", "$recursiveRef"].map(|keyword| remove_entry(keywords, keyword));
    let reference = references.into_iter().flatten().next();
    let is_changed = is_changed || reference.is_some();
    if let Some(reference) = reference {
        keywords.entry("$ref").or_insert(reference);
    }
    is_changed.then_some("`$recursiveRef` and `$dynamicRef` become `$ref`")
}

fn wrap_examples(keywords: &mut Keywords) -> Option<&'static str> {
    let examples = keywords.get_mut("examples").filter(|examples| !examples.is_array())?;
    *examples = json!([examples.take()]);
    Some("`examples` becomes a list")
}
