//! The slips that are mended where a program asks for it, and those that are not.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use tool_runtime::{Registry, ToolCall, ToolMessage, tool, tools};

#[derive(Debug, Deserialize, JsonSchema)]
struct Stop {
    city: String,
    nights: u8,
}

/// What may be empty.
#[derive(Debug, Deserialize, JsonSchema)]
struct Hint {
    k: Option<String>,
    #[serde(default)]
    n: i32,
}

/// Takes one of each.
#[tool]
#[allow(clippy::too_many_arguments)]
fn take(
    n: Option<i32>,
    x: Option<f64>,
    yes: Option<bool>,
    list: Option<Vec<i32>>,
    names: Option<Vec<String>>,
    stop: Option<Stop>,
    stops: Option<Vec<Stop>>,
    text: Option<&str>,
    either: Option<Either>,
    hints: Option<Vec<Hint>>,
    any: Option<Value>,
) -> String {
    let mut told = Vec::new();
    let mut tell =
        |name: &str, value: Option<String>| told.extend(value.map(|value| format!("{name}={value}")));
    tell("n", n.map(|n| n.to_string()));
    tell("x", x.map(|x| x.to_string()));
    tell("yes", yes.map(|yes| yes.to_string()));
    tell("list", list.map(|list| format!("{list:?}")));
    tell("names", names.map(|names| format!("{names:?}")));
    tell("stop", stop.map(|stop| format!("{} {}", stop.city, stop.nights)));
    tell("stops", stops.map(|stops| format!("{} {:?}", stops.len(), stops.last().map(|stop| stop.nights))));
    tell("text", text.map(|text| format!("{text:?}")));
    tell("either", either.map(|either| format!("{either:?}")));
    tell("hints", hints.map(|hints| format!("{hints:?}")));
    tell("any", any.map(|any| any.to_string()));
    told.join(" ")
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    Number(i32),
    Flag(bool),
    Struct { a: Vec<String> },
}

async fn answered(arguments: &str, lenient: bool) -> ToolMessage {
    let registry =
        Registry::builder().tools(tools![take]).lenient_arguments(lenient).build().expect("one tool");
    registry.dispatch(&[ToolCall::new("1", "take", arguments)]).await.remove(0)
}

/// What is mended, and only where it is asked for.
async fn mended(arguments: &str, expected: &str, repairs: &[&str]) {
    let strict = answered(arguments, false).await;
    assert!(
        strict.content.as_str().starts_with("Error: "),
        "without leniency: {arguments} {}",
        strict.content
    );
    assert!(strict.outcome().is_some_and(|outcome| !outcome.arguments_coerced()));
    let lenient = answered(arguments, true).await;
    assert_eq!(lenient.content, expected, "{arguments}");
    let outcome = lenient.outcome().expect("it ran");
    assert!(outcome.succeeded() && outcome.arguments_coerced());
    assert_eq!(outcome.coercions(), repairs, "{arguments}");
}

/// What stays wrong.
async fn refused(arguments: &str) {
    let lenient = answered(arguments, true).await;
    assert!(lenient.content.as_str().starts_with("Error: "), "{arguments} became {}", lenient.content);
    assert!(answered(arguments, false).await.content.as_str().starts_with("Error: "), "{arguments}");
    assert!(lenient.outcome().is_some_and(|outcome| !outcome.arguments_coerced()));
}

#[tokio::test]
async fn text_that_is_not_quite_json() {
    let fence = &["the arguments stood in a code fence"][..];
    mended("```json\n{\"n\":1}\n```", "n=1", fence).await;
    mended("``` {\"n\":1} ```", "n=1", fence).await;
    mended("Here it is:\n```\n{\"n\":1}\n```\nDone.", "n=1", fence).await;
    mended("{\"text\":\"```\"}\n```", "text=\"```\"", fence).await;
    mended(r#"{"n":1,}"#, "n=1", &["a trailing comma was left out"]).await;
    mended(r#"{"list":[1, 2 , ] , }"#, "list=[1, 2]", &["a trailing comma was left out"]).await;
    mended("{\"n\":1, // one\n\"x\":2 /* two */}", "n=1 x=2", &["a comment was left out"]).await;
    mended(
        "{'n':1,'text':'say \\'hi\\' to \"x\"'}",
        "n=1 text=\"say 'hi' to \\\"x\\\"\"",
        &["single quotes were read as double ones"],
    )
    .await;
    mended("{'text':'北京\\n'}", "text=\"北京\\n\"", &["single quotes were read as double ones"]).await;
    mended(r#""{\"n\":1}""#, "n=1", &["the arguments were encoded twice"]).await;
    mended(
        "```json\n{'n': 1,} // done\n```",
        "n=1",
        &[
            "the arguments stood in a code fence",
            "single quotes were read as double ones",
            "a trailing comma was left out",
            "a comment was left out",
        ],
    )
    .await;
}

#[tokio::test]
async fn json_in_a_string_where_something_else_is_wanted() {
    mended(r#"{"n":"42"}"#, "n=42", &[r#"`n`: "42" was read as 42"#]).await;
    mended(r#"{"n":" -7 "}"#, "n=-7", &[r#"`n`: " -7 " was read as -7"#]).await;
    mended(r#"{"n":"42.0"}"#, "n=42", &[r#"`n`: "42.0" was read as 42"#]).await;
    mended(
        r#"{"x":"1.5","yes":"true"}"#,
        "x=1.5 yes=true",
        &[r#"`x`: "1.5" was read as 1.5"#, r#"`yes`: "true" was read as true"#],
    )
    .await;
    mended(r#"{"list":"[1,2]"}"#, "list=[1, 2]", &[r#"`list`: "[1,2]" was read as [1,2]"#]).await;
    mended(
        r#"{"names":"[\"a\",\"b\"]"}"#,
        r#"names=["a", "b"]"#,
        &[r#"`names`: "[\"a\",\"b\"]" was read as ["a","b"]"#],
    )
    .await;
    mended(
        r#"{"stop":"{\"city\":\"A\",\"nights\":2}"}"#,
        "stop=A 2",
        &[r#"`stop`: "{\"city\":\"A\",\"nights\":2}" was read as {"city":"A","nights":2}"#],
    )
    .await;
    mended(
        r#"{"stops":[{"city":"A","nights":"2"}]}"#,
        "stops=1 Some(2)",
        &[r#"`stops[0].nights`: "2" was read as 2"#],
    )
    .await;
}

#[tokio::test]
async fn one_value_where_a_list_of_it_is_wanted() {
    mended(r#"{"list":5}"#, "list=[5]", &["`list`: 5 was read as [5]"]).await;
    mended(r#"{"names":"a"}"#, r#"names=["a"]"#, &[r#"`names`: "a" was read as ["a"]"#]).await;
    mended(r#"{"names":"5"}"#, r#"names=["5"]"#, &[r#"`names`: "5" was read as ["5"]"#]).await;
    mended(
        r#"{"stops":{"city":"A","nights":1}}"#,
        "stops=1 Some(1)",
        &[r#"`stops`: {"city":"A","nights":1} was read as [{"city":"A","nights":1}]"#],
    )
    .await;
    mended(r#"{"list":"5"}"#, "list=[5]", &[r#"`list`: "5" was read as [5]"#]).await;
}

#[tokio::test]
async fn what_can_mean_several_things_or_nothing_is_refused() {
    for arguments in [
        // A wrong type stays one.
        r#"{"n":true}"#,
        r#"{"n":3.7}"#,
        r#"{"n":"3.7"}"#,
        r#"{"n":"x"}"#,
        r#"{"n":"0x10"}"#,
        r#"{"n":"1,000"}"#,
        r#"{"n":""}"#,
        r#"{"n":[1]}"#,
        r#"{"yes":"True"}"#,
        r#"{"yes":"yes"}"#,
        r#"{"yes":1}"#,
        r#"{"yes":"1"}"#,
        r#"{"text":5}"#,
        r#"{"list":"1,2"}"#,
        r#"{"list":"[1,"}"#,
        r#"{"names":"[\"x\",\"y\""}"#,
        r#"{"names":"['x','y']"}"#,
        r#"{"names":"[1,2]"}"#,
        r#"{"names":""}"#,
        r#"{"names":"\"[\\\"a\\\"]\""}"#,
        // Not an item, but something around items.
        r#"{"hints":{"items":[{"k":"a"}]}}"#,
        r#"{"hints":{"0":{"k":"a"},"1":{"k":"b"}}}"#,
        r#"{"hints":{}}"#,
        r#"{"names":"null"}"#,
        // Side by side is not together.
        r#"{"list":[1 2,]}"#,
        r#"{"n":1/**/2}"#,
        "{'n':1 2}",
        r#"{"stops":[[]]}"#,
        r#"{"stop":"{\"city\":\"A\"}"}"#,
        // Out of range, unknown, given twice.
        r#"{"n":"3000000000"}"#,
        r#"{"m":1,}"#,
        r#"{"n":1,"n":1,}"#,
        // Cut off, or more than one thing.
        r#"{"n":1"#,
        r"{'n':1",
        "```json\n{\"n\":1",
        r#"{"text":"a"#,
        r#"{"text":'a"#,
        r#"{"n":1}{"n":2}"#,
        "```{\"n\":1}``` or ```{\"n\":2}```",
        // Not on the list.
        r#"{"n":1,,}"#,
        r#"{,"n":1}"#,
        r#"{"n":+1}"#,
        r#"{"n":.5}"#,
        r#"{"n" 1}"#,
        "[1]",
        r#""5""#,
    ] {
        refused(arguments).await;
    }
}

#[tokio::test]
async fn what_is_right_is_left_as_it_is() {
    for (arguments, expected) in [
        (r#"{"text":"42","any":"[1]"}"#, r#"text="42" any="[1]""#),
        (r#"{"n":1.0,"x":2}"#, "n=1 x=2"),
        (r#"{"either":{"a":["1"]}}"#, r#"either=Struct { a: ["1"] }"#),
    ] {
        let answer = answered(arguments, true).await;
        assert_eq!(answer.content, expected);
        assert!(answer.outcome().is_some_and(|outcome| !outcome.arguments_coerced()), "{arguments}");
    }
}

#[tokio::test]
async fn an_enum_that_leaves_one_reading_takes_it() {
    mended(r#"{"either":"5"}"#, "either=Number(5)", &[r#"`either`: "5" was read as 5"#]).await;
    mended(
        r#"{"either":{"a":"x"}}"#,
        r#"either=Struct { a: ["x"] }"#,
        &[r#"`either.a`: "x" was read as ["x"]"#],
    )
    .await;
}

/// Takes what may be two things.
#[tool]
fn torn(either: Torn) -> String {
    format!("{either:?}")
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Torn {
    Number(i32),
    Texts(Vec<String>),
}

#[tokio::test]
async fn an_enum_that_leaves_two_readings_takes_none() {
    let registry = Registry::builder().tools(tools![torn]).lenient_arguments(true).build().expect("one tool");
    assert!(registry.call("torn", r#"{"either":"5"}"#).await.is_err());
    assert_eq!(registry.call("torn", r#"{"either":"x"}"#).await.expect("one reading"), r#"Texts(["x"])"#);
}

#[tokio::test]
async fn large_and_deep_text_is_refused_soon() {
    refused(&format!("{{'n':{}", "[".repeat(1_000_000))).await;
    refused(&format!("{{\"any\":{}{},}}", "[".repeat(10_000), "]".repeat(10_000))).await;
    refused(&format!("{{\"n\":\"{}\"}}", "9".repeat(1_000_000))).await;
    refused(&"\"".repeat(100_000)).await;
    refused(&"```".repeat(100_000)).await;
    refused(&format!("{{\"text\":\"{}\",}}", "x".repeat(5_000_000))).await;
}

/// Takes lists by their names.
#[tool]
fn count_items(lists: HashMap<String, Vec<i64>>) -> usize {
    lists.values().map(Vec::len).sum()
}

#[tokio::test]
async fn what_was_mended_is_told_in_short_under_a_key_of_any_length() {
    let registry =
        Registry::builder().tools(tools![count_items]).lenient_arguments(true).build().expect("one tool");
    let (key, items) = ("k".repeat(50_000), [r#""1""#; 1_000].join(","));
    let arguments = format!(r#"{{"lists":{{"{key}":[{items}]}}}}"#);
    let answer = registry.dispatch(&[ToolCall::new("1", "count_items", arguments)]).await.remove(0);
    assert_eq!(answer.content, "1000");
    let repairs = answer.outcome().expect("it ran").coercions();
    assert!(repairs.len() == 1_000 && repairs[999].contains("k…") && repairs[999].contains("[999]`: "));
    assert!(repairs.iter().all(|repair| repair.len() < 200), "{}", repairs[0].len());
}

/// Takes what a single value could be in two ways.
#[tool]
fn grid(rows: Vec<Vec<i32>>) -> String {
    format!("{rows:?}")
}

/// A list of itself.
#[derive(Debug, Deserialize, JsonSchema)]
struct Nested(Vec<Nested>);

/// Takes it.
#[tool]
fn nest(nested: Nested) -> String {
    format!("{nested:?}")
}

#[derive(Debug, Deserialize, JsonSchema)]
enum Sum {
    Number(f64),
    Add(Box<Sum>, Box<Sum>),
}

/// Adds up.
#[tool]
fn add_up(sum: Sum) -> f64 {
    fn value(sum: &Sum) -> f64 {
        match sum {
            Sum::Number(number) => *number,
            Sum::Add(a, b) => value(a) + value(b),
        }
    }
    value(&sum)
}

#[tokio::test]
async fn lists_of_lists_and_types_of_themselves_come_to_an_end() {
    let registry = Registry::builder()
        .tools(tools![grid, nest, add_up])
        .lenient_arguments(true)
        .build()
        .expect("three tools");
    for rows in ["[1,2]", "5", r#""[1,2]""#] {
        assert!(registry.call("grid", &format!(r#"{{"rows":{rows}}}"#)).await.is_err(), "{rows}");
    }
    assert_eq!(registry.call("grid", r#"{"rows":"[[1]]"}"#).await.expect("one reading"), "[[1]]");
    for nested in ["5", r#"[["q"]]"#, "{}"] {
        assert!(registry.call("nest", &format!(r#"{{"nested":{nested}}}"#)).await.is_err(), "{nested}");
    }
    let mut sum = r#"{"Number":"1"}"#.to_owned();
    for _ in 0..8 {
        sum = format!(r#"{{"Add":[{sum},{sum}]}}"#);
    }
    assert_eq!(registry.call("add_up", &format!(r#"{{"sum":{sum}}}"#)).await.expect("one reading"), "256.0");
}

/// Takes its time, and may not end well.
#[tool(blocking, timeout = "50ms")]
fn block(n: i64, wait: bool) -> i64 {
    if wait {
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    assert!(n != 1, "one");
    n
}

#[tokio::test]
async fn what_was_mended_is_told_however_the_call_ends() {
    let registry =
        Registry::builder().tools(tools![block]).lenient_arguments(true).build().expect("one tool");
    for (arguments, succeeded) in [
        (r#"{"n":"2","wait":false}"#, true),
        (r#"{"n":"1","wait":false}"#, false),
        (r#"{"n":"2","wait":true}"#, false),
    ] {
        let answer = registry.dispatch(&[ToolCall::new("1", "block", arguments)]).await.remove(0);
        let outcome = answer.outcome().expect("it was dispatched");
        assert_eq!(outcome.succeeded(), succeeded, "{}", answer.content);
        assert_eq!(outcome.coercions().len(), 1, "{arguments}");
    }
}
