//! Unions as `anyOf` without keywords next to it, which llama.cpp and xgrammar ignore. The schema of a struct with a flattened enum
//! has them.

use crate::description;
use crate::json::{object, remove_entry};
use crate::keywords::{MAX_COPIED_VALUES, count_values, unique};
use serde_json::{Map, Value, json};

/// Merging several unions multiplies their branches. The unions of an object that would get more branches are not
/// merged.
const MAX_BRANCHES: usize = 64;

/// Replaces `oneOf`, which llguidance rejects, with `anyOf`. A value can match two branches only if they are variants
/// of a flattened enum, and the tool rejects such a value.
pub(crate) fn replace_one_of(keywords: &mut Map<String, Value>) {
    let Some(branches) = remove_entry(keywords, "oneOf") else { return };
    match (keywords.contains_key("anyOf"), keywords.get_mut("allOf").and_then(Value::as_array_mut)) {
        (false, _) => drop(keywords.insert("anyOf".to_owned(), branches)),
        (true, Some(parts)) => parts.push(json!({ "anyOf": branches })),
        (true, None) => drop(keywords.insert("allOf".to_owned(), json!([{ "anyOf": branches }]))),
    }
}

/// Merges the keywords next to a union into each of its branches, if the result is equivalent. The unions in its
/// subschemas must be merged before: a schema that has become large is not copied again.
pub(crate) fn distribute(keywords: &mut Map<String, Value>) {
    let mut rest = keywords.clone();
    let mut unions: Vec<Vec<Value>> =
        remove_entry(&mut rest, "anyOf").and_then(branches).into_iter().collect();
    // Several flattened enums.
    for part in remove_entry(&mut rest, "allOf").as_ref().and_then(Value::as_array).into_iter().flatten() {
        match part.as_object().filter(|part| part.len() == 1).and_then(|part| part.get("anyOf")) {
            Some(union) => unions.extend(branches(union.clone())),
            None => return,
        }
    }
    let (annotations, shared): (Map<_, _>, Map<_, _>) =
        rest.into_iter().partition(|(keyword, _)| is_annotation(keyword));
    let merged = match &mut unions[..] {
        [] => return,
        [only] if shared.is_empty() => std::mem::take(only),
        _ => match merge_all(shared, unions) {
            Some(merged) => merged,
            None => return,
        },
    };
    *keywords = annotations;
    keywords.insert("anyOf".to_owned(), merged.into());
}

/// Merges the parts of `allOf` into the schema, if the result is equivalent.
pub(crate) fn merge_all_of(keywords: &mut Map<String, Value>) {
    let Some(Value::Array(parts)) = remove_entry(keywords, "allOf") else { return };
    let is_annotated = keywords.keys().all(|keyword| is_annotation(keyword));
    let merged = match &parts[..] {
        // The only part may be a reference, next to which a schema has a description.
        [Value::Object(only)] if is_annotated => {
            Some(object(only.clone().into_iter().chain(std::mem::take(keywords))))
        }
        parts => parts.iter().try_fold(keywords.clone(), |merged, part| merge(&merged, part.as_object()?)),
    };
    match merged {
        Some(merged) => *keywords = merged,
        None => drop(keywords.insert("allOf".to_owned(), parts.into())),
    }
}

fn is_annotation(keyword: &str) -> bool {
    matches!(keyword, "title" | "description" | "default" | "examples")
}

/// The branches of a union. A branch that is a union itself is replaced with its branches.
fn branches(union: Value) -> Option<Vec<Value>> {
    let Value::Array(branches) = union else { return None };
    let flat = branches.into_iter().flat_map(|branch| match branch {
        Value::Object(mut inner) if inner.len() == 1 && inner.contains_key("anyOf") => {
            remove_entry(&mut inner, "anyOf").and_then(self::branches).unwrap_or_default()
        }
        branch => vec![branch],
    });
    Some(flat.collect())
}

/// Each combination of one branch per union, with the shared keywords.
fn merge_all(mut shared: Map<String, Value>, unions: Vec<Vec<Value>>) -> Option<Vec<Value>> {
    // It applies to the keys that neither the struct nor the branch names. In a merged branch, `additionalProperties`
    // applies to the same keys.
    let other_keys = remove_entry(&mut shared, "unevaluatedProperties");
    let count = unions.iter().map(Vec::len).fold(1, usize::saturating_mul);
    // The branches of a single union are not copied.
    let copied_branches = unions.iter().flatten().filter(|_| unions.len() > 1);
    let copied = count_values(shared.values().chain(copied_branches)).saturating_mul(count);
    if (unions.len() > 1 && count > MAX_BRANCHES) || copied > MAX_COPIED_VALUES {
        return None;
    }
    let mut merged = vec![shared];
    for branches in unions {
        let pairs = merged.iter().flat_map(|object| branches.iter().map(move |branch| (object, branch)));
        merged = pairs.map(|(object, branch)| merge(object, branch.as_object()?)).collect::<Option<_>>()?;
    }
    for object in &mut merged {
        if let Some(other_keys) = &other_keys {
            object.entry("additionalProperties").or_insert_with(|| other_keys.clone());
        }
    }
    Some(merged.into_iter().map(Value::Object).collect())
}

/// The conjunction of two schemas of objects; `None` if the union of their keywords is not equivalent.
fn merge(a: &Map<String, Value>, b: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mut merged = a.clone();
    for (keyword, value) in b {
        match (keyword.as_str(), merged.get_mut(keyword)) {
            (_, Some(known)) if known == value => {}
            ("properties", Some(Value::Object(properties))) => {
                for (name, schema) in value.as_object()? {
                    if properties.get(name).is_some_and(|known| known != schema) {
                        return None;
                    }
                    properties.insert(name.clone(), schema.clone());
                }
            }
            ("required", Some(Value::Array(required))) => {
                let both = unique(required.iter().chain(value.as_array()?));
                *required = both.into_iter().cloned().collect();
            }
            ("description", Some(Value::String(known))) => {
                *known = description::join_sentences([&**known, value.as_str()?].into_iter());
            }
            (keyword, None) if is_independent(keyword) => {
                merged.insert(keyword.to_owned(), value.clone());
            }
            _ => return None,
        }
    }
    let has_same_keys = |object: &Map<String, Value>| {
        object.get("properties").map(|properties| properties.as_object().map(Map::len))
            == merged.get("properties").map(|properties| properties.as_object().map(Map::len))
    };
    // These keywords apply to the keys that `properties` next to them does not name.
    let limits_other_keys = |object: &Map<String, Value>| {
        object.contains_key("additionalProperties") || object.contains_key("patternProperties")
    };
    let is_exact = [a, b].iter().all(|object| !limits_other_keys(object) || has_same_keys(object));
    is_exact.then_some(merged)
}

/// Whether a keyword does not depend on the keywords next to it, apart from those that [`merge`] handles.
fn is_independent(keyword: &str) -> bool {
    const DEPENDENT: [&[&str]; 4] = [
        &["$ref", "anyOf", "oneOf", "allOf", "if", "then", "else"],
        &["prefixItems", "items", "additionalItems"],
        &["contains", "minContains", "maxContains"],
        &["unevaluatedItems", "unevaluatedProperties"],
    ];
    !DEPENDENT.iter().any(|keywords| keywords.contains(&keyword))
}
