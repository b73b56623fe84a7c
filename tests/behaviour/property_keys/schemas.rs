//! The written names in the definitions, and the arguments that the tools receive.

use super::{received, registry, reported, sent};
use serde::Deserialize;
use serde_json::{Value, json};
use tool_runtime::schemars::{self, JsonSchema};
use tool_runtime::{Registry, tool, tools};

fn keys(schema: &Value) -> Vec<&str> {
    schema["properties"].as_object().expect("properties").keys().map(String::as_str).collect()
}

#[tokio::test]
async fn the_keys_of_the_report_are_sent_and_come_back() {
    let registry = registry(reported());
    let written = sent(&registry);
    let long =
        keys(&written).into_iter().find(|key| key.starts_with("aaaa")).expect("it is written").to_owned();
    assert_eq!(long.len(), 64);
    for key in ["_.alt", "filter_city_", "gr__e", "_id"] {
        assert!(written["properties"][key].is_object(), "{key}: {written}");
    }
    assert_eq!(written["properties"].as_object().map(serde_json::Map::len), Some(5));
    assert_eq!(written["required"], json!(["_.alt"]));
    let arguments =
        json!({ "_.alt": "json", "filter_city_": "Rome", "gr__e": 1, "_id": "x", long: "y", "free": [1] });
    let own = json!({ "$.alt": "json", "filter[city]": "Rome", "größe": 1, "@id": "x", "a".repeat(73): "y", "free": [1] });
    assert_eq!(received(&registry, &arguments).await, own);
    assert_eq!(received(&registry, &own).await, own);
    // A call may have both forms of different keys.
    let mixed = json!({ "$.alt": "json", "filter_city_": "Rome" });
    assert_eq!(received(&registry, &mixed).await, json!({ "$.alt": "json", "filter[city]": "Rome" }));
}

#[test]
fn accepted_definitions_are_unchanged() {
    let parameters = json!({
        "type": "object",
        "properties": { "a.b-c_D9": { "type": "string", "description": "größe: @id" } },
        "required": ["a.b-c_D9"],
        "patternProperties": { "^[äöü]$": { "type": "object", "additionalProperties": true } },
        "$defs": { "größe": { "enum": ["größe", { "größe": 1 }] } },
    });
    assert_eq!(sent(&registry(parameters.clone())), parameters);
}

#[tokio::test]
async fn every_keyword_that_names_a_property_is_rewritten() {
    let parameters = json!({
        "type": "object",
        "properties": {
            "@list": {
                "type": "array",
                "items": { "$ref": "#/$defs/größe" },
                "default": [{ "größe": 1, "frei": { "größe": 2 } }],
            },
            "tuple": { "type": "array", "prefixItems": [{ "$ref": "#/properties/@list/items" }], "items": {} },
            "map": { "type": "object", "additionalProperties": { "$ref": "#/$defs/gr%C3%B6%C3%9Fe" } },
            "union": { "anyOf": [{ "type": "string" }, { "$ref": "#/$defs/größe" }] },
        },
        "dependentRequired": { "@list": ["map", "@list"] },
        "dependentSchemas": { "@list": { "properties": { "zusätzlich": { "type": "string" } } } },
        "dependencies": { "@list": ["map"], "map": { "required": ["zusätzlich"] } },
        "if": { "properties": { "zusätzlich": { "const": "ja" } } },
        "then": { "required": ["@list"] },
        "else": { "properties": { "größe": { "type": "integer" } } },
        "allOf": [{ "required": ["@list"] }],
        "$defs": {
            "größe": {
                "type": "object",
                "properties": {
                    "größe": { "type": "integer" },
                    "frei": { "type": "object" },
                    "tiefer": { "$ref": "#/properties/@list" },
                },
                "propertyNames": { "enum": ["größe", "frei", "tiefer"] },
                "required": ["größe"],
            },
        },
    });
    let registry = registry(parameters);
    let written = sent(&registry);
    // References refer to definitions with names that engines accept.
    let item = json!({ "$ref": "#/$defs/gr__e_f58140da" });
    let list = json!({ "type": "array", "items": item, "default": [{ "gr__e": 1, "frei": { "größe": 2 } }] });
    assert_eq!(
        written,
        json!({
            "type": "object",
            "properties": {
                "_list": list,
                "tuple": { "type": "array", "prefixItems": [{ "$ref": "#/$defs/items" }], "items": {} },
                "map": { "type": "object", "additionalProperties": item },
                "union": { "anyOf": [{ "type": "string" }, item] },
                "gr__e": { "type": "integer" },
            },
            "required": ["_list"],
            "dependentRequired": { "_list": ["map", "_list"] },
            "dependentSchemas": {
                "_list": { "properties": { "zus_tzlich": { "type": "string" } } },
                "map": { "required": ["zus_tzlich"] },
            },
            "if": { "properties": { "zus_tzlich": { "const": "ja" } } },
            "then": { "required": ["_list"] },
            "else": { "properties": { "gr__e": { "type": "integer" } } },
            "$defs": {
                "_list_c0cc77c7": list,
                "items": item,
                "gr__e_f58140da": {
                    "type": "object",
                    "properties": {
                        "gr__e": { "type": "integer" },
                        "frei": { "type": "object" },
                        "tiefer": { "$ref": "#/$defs/_list_c0cc77c7" },
                    },
                    "propertyNames": { "enum": ["gr__e", "frei", "tiefer"] },
                    "required": ["gr__e"],
                },
            },
        }),
    );
    let item = |key: &str| json!({ key: 1, "frei": { "gr__e": 2 }, "tiefer": [{ key: 3 }] });
    let arguments = |list: &str, size: &str, more: &str| {
        json!({
            list: [item(size)],
            "tuple": [item(size), { "gr__e": 4 }],
            "map": { "gr__e": item(size), "_list": item(size) },
            "union": item(size),
            more: "ja",
            size: 5,
        })
    };
    let own = arguments("@list", "größe", "zusätzlich");
    assert_eq!(received(&registry, &arguments("_list", "gr__e", "zus_tzlich")).await, own);
    assert_eq!(received(&registry, &own).await, own);
}

#[tokio::test]
async fn names_that_would_become_equal_get_a_fingerprint() {
    let parameters = json!({
        "type": "object",
        "properties": {
            "a b": { "type": "integer" },
            "a/b": { "type": "integer" },
            "ä": { "type": "object", "properties": { "_": { "type": "integer" }, "c d": { "type": "integer" } } },
            "": { "type": "integer" },
        },
        "required": ["c_d"],
    });
    let registry = registry(parameters);
    // The names depend on the definition alone, so that another process writes them too.
    let [space, slash, umlaut, empty, nested] =
        ["a_b_04833892", "a_b_0468cf61", "__b7181582", "_84222325", "c_d_0d9a6176"];
    let written = sent(&registry);
    let mut names = keys(&written);
    names.sort_unstable();
    assert_eq!(names, [empty, umlaut, slash, space]);
    let arguments = json!({ space: 1, slash: 2, "c_d": 3, umlaut: { "_": 4, nested: 5 }, empty: 6 });
    let own = json!({ "a b": 1, "a/b": 2, "c_d": 3, "ä": { "_": 4, "c d": 5 }, "": 6 });
    assert_eq!(received(&registry, &arguments).await, own);
    assert_eq!(written["required"], json!(["c_d"]));
}

#[tokio::test]
async fn free_keys_of_maps_stay() {
    let parameters = json!({
        "type": "object",
        "properties": {
            "größe": { "type": "integer" },
            "labels": { "type": "object", "additionalProperties": { "type": "string" } },
            "headers": { "type": "object", "patternProperties": { "^gr": { "type": "string" } } },
            "either": {
                "oneOf": [
                    { "properties": { "kind": { "const": "map" } }, "additionalProperties": { "type": "string" } },
                    { "properties": { "kind": { "const": "size" }, "größe": { "type": "integer" } }, "required": ["kind"] },
                ],
            },
        },
    });
    let registry = registry(parameters);
    let maps = json!({ "gr__e": "a", "größe": "b" });
    let own =
        json!({ "größe": 1, "labels": maps, "headers": maps, "either": { "kind": "map", "gr__e": "c" } });
    let mut written = own.clone();
    let size = written.as_object_mut().and_then(|all| all.remove("größe")).expect("it is there");
    written["gr__e"] = size;
    assert_eq!(received(&registry, &written).await, own);
    assert_eq!(received(&registry, &own).await, own);
    let size = json!({ "either": { "gr__e": 1, "kind": "size" } });
    assert_eq!(received(&registry, &size).await, json!({ "either": { "größe": 1, "kind": "size" } }));
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Item {
    #[serde(rename = "größe")]
    size: u8,
    #[serde(rename = "@next", default)]
    next: Option<Box<Item>>,
}

/// Orders.
#[tool]
fn order(#[arg(name = "größe")] size: u8, items: Vec<Item>) -> String {
    let mut sizes = vec![size];
    let mut rest: Vec<Item> = items;
    while let Some(Item { size, next }) = rest.pop() {
        sizes.push(size);
        rest.extend(next.map(|next| *next));
    }
    format!("{sizes:?}")
}

#[tokio::test]
async fn functions_have_written_names_too() {
    let registry = Registry::new(tools![order]).expect("one tool");
    let written = sent(&registry);
    assert_eq!(written["required"], json!(["gr__e", "items"]));
    let call = |size: &str, next: &str| {
        let arguments = json!({ size: 1, "items": [{ size: 2, next: { size: 3 } }] });
        tool_runtime::ToolCall::new("call_1", "order", arguments.to_string())
    };
    let messages = registry.dispatch(&[call("gr__e", "_next"), call("größe", "@next")]).await;
    assert_eq!(messages[0].text(), "[1, 2, 3]");
    assert_eq!(messages[0].text(), messages[1].text());
}
