//! Published schemas in the forms that grammar engines compile. `tests/engines` compiles them with the engines.

#![allow(dead_code, reason = "fields are only printed")]

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use tool_runtime::registry::{BuildErrorKind, ToolList};
use tool_runtime::{DynamicTool, Registry, tool, tools};

pub(crate) fn parameters(tools: ToolList) -> Value {
    let registry = Registry::new(tools).expect("one tool");
    serde_json::from_str(registry.schemas()[0].parameters().get()).expect("JSON")
}

pub(crate) fn strict_parameters(tools: ToolList) -> Value {
    let registry = Registry::new(tools).expect("one tool");
    let strict = registry.schemas()[0].openai_strict().expect("the tool has a strict form");
    serde_json::from_str(strict.get()).expect("JSON")
}

pub(crate) async fn error(tools: ToolList, tool: &str, arguments: Value) -> String {
    let registry = Registry::new(tools).expect("one tool");
    registry
        .call(tool, &arguments.to_string())
        .await
        .into_result()
        .expect_err("invalid arguments")
        .to_string()
}

/// Takes numbers.
#[tool]
fn numbers(
    unsigned: u64,
    option: Option<i128>,
    list: Vec<u128>,
    float: f32,
    exact: i32,
    not_zero: std::num::NonZeroI16,
    #[arg(schema(minimum = 5, maximum = 9))] positive: std::num::NonZeroI64,
) {
    let _ = (unsigned, option, list, float, exact, not_zero, positive);
}

#[test]
fn no_number_has_a_bound_only_because_of_its_type() {
    assert_eq!(
        parameters(tools![numbers])["properties"],
        json!({
            "unsigned": {"type": "integer", "minimum": 0},
            "option": {"type": ["integer", "null"]},
            "list": {"type": "array", "items": {"type": "integer", "minimum": 0}},
            "float": {"type": "number"},
            "exact": {"type": "integer"},
            "not_zero": {"anyOf": [
                {"type": "integer", "maximum": -1},
                {"type": "integer", "minimum": 1},
            ]},
            "positive": {"anyOf": [{"type": "integer", "minimum": 5, "maximum": 9}]},
        })
    );
}

/// Moves.
#[tool]
fn go(
    /// Where to.
    to: (String, f64, Option<u8>),
    pair: (u8, u8),
) {
    drop((to, pair));
}

#[test]
fn the_description_of_a_tuple_lists_its_items_in_order() {
    let kinds = json!([{"type": "string"}, {"type": "number"}, {"type": ["integer", "null"], "minimum": 0}]);
    let strict = json!({
        "type": "array", "items": {"anyOf": kinds}, "minItems": 3, "maxItems": 3,
        "description": "Where to. Items in order: string, number, integer or null.",
    });
    let mut default = strict.clone();
    default["prefixItems"] = kinds;
    assert_eq!(parameters(tools![go])["properties"]["to"], default);
    assert_eq!(strict_parameters(tools![go])["properties"]["to"], strict);
    let pair = &parameters(tools![go])["properties"]["pair"];
    let items = json!({"type": "integer", "minimum": 0});
    assert_eq!(*pair, json!({"type": "array", "items": items, "minItems": 2, "maxItems": 2}));
}

/// How it is sorted.
#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Field {
    /// By name.
    Name,
    /// By size.
    Size,
    LastChange,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Sorting {
    by: Vec<BTreeMap<Field, bool>>,
}

/// Sorts.
#[tool]
fn sort(weights: HashMap<Field, u8>, sorting: Option<Sorting>, labels: HashMap<String, Plain>) -> String {
    format!("{weights:?} {sorting:?} {labels:?}")
}

#[derive(Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
enum Plain {
    A,
    B,
}

/// One name has a backtick, which serde's error does not escape.
#[derive(Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
enum Quoted {
    /// Has a doc.
    #[serde(rename = "the `size`")]
    Size,
    B,
}

/// Ranks.
#[tool]
fn rank(fields: HashMap<Field, u8>) -> String {
    format!("{fields:?}")
}

/// Weighs.
#[tool]
fn weigh(weights: HashMap<Plain, u8>, quoted: HashMap<Quoted, u8>) -> String {
    format!("{weights:?} {quoted:?}")
}

#[tokio::test]
async fn a_map_keyed_by_an_enum_names_its_keys() {
    let closed = |schema: Value, names: &[&str]| {
        let properties: Value = names.iter().map(|name| ((*name).to_owned(), schema.clone())).collect();
        json!({"type": "object", "properties": properties, "additionalProperties": false})
    };
    let weight = json!({"type": "integer", "minimum": 0});
    let fields = ["name", "size", "last_change"];
    let schema = &parameters(tools![sort])["properties"];
    assert_eq!(schema["weights"], closed(weight.clone(), &fields));
    assert_eq!(schema["sorting"]["properties"]["by"]["items"], closed(json!({"type": "boolean"}), &fields));
    assert_eq!(schema["labels"]["additionalProperties"], json!({"type": "string", "enum": ["A", "B"]}));
    let strict = strict_parameters(tools![rank])["properties"]["fields"].clone();
    assert_eq!(strict["required"], json!(fields), "the keys have the order of the variants");
    let schema = &parameters(tools![weigh])["properties"];
    assert_eq!(schema["weights"], closed(weight.clone(), &["A", "B"]));
    assert_eq!(schema["quoted"]["additionalProperties"], weight);
    assert_eq!(
        error(tools![sort], "sort", json!({"weights": {"sizes": 1}, "labels": {}})).await,
        "invalid arguments for `sort`: `weights.sizes` is not an argument. Call it again, but rename \
         `weights.sizes` to `size`."
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Pointer {
    #[serde(rename = "$ref")]
    reference: String,
}

/// Follows a reference.
#[tool]
fn follow(pointer: Option<Pointer>) -> String {
    format!("{pointer:?}")
}

#[test]
fn a_property_named_ref_is_a_build_error() {
    let error = Registry::new(tools![follow]).expect_err("engines reject it");
    assert!(matches!(error.errors(), [BuildErrorKind::PropertyNamedRef { tool, .. }] if tool == "follow"));
    assert!(
        error.to_string().contains("a property in the parameters of `follow` is named `$ref`"),
        "{error}"
    );
    assert!(error.to_string().contains("rename it, with `#[serde(rename = \"..\")]`"), "{error}");
    // `$ref` in a description or as a keyword is not an error.
    let parameters = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A", "description": "has {\"$ref\": 1}"}},
        "$defs": {"A": {"type": "string"}},
    });
    let tool = DynamicTool::new("refer", "", parameters, |_| async { Ok::<_, String>(()) });
    assert!(Registry::builder().dynamic(tool).build().is_ok());
}

/// Weighs everything.
#[tool]
fn weigh_all(
    in_maps: BTreeMap<Field, BTreeMap<Field, u8>>,
    by_number: BTreeMap<u32, Vec<BTreeMap<Field, bool>>>,
) -> String {
    format!("{in_maps:?} {by_number:?}")
}

#[test]
fn nested_maps_keyed_by_an_enum_name_their_keys() {
    let schema = &parameters(tools![weigh_all])["properties"];
    let inner = &schema["in_maps"]["properties"]["size"];
    assert_eq!(inner["additionalProperties"], false, "{schema}");
    assert_eq!(inner["properties"].as_object().map(serde_json::Map::len), Some(3));
    let (_, by_number) =
        schema["by_number"]["patternProperties"].as_object().and_then(|all| all.iter().next()).expect("one");
    assert_eq!(by_number["items"]["additionalProperties"], false, "{schema}");
}

/// A decoder that panics at a key that it does not expect.
#[derive(Debug, Deserialize)]
#[serde(from = "BTreeMap<String, u8>")]
struct Numbered(Vec<u8>);

impl From<BTreeMap<String, u8>> for Numbered {
    fn from(map: BTreeMap<String, u8>) -> Self {
        Numbered(map.into_keys().map(|key| key.parse().expect("a number")).collect())
    }
}

impl JsonSchema for Numbered {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Numbered".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "object", "additionalProperties": {}})
    }
}

/// A type whose decoder recurses without end if a key is wrong.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Wrapped {
    Map(BTreeMap<String, i32>),
    Wrapped(Box<Wrapped>),
}

/// Takes types with unusual decoders.
#[tool]
fn decode(numbered: Numbered, wrapped: Wrapped) -> String {
    format!("{numbered:?} {wrapped:?}")
}

#[tokio::test]
async fn building_a_registry_survives_decoders_that_panic_or_recurse() {
    let registry = Registry::new(tools![decode]).expect("one tool");
    let result = registry.call("decode", r#"{"numbered":{"1":1},"wrapped":{"a":1}}"#).await;
    assert_eq!(result.text(), r#"Numbered([1]) Map({"a": 1})"#);
}

#[test]
fn nested_unions_and_tuples_do_not_grow_without_end() {
    let mut tuple = json!({"type": "string"});
    let mut union = json!({"type": "string"});
    let mut unions = json!({"type": "string"});
    for _ in 0..40 {
        tuple = json!({"type": "array", "prefixItems": [tuple, {"type": "integer"}], "items": false});
        let branch = |name: &str| json!({"type": "object", "properties": {name: {}}, "required": [name]});
        union = json!({
            "type": "object", "properties": {"a": union}, "anyOf": [branch("b"), branch("c"), branch("d")],
        });
    }
    for _ in 0..20 {
        let branch = |name: &str| json!({"type": "object", "properties": {name: unions}, "required": [name]});
        unions = json!({
            "type": "object",
            "allOf": [{"anyOf": [branch("a"), {"type": "object"}]}, {"anyOf": [{"required": ["b"]}, {"required": ["c"]}]}],
        });
    }
    let properties = json!({"tuple": tuple, "union": union, "unions": unions});
    let parameters = json!({"type": "object", "properties": properties});
    let tool = DynamicTool::new("deep", "", parameters, |_| async { Ok::<_, String>(()) });
    let registry = Registry::builder().dynamic(tool).build().expect("one tool");
    let [schema] = registry.schemas() else { panic!("one tool") };
    let strict = [
        schema.openai_strict().map_or(0, |parameters| parameters.get().len()),
        schema.anthropic_strict().map_or(0, |form| form.parameters.get().len()),
    ];
    for length in [schema.parameters().get().len()].into_iter().chain(strict) {
        assert!(length < 2_000_000, "{length} bytes");
    }
}
