//! Published schemas in the forms that grammar engines compile. `tests/engines` asks the engines themselves.

#![allow(dead_code, reason = "fields are only shown")]

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use tool_runtime::{BuildFault, Dialect, DynamicTool, Registry, ToolList, tool, tools};

fn parameters(tools: ToolList) -> Value {
    let registry = Registry::new(tools).expect("one tool");
    serde_json::from_str(registry.schemas()[0].parameters().get()).expect("JSON")
}

fn strict_parameters(tools: ToolList) -> Value {
    let registry = Registry::new(tools).expect("one tool");
    let array = registry.schemas_for(Dialect::OpenAiStrict).expect("there is a tool").get();
    let mut tools: Value = serde_json::from_str(array).expect("JSON");
    assert_eq!(tools[0]["function"]["strict"], true, "the tool has a strict form");
    tools[0]["function"]["parameters"].take()
}

async fn error(tools: ToolList, tool: &str, arguments: Value) -> String {
    let registry = Registry::new(tools).expect("one tool");
    registry.call(tool, &arguments.to_string()).await.expect_err("it is wrong").to_string()
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
fn only_numbers_of_32_bits_and_less_have_all_their_bounds() {
    assert_eq!(
        parameters(tools![numbers])["properties"],
        json!({
            "unsigned": {"type": "integer", "minimum": 0},
            "option": {"type": ["integer", "null"]},
            "list": {"type": "array", "items": {"type": "integer", "minimum": 0}},
            "float": {"type": "number"},
            "exact": {"type": "integer", "minimum": i32::MIN, "maximum": i32::MAX},
            "not_zero": {"anyOf": [
                {"type": "integer", "minimum": i16::MIN, "maximum": -1},
                {"type": "integer", "minimum": 1, "maximum": i16::MAX},
            ]},
            "positive": {"anyOf": [{"type": "integer", "minimum": 5, "maximum": 9}]},
        })
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Page {
    title: String,
    #[serde(flatten)]
    place: Place,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Place {
    /// In a chapter.
    Chapter {
        number: u8,
    },
    Cover,
}

/// Prints.
#[tool]
fn print(page: Page) -> String {
    format!("{page:?}")
}

#[tokio::test]
async fn the_fields_next_to_a_flattened_enum_are_in_each_of_its_branches() {
    let branch = |kind: &str, more: Value| {
        let mut branch = json!({
            "type": "object",
            "properties": {"title": {"type": "string"}, "kind": {"type": "string", "const": kind}},
            "required": ["title", "kind"],
        });
        for (name, schema) in more.as_object().expect("properties") {
            branch["properties"][name] = schema.clone();
            branch["required"].as_array_mut().expect("names").push(json!(name));
        }
        branch
    };
    let mut chapter = branch("chapter", json!({"number": {"type": "integer", "minimum": 0, "maximum": 255}}));
    chapter["description"] = json!("In a chapter.");
    let page = &parameters(tools![print])["properties"]["page"];
    assert_eq!(*page, json!({"anyOf": [chapter, branch("cover", json!({}))]}));
    let closed = strict_parameters(tools![print])["properties"]["page"]["anyOf"][1].clone();
    let mut cover = branch("cover", json!({}));
    cover["additionalProperties"] = json!(false);
    assert_eq!(closed, cover);
    assert_eq!(
        error(tools![print], "print", json!({"page": {"title": "A", "kind": "chapter", "number": "one"}}))
            .await,
        "invalid arguments for `print`: `page.number`: expected an integer from 0 to 255, got string \"one\""
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
fn a_tuple_has_items_and_says_its_order() {
    let kinds = json!([
        {"type": "string"}, {"type": "number"}, {"type": ["integer", "null"], "minimum": 0, "maximum": 255},
    ]);
    let strict = json!({
        "type": "array", "items": {"anyOf": kinds}, "minItems": 3, "maxItems": 3,
        "description": "Where to. Items in order: string, number, integer or null.",
    });
    let mut default = strict.clone();
    default["prefixItems"] = kinds;
    assert_eq!(parameters(tools![go])["properties"]["to"], default);
    assert_eq!(strict_parameters(tools![go])["properties"]["to"], strict);
    let pair = &parameters(tools![go])["properties"]["pair"];
    let items = json!({"type": "integer", "minimum": 0, "maximum": 255});
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
    let weight = json!({"type": "integer", "minimum": 0, "maximum": 255});
    let fields = ["name", "size", "last_change"];
    let schema = &parameters(tools![sort])["properties"];
    assert_eq!(schema["weights"], closed(weight.clone(), &fields));
    assert_eq!(schema["sorting"]["properties"]["by"]["items"], closed(json!({"type": "boolean"}), &fields));
    assert_eq!(schema["labels"]["additionalProperties"], json!({"type": "string", "enum": ["A", "B"]}));
    let strict = strict_parameters(tools![rank])["properties"]["fields"].clone();
    assert_eq!(strict["required"], json!(["last_change", "name", "size"]), "the order is that of the names");
    let schema = &parameters(tools![weigh])["properties"];
    assert_eq!(schema["weights"], closed(weight.clone(), &["A", "B"]));
    assert_eq!(schema["quoted"]["additionalProperties"], weight);
    assert_eq!(
        error(tools![sort], "sort", json!({"weights": {"sizes": 1}, "labels": {}})).await,
        "invalid arguments for `sort`: `weights.sizes` is not an argument, did you mean `size`?"
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Order {
    id: u8,
    #[serde(flatten)]
    discount: Option<Discount>,
    #[serde(flatten)]
    payment: Option<Payment>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "discount", rename_all = "lowercase")]
enum Discount {
    /// Off the price.
    Percent {
        percent: u8,
    },
    Voucher {
        code: String,
    },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Payment {
    /// In the shop.
    Cash,
    Card {
        number: String,
    },
}

/// Places an order.
#[tool]
fn place(order: Order) -> String {
    format!("{:?} {:?} {:?}", order.id, order.discount, order.payment)
}

#[tokio::test]
async fn a_flattened_option_is_whole_or_absent() {
    let registry = Registry::new(tools![place]).expect("one tool");
    for (order, result) in [
        (json!({"id": 1}), "1 None None"),
        (json!({"id": 1, "cash": null}), "1 None Some(Cash)"),
        (json!({"id": 1, "note": "any other key"}), "1 None None"),
        (
            json!({"id": 1, "discount": "percent", "percent": 5, "card": {"number": "4"}}),
            "1 Some(Percent { percent: 5 }) Some(Card { number: \"4\" })",
        ),
    ] {
        let said = registry.call("place", &json!({ "order": order }).to_string()).await;
        assert_eq!(said.unwrap_or_else(|error| panic!("{order}: {error}")), result);
    }
    for (order, problem) in [
        (
            json!({"id": 1, "discount": "percent", "percent": "5"}),
            "`order.percent`: expected an integer from 0 to 255, got string \"5\"",
        ),
        (
            json!({"id": 1, "discount": "percents", "percent": 5}),
            "`order.discount`: expected `percent` or `voucher`, got string \"percents\", did you mean `percent`?",
        ),
        (json!({"id": 1, "percent": 5}), "`order.discount` is missing"),
        (json!({"id": 1, "discount": "voucher"}), "`order.code` is missing"),
        (
            json!({"id": 1, "card": "4"}),
            "`order.card`: expected an object with the key `number`, got string \"4\"",
        ),
    ] {
        let said = error(tools![place], "place", json!({ "order": order })).await;
        assert_eq!(said, format!("invalid arguments for `place`: {problem}"), "{order}");
    }
    let said = error(tools![place], "place", json!({"order": "{}"})).await;
    assert_eq!(said.matches("`order`: ").count(), 1, "{said}");
    // Two flattened enums: every combination is a branch of its own.
    let branches =
        parameters(tools![place])["properties"]["order"]["anyOf"].as_array().expect("a union").len();
    assert_eq!(branches, 9);
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
    assert!(matches!(error.faults(), [BuildFault::PropertyNamedRef { tool, .. }] if tool == "follow"));
    assert!(
        error.to_string().contains("a property in the parameters of `follow` is named `$ref`"),
        "{error}"
    );
    assert!(error.to_string().contains("rename it, with `#[serde(rename = \"..\")]`"), "{error}");
    // A description is only text, and a reference is a reference.
    let parameters = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A", "description": "has {\"$ref\": 1}"}},
        "$defs": {"A": {"type": "string"}},
    });
    let tool = DynamicTool::new("refer", "", parameters, |_| async { Ok::<_, String>(()) });
    assert!(Registry::builder().dynamic(tool).build().is_ok());
}

/// Weighs again.
#[tool]
fn weigh_all(
    in_maps: BTreeMap<Field, BTreeMap<Field, u8>>,
    by_number: BTreeMap<u32, Vec<BTreeMap<Field, bool>>>,
) -> String {
    format!("{in_maps:?} {by_number:?}")
}

#[test]
fn maps_in_maps_name_their_keys() {
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

/// A type that serde decodes for ever if it meets a wrong key.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Wrapped {
    Map(BTreeMap<String, i32>),
    Wrapped(Box<Wrapped>),
}

/// Takes what is hard to decode.
#[tool]
fn decode(numbered: Numbered, wrapped: Wrapped) -> String {
    format!("{numbered:?} {wrapped:?}")
}

#[tokio::test]
async fn building_a_registry_survives_decoders_that_panic_or_recurse() {
    let registry = Registry::new(tools![decode]).expect("one tool");
    let result = registry.call("decode", r#"{"numbered":{"1":1},"wrapped":{"a":1}}"#).await;
    assert_eq!(result.expect("it is right"), r#"Numbered([1]) Map({"a": 1})"#);
}

#[derive(Debug, Deserialize, JsonSchema)]
struct WithRest {
    id: u8,
    #[serde(flatten)]
    payment: Option<Payment>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct TaggedAndOption {
    id: u8,
    #[serde(flatten)]
    place: Place,
    #[serde(flatten)]
    discount: Option<Discount>,
    #[serde(flatten)]
    size: Size,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Size {
    Exact { percent: u8 },
    Rough { rough: bool },
}

/// Takes several flattened enums.
#[tool]
fn combine(rest: Option<WithRest>, tagged: Option<TaggedAndOption>) -> String {
    format!("{rest:?} {tagged:?}").len().to_string()
}

#[tokio::test]
async fn flattened_enums_do_not_get_in_the_way_of_each_other() {
    let registry = Registry::new(tools![combine]).expect("one tool");
    for arguments in [
        json!({"rest": {"id": 1, "card": {"number": "4"}}}),
        json!({"rest": {"id": 1, "other": [1]}}),
        json!({"tagged": {"id": 1, "kind": "cover", "rough": true}}),
        // A field of two enums may be present for either.
        json!({"tagged": {"id": 1, "kind": "chapter", "number": 1, "percent": 5}}),
        json!({"tagged": {"id": 1, "kind": "cover", "discount": "percent", "percent": 5}}),
    ] {
        let result = registry.call("combine", &arguments.to_string()).await;
        assert!(result.is_ok(), "{arguments}: {}", result.expect_err("it failed"));
    }
    for arguments in [
        json!({"tagged": {"id": 1, "rough": true}}),
        json!({"tagged": {"id": 1, "kind": "cover", "rough": 1}}),
        json!({"tagged": {"id": 1, "kind": "cover", "rough": true, "discount": "voucher"}}),
    ] {
        assert!(registry.call("combine", &arguments.to_string()).await.is_err(), "{arguments}");
    }
    // Each of the enums is in the published schema, which is one union.
    let tagged = parameters(tools![combine])["properties"]["tagged"].clone();
    let branches = tagged["anyOf"].as_array().expect("a union");
    assert_eq!(branches.len(), 2 * 3 * 2 + 1, "{tagged}");
    for name in ["id", "kind"] {
        let is_object = |branch: &&Value| branch["type"] == "object";
        assert!(
            branches.iter().filter(is_object).all(|branch| branch["properties"].get(name).is_some()),
            "{tagged}"
        );
    }
}

#[test]
fn nested_unions_and_tuples_do_not_grow_without_end() {
    let mut tuple = json!({"type": "string"});
    let mut union = json!({"type": "string"});
    for _ in 0..40 {
        tuple = json!({"type": "array", "prefixItems": [tuple, {"type": "integer"}], "items": false});
        let branch = |name: &str| json!({"type": "object", "properties": {name: {}}, "required": [name]});
        union = json!({
            "type": "object", "properties": {"a": union}, "anyOf": [branch("b"), branch("c"), branch("d")],
        });
    }
    let parameters = json!({"type": "object", "properties": {"tuple": tuple, "union": union}});
    let tool = DynamicTool::new("deep", "", parameters, |_| async { Ok::<_, String>(()) });
    let registry = Registry::builder().dynamic(tool).build().expect("one tool");
    for dialect in [Dialect::OpenAi, Dialect::OpenAiStrict] {
        let length = registry.schemas_for(dialect).expect("there is a tool").get().len();
        assert!(length < 2_000_000, "{length} bytes");
    }
}
