//! The definitions of ten tools in each dialect: the JSON files in this folder are reviewed.
//!
//! `DIALECTS=overwrite cargo test -p tests --test dialects` overwrites them.

mod tools;

use serde_json::Value;
use std::path::PathBuf;
use tool_runtime::registry::BuildErrorKind;
use tool_runtime::schema::Dialect;
use tool_runtime::{Registry, RegistryBuilder};

fn ten() -> RegistryBuilder {
    Registry::builder().tools(tools::ten())
}

fn file(name: &str, dialect: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("dialects").join(format!("{name}.{dialect}.json"))
}

#[test]
fn the_definitions_in_each_dialect_equal_the_reviewed_files() {
    let registry = ten().build().expect("the tools have different names");
    for (dialect, suffix) in [(Dialect::OpenAi, "open_ai"), (Dialect::OpenAiStrict, "open_ai_strict")] {
        let array = registry.schemas_for(dialect).expect("there are tools").get();
        let tools: Vec<Value> = serde_json::from_str(array).expect("an array is JSON");
        assert_eq!(tools.len(), 10);
        for tool in tools {
            let path = file(tool["function"]["name"].as_str().expect("a name"), suffix);
            let written = format!("{}\n", serde_json::to_string_pretty(&tool).expect("JSON"));
            if std::env::var("DIALECTS").as_deref() == Ok("overwrite") {
                std::fs::write(&path, &written).expect("the folder is there");
            }
            let reviewed =
                std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(written, reviewed, "{}; overwrite it with DIALECTS=overwrite", path.display());
        }
    }
}

#[test]
fn the_error_about_a_tool_that_cannot_be_strict_has_paths_and_reasons() {
    let error = ten().dialect(Dialect::OpenAiStrict).build().expect_err("maps and anything");
    let messages: Vec<String> = error.errors().iter().map(ToString::to_string).collect();
    let expected = [
        ("labels", "is a map, whose keys are not fixed"),
        ("ids", "is a map, whose keys are not fixed"),
        ("extra", "takes any value"),
        ("any[]", "takes any value"),
    ];
    assert_eq!(messages.len(), expected.len(), "{messages:#?}");
    for (path, reason) in expected {
        let reason = format!("`g_maps` cannot be strict: `{path}` {reason}; ");
        assert!(
            messages.iter().any(|message| message.starts_with(&reason)),
            "{reason} is not in {messages:#?}"
        );
    }
    assert!(
        error
            .errors()
            .iter()
            .all(|error| matches!(error, BuildErrorKind::NotStrict { tool, .. } if tool == "g_maps"))
    );
    let registry =
        ten().dialect(Dialect::OpenAiStrict).allow_non_strict(true).build().expect("it is allowed");
    let array = registry.schemas_for(Dialect::OpenAiStrict).expect("there are tools").get();
    let tools: Vec<Value> = serde_json::from_str(array).expect("an array is JSON");
    let not_strict = tools.iter().filter(|tool| tool["function"].get("strict").is_none());
    assert_eq!(not_strict.map(|tool| &tool["function"]["name"]).collect::<Vec<_>>(), ["g_maps"]);
}

/// Asserts the rules of strict schemas for a schema and its subschemas.
fn assert_strict(schema: &Value, path: &str) {
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
        properties.iter().for_each(|(name, schema)| assert_strict(schema, &format!("{path}.{name}")));
    }
    if let Some(items) = keywords.get("items") {
        assert_strict(items, &format!("{path}[]"));
    }
    for branch in keywords.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        assert_strict(branch, &format!("{path}|"));
    }
    for (name, schema) in keywords.get("$defs").and_then(Value::as_object).into_iter().flatten() {
        assert_strict(schema, name);
    }
}

#[test]
fn every_strict_schema_follows_the_rules() {
    let registry = ten().build().expect("the tools have different names");
    let array = registry.schemas_for(Dialect::OpenAiStrict).expect("there are tools").get();
    let tools: Vec<Value> = serde_json::from_str(array).expect("an array is JSON");
    let strict: Vec<&Value> = tools.iter().filter(|tool| tool["function"]["strict"] == true).collect();
    assert_eq!(strict.len(), 9);
    for tool in strict {
        assert_strict(&tool["function"]["parameters"], tool["function"]["name"].as_str().expect("a name"));
    }
}

#[test]
fn the_array_is_serialised_once_and_there_is_none_without_tools() {
    let registry = ten().build().expect("the tools have different names");
    let first = registry.schemas_for(Dialect::OpenAi).expect("there are tools");
    assert!(std::ptr::eq(first, registry.schemas_for(Dialect::OpenAi).expect("there are tools")));
    assert_eq!(first.get(), serde_json::to_string(registry.schemas()).expect("it is written"));
    let empty = registry.subset([""; 0]).expect("nothing is missing");
    assert!(
        empty.schemas_for(Dialect::OpenAi).is_none() && empty.schemas_for(Dialect::OpenAiStrict).is_none()
    );
    let one = registry.subset(["g_maps"]).expect("it is there");
    assert!(one.schemas_for(Dialect::OpenAi).is_some_and(|array| !array.get().contains("a_scalars")));
}
