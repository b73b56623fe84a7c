//! Where schema and decoder cannot agree: what the documentation of `#[tool]` lists. Each is such that the tool says no,
//! in words, to what the schema lets pass.

use crate::{Schema, Verdict, verdict};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::HashMap;
use std::time::Duration;
use tool_runtime::{Registry, ToolList, tool, tools};

/// The schema admits the first arguments and the second; the tool takes the first alone.
async fn only_the_first(tools: ToolList, tool: &str, both: [&str; 2]) {
    let registry = Registry::new(tools).expect("one tool");
    let schema = Schema::of(&registry, tool);
    assert_eq!(both.map(|arguments| schema.verdict(arguments)), [Verdict::Taken; 2]);
    let [taken, refused] = both;
    assert_eq!(verdict(&registry, tool, taken).await, Verdict::Taken, "{taken}");
    assert_eq!(verdict(&registry, tool, refused).await, Verdict::Refused, "{refused}");
}

/// Takes a day.
#[tool]
fn day(day: chrono::NaiveDate) {
    let _ = day;
}

#[tokio::test]
async fn a_format_is_told_and_its_decoder_reads_it() {
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
