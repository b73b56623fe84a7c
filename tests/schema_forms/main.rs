//! The definitions of ten tools, and their parameters in each strict form: the JSON files in this folder are reviewed.
//! A file of a tool without a strict form has the reasons.
//!
//! `FORMS=overwrite cargo test -p tests --test schema_forms` overwrites them.

mod tools;

use serde_json::{Value, json};
use std::path::PathBuf;
use tool_runtime::schema::NotStrict;
use tool_runtime::{Registry, ToolSchema};

fn ten() -> Registry {
    Registry::new(tools::ten()).expect("the tools have different names")
}

fn reasons(not_strict: &[NotStrict]) -> Value {
    not_strict.iter().map(ToString::to_string).collect()
}

/// The definition of a tool in each form, with the suffix of its file.
fn forms(schema: &ToolSchema) -> [(&'static str, Value); 3] {
    let openai = match schema.openai_strict() {
        Ok(parameters) => json!(parameters),
        Err(not_strict) => reasons(not_strict),
    };
    let anthropic = match schema.anthropic_strict() {
        Ok(form) => {
            json!({"parameters": form.parameters, "optional": form.optional, "unions": form.unions})
        }
        Err(not_strict) => reasons(not_strict),
    };
    [("default", json!(schema)), ("openai", openai), ("anthropic", anthropic)]
}

#[test]
fn the_definitions_in_each_form_equal_the_reviewed_files() {
    let registry = ten();
    assert_eq!(registry.names().len(), 10);
    for schema in registry.schemas() {
        for (suffix, form) in forms(schema) {
            let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("schema_forms");
            let path = folder.join(format!("{}.{suffix}.json", schema.name()));
            let written = format!("{}\n", serde_json::to_string_pretty(&form).expect("JSON"));
            if std::env::var("FORMS").as_deref() == Ok("overwrite") {
                std::fs::write(&path, &written).expect("the folder is there");
            }
            let reviewed =
                std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(written, reviewed, "{}; overwrite it with FORMS=overwrite", path.display());
        }
    }
}

/// Asserts OpenAI's rules for a schema and its subschemas.
fn assert_openai_strict(schema: &Value, path: &str) {
    let Some(keywords) = schema.as_object() else { panic!("{path} is not a schema: {schema}") };
    for rejected in [
        "oneOf",
        "allOf",
        "not",
        "default",
        "title",
        "$schema",
        "uniqueItems",
        "minLength",
        "maxLength",
        "prefixItems",
        "patternProperties",
        "minProperties",
        "maxProperties",
        "propertyNames",
        "examples",
    ] {
        assert!(!keywords.contains_key(rejected), "`{rejected}` at {path}");
    }
    if keywords.contains_key("$ref") {
        assert_eq!(keywords.len(), 1, "siblings of `$ref` at {path}: {schema}");
    }
    if let Some(properties) = keywords.get("properties").and_then(Value::as_object) {
        assert_eq!(keywords["additionalProperties"], false, "{path}");
        let mut required: Vec<&str> =
            keywords["required"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        required.sort_unstable();
        let mut names: Vec<&str> = properties.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(required, names, "{path}");
        properties.iter().for_each(|(name, schema)| assert_openai_strict(schema, &format!("{path}.{name}")));
    }
    if let Some(items) = keywords.get("items") {
        assert_openai_strict(items, &format!("{path}[]"));
    }
    for branch in keywords.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        assert_openai_strict(branch, &format!("{path}|"));
    }
    for (name, schema) in keywords.get("$defs").and_then(Value::as_object).into_iter().flatten() {
        assert_openai_strict(schema, name);
    }
}

#[test]
fn every_openai_form_follows_the_rules() {
    let registry = ten();
    let forms: Vec<(&str, Value)> = registry
        .schemas()
        .iter()
        .filter_map(|schema| Some((schema.name(), json!(schema.openai_strict().ok()?))))
        .collect();
    assert_eq!(forms.len(), 9);
    for (name, form) in &forms {
        assert_openai_strict(form, name);
    }
}

/// Asserts Anthropic's rules for a schema and its subschemas, and returns the number of optional properties and of
/// unions.
fn assert_anthropic_strict(schema: &Value, path: &str) -> [usize; 2] {
    let Some(keywords) = schema.as_object() else { panic!("{path} is not a schema: {schema}") };
    let accepted: &[&str] = match keywords.get("type").map(|kind| kind.as_str().expect("one type")) {
        None => &["anyOf", "$ref", "enum", "const", "description"],
        Some("object") => &["type", "properties", "required", "additionalProperties", "$defs", "description"],
        Some("array") => &["type", "items", "minItems", "description"],
        Some("string") => &["type", "format", "description"],
        Some(_) => &["type", "description"],
    };
    for keyword in keywords.keys() {
        assert!(accepted.contains(&keyword.as_str()), "`{keyword}` at {path}: {schema}");
    }
    if keywords.contains_key("$ref") {
        assert_eq!(keywords.len(), 1, "siblings of `$ref` at {path}: {schema}");
    }
    let mut counts = [0, usize::from(keywords.contains_key("anyOf"))];
    let properties = keywords.get("properties").and_then(Value::as_object);
    if let Some(properties) = properties {
        assert_eq!(keywords["additionalProperties"], false, "{path}");
        counts[0] += properties.len()
            - keywords.get("required").map_or(0, |names| names.as_array().expect("a list").len());
    }
    let definitions = keywords.get("$defs").and_then(Value::as_object);
    let branches = keywords.get("anyOf").and_then(Value::as_array);
    let parts = properties.into_iter().chain(definitions).flatten().map(|(_, schema)| schema);
    for part in parts.chain(branches.into_iter().flatten()).chain(keywords.get("items")) {
        let inner = assert_anthropic_strict(part, path);
        counts = [counts[0] + inner[0], counts[1] + inner[1]];
    }
    counts
}

#[test]
fn every_anthropic_form_follows_the_rules() {
    let registry = ten();
    let mut number = 0;
    for schema in registry.schemas() {
        let Ok(form) = schema.anthropic_strict() else { continue };
        let parameters = json!(form.parameters);
        assert_eq!(parameters["type"], "object");
        assert_eq!(assert_anthropic_strict(&parameters, schema.name()), [form.optional, form.unions]);
        number += 1;
    }
    assert_eq!(number, 8);
}

#[test]
fn a_tool_without_a_strict_form_has_every_reason() {
    let registry = ten();
    let maps = registry.tool("g_maps").expect("it is there").schema;
    let mut expected = [
        "`labels` is a map, whose keys are not fixed",
        "`ids` is a map, whose keys are not fixed",
        "`extra` takes any value",
        "`any[]` takes any value",
    ];
    expected.sort_unstable();
    for not_strict in [maps.openai_strict().map(|_| ()), maps.anthropic_strict().map(|_| ())] {
        let not_strict = not_strict.expect_err("maps and anything");
        let mut messages: Vec<String> = not_strict.iter().map(ToString::to_string).collect();
        messages.sort_unstable();
        assert_eq!(messages, expected);
        assert!(not_strict.iter().any(|reason| reason.path == "any[]" && reason.reason == "takes any value"));
    }
    let recursive = registry.tool("f_recursive").expect("it is there").schema;
    assert!(recursive.openai_strict().is_ok(), "OpenAI accepts recursive schemas");
    assert_eq!(
        reasons(recursive.anthropic_strict().expect_err("it is recursive")),
        json!(["`Tree` is recursive"])
    );
}

#[test]
fn clones_and_subsets_share_the_forms() {
    let registry = ten();
    let one = registry.subset(["a_scalars"]).expect("it is there");
    let (all, clone) = (registry.tool("a_scalars").expect("it is there").schema, one.schemas()[0].clone());
    let [first, second] = [all, &clone].map(|schema| schema.openai_strict().expect("it is strict"));
    assert!(std::ptr::eq(first, second));
    let [first, second] = [all, &clone].map(|schema| schema.anthropic_strict().expect("it is strict"));
    assert!(std::ptr::eq(first, second));
}
