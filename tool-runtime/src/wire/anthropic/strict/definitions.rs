//! The definitions of a schema in one place, without recursion.

use crate::json::definition_name;
use crate::schema::NotStrict;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use tool_runtime_schema::keywords::{each_subschema, take_object};

/// Moves the `definitions` of older drafts to `$defs`, since the client does not read them. Returns an error for each
/// recursive definition: the server rejects it.
pub(super) fn gather(root: &mut Map<String, Value>) -> Vec<NotStrict> {
    let mut errors = Vec::new();
    let mut definitions = take_object(root, "$defs");
    for (name, definition) in take_object(root, "definitions") {
        if definitions.get(&name).is_some_and(|known| *known != definition) {
            errors.push(NotStrict::new(&name, "is defined twice, in `$defs` and in `definitions`"));
        }
        definitions.entry(name).or_insert(definition);
    }
    each_subschema(root, &mut |subschema| rename(subschema, &mut Vec::new()));
    let mut references = BTreeMap::new();
    for (name, definition) in &mut definitions {
        let mut found = Vec::new();
        rename(definition, &mut found);
        references.insert(name.clone(), found);
    }
    errors.extend(recursive(&references).into_iter().map(|name| NotStrict::new(name, "is recursive")));
    if !definitions.is_empty() {
        root.insert("$defs".to_owned(), definitions.into());
    }
    errors
}

/// Changes each reference to the new place of its definition, and collects the names.
fn rename(schema: &mut Value, found: &mut Vec<String>) {
    let Value::Object(keywords) = schema else { return };
    if let Some(Value::String(reference)) = keywords.get_mut("$ref") {
        if let Some(name) = reference.strip_prefix("#/definitions/") {
            *reference = format!("#/$defs/{name}");
        }
        found.extend(definition_name(reference));
    }
    each_subschema(keywords, &mut |subschema| rename(subschema, found));
}

/// The definitions that a search finds inside themselves; at least one of each cycle. Without recursion, since a chain of
/// references may be long.
fn recursive(references: &BTreeMap<String, Vec<String>>) -> BTreeSet<&str> {
    let mut recursive = BTreeSet::new();
    // Whether the search has left a definition.
    let mut left: BTreeMap<&str, bool> = BTreeMap::new();
    for start in references.keys() {
        let mut path = vec![(start.as_str(), true)];
        while let Some((name, is_entered)) = path.pop() {
            match left.get(name) {
                _ if !is_entered => drop(left.insert(name, true)),
                Some(true) => {}
                Some(false) => drop(recursive.insert(name)),
                None => {
                    left.insert(name, false);
                    path.push((name, false));
                    path.extend(references.get(name).into_iter().flatten().map(|next| (next.as_str(), true)));
                }
            }
        }
    }
    recursive
}
