//! The cases in which a tool rejects a value that its published schema accepts, as the documentation of `#[tool]` lists
//! them. A case that disappears fails its test.

use crate::{Schema, Verdict, verdict};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::HashMap;
use std::time::Duration;
use tool_runtime::registry::ToolList;
use tool_runtime::schema::Dialect;
use tool_runtime::{Registry, tool, tools};

/// The schema accepts the first arguments and the second; the tool accepts the first alone.
async fn only_the_first(tools: ToolList, tool: &str, both: [&str; 2]) {
    let registry = Registry::new(tools).expect("one tool");
    let schema = Schema::published(&registry, tool);
    only_the_first_of(&registry, &schema, tool, both).await;
}

/// The same of its strict schema.
async fn only_the_first_if_strict(tools: ToolList, tool: &str, both: [&str; 2]) {
    let registry = Registry::new(tools).expect("one tool");
    let array = registry.schemas_for(Dialect::OpenAiStrict).expect("there is a tool").get();
    let mut tools: serde_json::Value = serde_json::from_str(array).expect("an array is JSON");
    let schema = Schema::new(tools[0]["function"]["parameters"].take());
    only_the_first_of(&registry, &schema, tool, both).await;
}

async fn only_the_first_of(registry: &Registry, schema: &Schema, tool: &str, both: [&str; 2]) {
    assert_eq!(both.map(|arguments| schema.verdict(arguments)), [Verdict::Taken; 2], "{both:?}");
    let [taken, refused] = both;
    assert_eq!(verdict(registry, tool, taken).await, Verdict::Taken, "{taken}");
    assert_eq!(verdict(registry, tool, refused).await, Verdict::Refused, "{refused}");
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
}

/// Takes numbers that engines do not count up to.
#[tool]
fn wide(numbers: Wide) {
    drop(numbers);
}

#[tokio::test]
async fn the_range_of_64_bits_and_more_and_of_floats_is_not_published() {
    let cases = [
        ("a", "9223372036854775807", "9223372036854775808"),
        ("a", "-9223372036854775808", "-9223372036854775809"),
        ("b", "18446744073709551615", "18446744073709551616"),
        ("c", "9223372036854775807", "9223372036854775808"),
        ("d", "18446744073709551615", "18446744073709551616"),
        ("g", "3.3e38", "3.5e38"),
        ("h", "[9223372036854775807]", "[9223372036854775808]"),
    ];
    for (name, taken, refused) in cases {
        let arguments = [taken, refused].map(|value| format!("{{\"numbers\":{{\"{name}\":{value}}}}}"));
        only_the_first(tools![wide], "wide", [&arguments[0], &arguments[1]]).await;
    }
    // The validator does not count up to 128 bits itself.
    let registry = Registry::new(tools![wide]).expect("one tool");
    let published = Schema::published(&registry, "wide").value;
    for (name, minimum, digits) in [("e", None, "16"), ("f", Some(0), "33")] {
        let schema = &published["properties"]["numbers"]["properties"][name];
        assert_eq!(schema.get("maximum"), None);
        assert_eq!(schema.get("minimum").and_then(serde_json::Value::as_i64), minimum);
        let arguments = |zeros| format!(r#"{{"numbers":{{"{name}":{digits}{}}}}}"#, "0".repeat(zeros));
        assert_eq!(verdict(&registry, "wide", &arguments(37)).await, Verdict::Taken);
        assert_eq!(verdict(&registry, "wide", &arguments(38)).await, Verdict::Refused);
    }
    // The types are taken to their ends.
    for (name, value) in [
        ("e", i128::MAX.to_string()),
        ("e", i128::MIN.to_string()),
        ("f", u128::MAX.to_string()),
        ("g", f32::MAX.to_string()),
        ("g", format!("{:e}", f32::MIN)),
    ] {
        let arguments = format!(r#"{{"numbers":{{"{name}":{value}}}}}"#);
        assert_eq!(verdict(&registry, "wide", &arguments).await, Verdict::Taken, "{arguments}");
    }
}

/// Takes an address.
#[tool]
fn reach(address: std::net::IpAddr, time: Option<chrono::NaiveTime>) {
    let _ = (address, time);
}

#[tokio::test]
async fn a_format_that_only_schemars_knows_is_not_published() {
    let both = [r#"{"address":"::1","time":"12:00:00"}"#, r#"{"address":"::1","time":"noon"}"#];
    only_the_first(tools![reach], "reach", both).await;
    only_the_first(tools![reach], "reach", [r#"{"address":"::1"}"#, r#"{"address":"home"}"#]).await;
    let registry = Registry::new(tools![reach]).expect("one tool");
    assert!(!registry.get("reach").expect("it is there").parameters().get().contains("format"));
}

/// Takes a tuple.
#[tool]
fn tuple(pair: (u8, String)) {
    drop(pair);
}

#[tokio::test]
async fn a_strict_schema_does_not_know_the_order_of_a_tuple() {
    let both = [r#"{"pair":[1,"a"]}"#, r#"{"pair":["a",1]}"#];
    only_the_first_if_strict(tools![tuple], "tuple", both).await;
    let registry = Registry::new(tools![tuple]).expect("one tool");
    assert_eq!(Schema::published(&registry, "tuple").verdict(both[1]), Verdict::Refused);
}

/// Takes a set.
#[tool]
fn unique(set: std::collections::BTreeSet<u8>) {
    drop(set);
}

#[tokio::test]
async fn a_set_says_in_words_that_its_items_are_unique() {
    only_the_first(tools![unique], "unique", [r#"{"set":[1,2]}"#, r#"{"set":[1,1]}"#]).await;
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
async fn a_flattened_option_that_is_there_in_part_is_rejected_and_not_dropped() {
    let taken = r#"{"value":{"Ajar":{"by":1}}}"#;
    only_the_first(tools![flattened], "flattened", [taken, r#"{"value":{"Ajar":{"by":"1"}}}"#]).await;
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

/// Says where.
#[tool]
fn locate(value: FlattenedStruct) -> String {
    value.address.map_or_else(|| "nowhere".to_owned(), |address| address.street + &address.city)
}

#[tokio::test]
async fn serde_drops_a_flattened_struct_without_a_required_field() {
    let registry = Registry::new(tools![locate]).expect("one tool");
    let result = registry.call("locate", r#"{"value":{"street":"High"}}"#).await;
    assert_eq!(result.expect("its schema does not require the city"), "nowhere");
    assert_eq!(verdict(&registry, "locate", r#"{"value":{"street":1,"city":"A"}}"#).await, Verdict::Refused);
}

#[tokio::test]
async fn two_variants_of_a_flattened_enum_are_rejected() {
    let both = [r#"{"value":{"Open":null}}"#, r#"{"value":{"Open":null,"Ajar":{"by":1}}}"#];
    only_the_first(tools![flattened], "flattened", both).await;
}

/// Takes a day.
#[tool]
fn day(day: chrono::NaiveDate) {
    let _ = day;
}

#[tokio::test]
async fn the_decoder_of_a_type_with_a_format_may_reject_more() {
    only_the_first(tools![day], "day", [r#"{"day":"2024-02-29"}"#, r#"{"day":"2024-02-31"}"#]).await;
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
async fn the_keys_of_a_map_are_text_to_the_schema() {
    only_the_first(tools![flags], "flags", [r#"{"flags":{"true":1}}"#, r#"{"flags":{"yes":1}}"#]).await;
    only_the_first(tools![numbers], "numbers", [r#"{"numbers":{"255":1}}"#, r#"{"numbers":{"256":1}}"#])
        .await;
}

/// Waits.
#[tool]
fn wait(time: Duration) {
    let _ = time;
}

#[tokio::test]
async fn the_structs_of_std_are_closed_and_schemars_says_that_they_are_open() {
    let taken = r#"{"time":{"secs":1,"nanos":0}}"#;
    only_the_first(tools![wait], "wait", [taken, r#"{"time":{"secs":1,"nanos":0,"z":0}}"#]).await;
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
async fn a_unit_variant_with_adjacent_content_has_none() {
    let taken = r#"{"value":{"t":"Unit","c":null}}"#;
    only_the_first(tools![adjacent], "adjacent", [taken, r#"{"value":{"t":"Unit","c":{}}}"#]).await;
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
async fn a_decoder_of_the_users_own_may_refuse_more() {
    only_the_first(tools![even], "even", [r#"{"number":2}"#, r#"{"number":3}"#]).await;
}

/// Takes anything.
#[tool]
fn anything(value: serde_json::Value) {
    let _ = value;
}

#[tokio::test]
async fn a_key_that_stands_twice_is_seen_by_no_schema() {
    only_the_first(tools![anything], "anything", [r#"{"value":{"a":1}}"#, r#"{"value":{"a":1,"a":1}}"#])
        .await;
}

#[tokio::test]
async fn lists_in_lists_end_somewhere() {
    let nested = |depth: usize| format!(r#"{{"value":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    let registry = Registry::new(tools![anything]).expect("one tool");
    assert_eq!(verdict(&registry, "anything", &nested(100)).await, Verdict::Taken);
    assert_eq!(verdict(&registry, "anything", &nested(200)).await, Verdict::Refused);
}
