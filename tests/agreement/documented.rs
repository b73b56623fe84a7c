//! The cases in which a tool rejects a value that its published schema accepts, as the documentation of `#[tool]` lists
//! them. A case that disappears fails its test.

use crate::{Schema, Verdict, verdict};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::HashMap;
use std::time::Duration;
use tool_runtime::registry::ToolList;
use tool_runtime::{Registry, tool, tools};

/// Asserts that the published schema accepts both arguments, and the tool only the first.
async fn assert_tool_rejects_second(tools: ToolList, tool: &str, both: [&str; 2]) {
    let registry = Registry::new(tools).expect("one tool");
    let schema = Schema::published(&registry, tool);
    assert_rejects_second(&registry, &schema, tool, both).await;
}

/// Asserts that each strict schema accepts both arguments, and the tool only the first.
async fn assert_tool_rejects_second_of_strict(tools: ToolList, tool: &str, both: [&str; 2]) {
    let registry = Registry::new(tools).expect("one tool");
    let [schema] = registry.schemas() else { panic!("one tool") };
    for strict in [
        schema.openai_strict().expect("it has a strict form"),
        &schema.anthropic_strict().expect("it has a strict form").parameters,
    ] {
        let strict = Schema::new(serde_json::from_str(strict.get()).expect("a schema is JSON"));
        assert_rejects_second(&registry, &strict, tool, both).await;
    }
}

async fn assert_rejects_second(registry: &Registry, schema: &Schema, tool: &str, both: [&str; 2]) {
    assert_eq!(both.map(|arguments| schema.verdict(arguments)), [Verdict::Valid; 2], "{both:?}");
    let [valid, invalid] = both;
    assert_eq!(verdict(registry, tool, valid).await, Verdict::Valid, "{valid}");
    assert_eq!(verdict(registry, tool, invalid).await, Verdict::Invalid, "{invalid}");
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "it is only decoded")]
struct Wide {
    a: Option<i64>,
    b: Option<u64>,
    c: Option<isize>,
    d: Option<usize>,
    e: Option<i128>,
    f: Option<u128>,
    g: Option<f32>,
    h: Option<Vec<i64>>,
    i: Option<i8>,
    j: Option<u8>,
    k: Option<std::num::NonZeroU16>,
    l: Option<std::num::NonZeroI16>,
    m: Option<std::collections::BTreeMap<String, i32>>,
    n: Option<Vec<u32>>,
}

/// Takes numbers.
#[tool]
fn wide(numbers: Wide) {
    drop(numbers);
}

#[tokio::test]
async fn the_ranges_of_types_are_not_published() {
    let cases = [
        ("a", "9223372036854775807", "9223372036854775808"),
        ("a", "-9223372036854775808", "-9223372036854775809"),
        ("b", "18446744073709551615", "18446744073709551616"),
        ("c", "9223372036854775807", "9223372036854775808"),
        ("d", "18446744073709551615", "18446744073709551616"),
        ("g", "3.3e38", "3.5e38"),
        ("h", "[9223372036854775807]", "[9223372036854775808]"),
        ("i", "127", "128"),
        ("i", "-128", "-129"),
        ("j", "255", "256"),
        ("k", "65535", "65536"),
        ("l", "32767", "32768"),
        ("l", "-32768", "-32769"),
        ("m", r#"{"a":2147483647}"#, r#"{"a":2147483648}"#),
        ("m", r#"{"a":-2147483648}"#, r#"{"a":-2147483649}"#),
        ("n", "[4294967295]", "[4294967296]"),
    ];
    for (name, valid, invalid) in cases {
        let arguments = [valid, invalid].map(|value| format!("{{\"numbers\":{{\"{name}\":{value}}}}}"));
        assert_tool_rejects_second(tools![wide], "wide", [&arguments[0], &arguments[1]]).await;
    }
    // The independent validator does not support 128 bits either.
    let registry = Registry::new(tools![wide]).expect("one tool");
    let published = Schema::published(&registry, "wide").value;
    for (name, minimum, digits) in [("e", None, "16"), ("f", Some(0), "33")] {
        let schema = &published["properties"]["numbers"]["properties"][name];
        assert_eq!(schema.get("maximum"), None);
        assert_eq!(schema.get("minimum").and_then(serde_json::Value::as_i64), minimum);
        let arguments = |zeros| format!(r#"{{"numbers":{{"{name}":{digits}{}}}}}"#, "0".repeat(zeros));
        assert_eq!(verdict(&registry, "wide", &arguments(37)).await, Verdict::Valid);
        assert_eq!(verdict(&registry, "wide", &arguments(38)).await, Verdict::Invalid);
    }
    let schema = Schema::published(&registry, "wide");
    for arguments in [r#"{"numbers":{"j":-1}}"#, r#"{"numbers":{"k":0}}"#, r#"{"numbers":{"l":0}}"#] {
        assert_eq!(schema.verdict(arguments), Verdict::Invalid, "{arguments}");
    }
    // The limits of each type are accepted.
    for (name, value) in [
        ("e", i128::MAX.to_string()),
        ("e", i128::MIN.to_string()),
        ("f", u128::MAX.to_string()),
        ("g", f32::MAX.to_string()),
        ("g", format!("{:e}", f32::MIN)),
    ] {
        let arguments = format!(r#"{{"numbers":{{"{name}":{value}}}}}"#);
        assert_eq!(verdict(&registry, "wide", &arguments).await, Verdict::Valid, "{arguments}");
    }
}

/// Takes an address.
#[tool]
fn reach(address: std::net::IpAddr, time: Option<chrono::NaiveTime>) {
    let _ = (address, time);
}

#[tokio::test]
async fn a_format_that_only_schemars_uses_is_not_published() {
    let both = [r#"{"address":"::1","time":"12:00:00"}"#, r#"{"address":"::1","time":"noon"}"#];
    assert_tool_rejects_second(tools![reach], "reach", both).await;
    assert_tool_rejects_second(tools![reach], "reach", [r#"{"address":"::1"}"#, r#"{"address":"home"}"#])
        .await;
    let registry = Registry::new(tools![reach]).expect("one tool");
    assert!(!registry.tool("reach").expect("it is there").schema.parameters().get().contains("format"));
}

/// Takes a tuple.
#[tool]
fn tuple(pair: (u8, String)) {
    drop(pair);
}

#[tokio::test]
async fn a_strict_schema_does_not_have_the_order_of_a_tuple() {
    let both = [r#"{"pair":[1,"a"]}"#, r#"{"pair":["a",1]}"#];
    assert_tool_rejects_second_of_strict(tools![tuple], "tuple", both).await;
    let registry = Registry::new(tools![tuple]).expect("one tool");
    assert_eq!(Schema::published(&registry, "tuple").verdict(both[1]), Verdict::Invalid);
}

/// Takes a set.
#[tool]
fn unique(set: std::collections::BTreeSet<u8>) {
    drop(set);
}

#[tokio::test]
async fn the_unique_items_of_a_set_are_only_in_its_description() {
    assert_tool_rejects_second(tools![unique], "unique", [r#"{"set":[1,2]}"#, r#"{"set":[1,1]}"#]).await;
}

#[derive(Deserialize, JsonSchema)]
struct Flattened {
    #[serde(flatten)]
    state: Option<State>,
}

#[derive(Deserialize, JsonSchema)]
enum State {
    Open,
    Ajar { by: u8 },
}

/// Takes a flattened enum.
#[tool]
fn flattened(value: Flattened) {
    if let Some(State::Ajar { by }) = value.state {
        let _ = by;
    }
}

#[tokio::test]
async fn an_incomplete_flattened_option_is_rejected_instead_of_dropped() {
    let valid = r#"{"value":{"Ajar":{"by":1}}}"#;
    assert_tool_rejects_second(tools![flattened], "flattened", [valid, r#"{"value":{"Ajar":{"by":"1"}}}"#])
        .await;
}

#[derive(Deserialize, JsonSchema)]
struct FlattenedStruct {
    #[serde(flatten)]
    address: Option<Address>,
}

#[derive(Deserialize, JsonSchema)]
struct Address {
    street: String,
    city: String,
}

/// Returns the address.
#[tool]
fn locate(value: FlattenedStruct) -> String {
    value.address.map_or_else(|| "nowhere".to_owned(), |address| address.street + &address.city)
}

#[tokio::test]
async fn serde_drops_a_flattened_struct_without_a_required_field() {
    let registry = Registry::new(tools![locate]).expect("one tool");
    let result = registry.call("locate", r#"{"value":{"street":"High"}}"#).await;
    assert_eq!(result.text(), "nowhere", "its schema does not require the city");
    assert_eq!(verdict(&registry, "locate", r#"{"value":{"street":1,"city":"A"}}"#).await, Verdict::Invalid);
}

#[tokio::test]
async fn two_variants_of_a_flattened_enum_are_rejected() {
    let both = [r#"{"value":{"Open":null}}"#, r#"{"value":{"Open":null,"Ajar":{"by":1}}}"#];
    assert_tool_rejects_second(tools![flattened], "flattened", both).await;
}

/// Takes a day.
#[tool]
fn day(day: chrono::NaiveDate) {
    let _ = day;
}

#[tokio::test]
async fn the_decoder_of_a_type_with_a_format_may_reject_more() {
    assert_tool_rejects_second(tools![day], "day", [r#"{"day":"2024-02-29"}"#, r#"{"day":"2024-02-31"}"#])
        .await;
}

/// Takes a map of flags.
#[tool]
fn flags(flags: HashMap<bool, u8>) {
    let _ = flags;
}

/// Takes a map of numbers.
#[tool]
fn numbers(numbers: HashMap<u8, u8>) {
    let _ = numbers;
}

#[tokio::test]
async fn the_schema_of_a_map_accepts_any_string_as_a_key() {
    assert_tool_rejects_second(tools![flags], "flags", [r#"{"flags":{"true":1}}"#, r#"{"flags":{"yes":1}}"#])
        .await;
    assert_tool_rejects_second(
        tools![numbers],
        "numbers",
        [r#"{"numbers":{"255":1}}"#, r#"{"numbers":{"256":1}}"#],
    )
    .await;
}

/// Waits.
#[tool]
fn wait(time: Duration) {
    let _ = time;
}

#[tokio::test]
async fn structs_of_std_are_closed_although_their_schemas_are_open() {
    let valid = r#"{"time":{"secs":1,"nanos":0}}"#;
    assert_tool_rejects_second(tools![wait], "wait", [valid, r#"{"time":{"secs":1,"nanos":0,"z":0}}"#]).await;
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Unit,
}

/// Takes a variant without content.
#[tool]
fn adjacent(value: Adjacent) {
    let Adjacent::Unit = value;
}

#[tokio::test]
async fn a_unit_variant_of_an_adjacently_tagged_enum_rejects_content() {
    let valid = r#"{"value":{"t":"Unit","c":null}}"#;
    assert_tool_rejects_second(tools![adjacent], "adjacent", [valid, r#"{"value":{"t":"Unit","c":{}}}"#])
        .await;
}

#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "u8")]
struct Even(u8);

impl TryFrom<u8> for Even {
    type Error = &'static str;

    fn try_from(number: u8) -> Result<Self, Self::Error> {
        if number % 2 == 0 { Ok(Even(number)) } else { Err("an odd number") }
    }
}

/// Takes even numbers.
#[tool]
fn even(number: Even) {
    let _ = number.0;
}

#[tokio::test]
async fn a_custom_decoder_may_reject_more() {
    assert_tool_rejects_second(tools![even], "even", [r#"{"number":2}"#, r#"{"number":3}"#]).await;
}

/// Takes anything.
#[tool]
fn anything(value: serde_json::Value) {
    let _ = value;
}

#[tokio::test]
async fn a_repeated_key_is_rejected_although_no_schema_forbids_it() {
    assert_tool_rejects_second(
        tools![anything],
        "anything",
        [r#"{"value":{"a":1}}"#, r#"{"value":{"a":1,"a":1}}"#],
    )
    .await;
}

#[tokio::test]
async fn the_depth_of_nested_arrays_is_limited() {
    let nested = |depth: usize| format!(r#"{{"value":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    let registry = Registry::new(tools![anything]).expect("one tool");
    assert_eq!(verdict(&registry, "anything", &nested(100)).await, Verdict::Valid);
    assert_eq!(verdict(&registry, "anything", &nested(200)).await, Verdict::Invalid);
}
