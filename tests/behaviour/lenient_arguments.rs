//! The mistakes that `lenient_arguments` repairs or coerces, and those that it rejects.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tool_runtime::{Registry, ToolCall, ToolMessage, tool, tools};

#[derive(Debug, Deserialize, JsonSchema)]
struct Stop {
    city: String,
    nights: u8,
}

/// A struct without required fields.
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
    let mut values = Vec::new();
    let mut add =
        |name: &str, value: Option<String>| values.extend(value.map(|value| format!("{name}={value}")));
    add("n", n.map(|n| n.to_string()));
    add("x", x.map(|x| x.to_string()));
    add("yes", yes.map(|yes| yes.to_string()));
    add("list", list.map(|list| format!("{list:?}")));
    add("names", names.map(|names| format!("{names:?}")));
    add("stop", stop.map(|stop| format!("{} {}", stop.city, stop.nights)));
    add("stops", stops.map(|stops| format!("{} {:?}", stops.len(), stops.last().map(|stop| stop.nights))));
    add("text", text.map(|text| format!("{text:?}")));
    add("either", either.map(|either| format!("{either:?}")));
    add("hints", hints.map(|hints| format!("{hints:?}")));
    add("any", any.map(|any| any.to_string()));
    values.join(" ")
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    Number(i32),
    Flag(bool),
    Struct { a: Vec<String> },
}

async fn dispatch(arguments: &str, lenient: bool) -> ToolMessage {
    let registry =
        Registry::builder().tools(tools![take]).lenient_arguments(lenient).build().expect("one tool");
    registry.dispatch(&[ToolCall::new("1", "take", arguments)]).await.remove(0)
}

/// Arguments that are invalid unless they are lenient, and then are coerced to the expected ones.
async fn assert_coerced(arguments: &str, expected: &str, coercions: &[&str]) {
    let strict = dispatch(arguments, false).await;
    assert!(
        strict.content.as_str().starts_with("Error: "),
        "without leniency: {arguments} {}",
        strict.content
    );
    assert!(strict.outcome().is_some_and(|outcome| outcome.coercions().is_empty()));
    let lenient = dispatch(arguments, true).await;
    assert_eq!(lenient.content, expected, "{arguments}");
    let outcome = lenient.outcome().expect("it ran");
    assert!(outcome.error().is_none() && !outcome.coercions().is_empty());
    assert_eq!(outcome.coercions(), coercions, "{arguments}");
}

/// Arguments that are invalid, lenient or not.
async fn assert_rejected(arguments: &str) {
    let lenient = dispatch(arguments, true).await;
    assert!(lenient.content.as_str().starts_with("Error: "), "{arguments} became {}", lenient.content);
    assert!(dispatch(arguments, false).await.content.as_str().starts_with("Error: "), "{arguments}");
    assert!(lenient.outcome().is_some_and(|outcome| outcome.coercions().is_empty()));
}

#[tokio::test]
async fn text_that_is_almost_json_is_repaired() {
    let fence = &["the arguments were in a code fence"][..];
    assert_coerced("```json\n{\"n\":1}\n```", "n=1", fence).await;
    assert_coerced("``` {\"n\":1} ```", "n=1", fence).await;
    assert_coerced("Here it is:\n```\n{\"n\":1}\n```\nDone.", "n=1", fence).await;
    assert_coerced("{\"text\":\"```\"}\n```", "text=\"```\"", fence).await;
    assert_coerced(r#"{"n":1,}"#, "n=1", &["a trailing comma was left out"]).await;
    assert_coerced(r#"{"list":[1, 2 , ] , }"#, "list=[1, 2]", &["a trailing comma was left out"]).await;
    assert_coerced("{\"n\":1, // one\n\"x\":2 /* two */}", "n=1 x=2", &["a comment was left out"]).await;
    assert_coerced(
        "{'n':1,'text':'call \\'hi\\' to \"x\"'}",
        "n=1 text=\"call 'hi' to \\\"x\\\"\"",
        &["single quotes were read as double quotes"],
    )
    .await;
    assert_coerced("{'text':'北京\\n'}", "text=\"北京\\n\"", &["single quotes were read as double quotes"])
        .await;
    assert_coerced(
        "{`text`: `\n  \"a\" + \\`\\${b}\\``}",
        "text=\"\\n  \\\"a\\\" + `${b}`\"",
        &["backticks were read as double quotes", "control characters in a string were escaped"],
    )
    .await;
    assert_coerced(r#""{\"n\":1}""#, "n=1", &["the arguments were encoded twice"]).await;
    assert_coerced(
        "```json\n{'n': 1,} // done\n```",
        "n=1",
        &[
            "the arguments were in a code fence",
            "single quotes were read as double quotes",
            "a trailing comma was left out",
            "a comment was left out",
        ],
    )
    .await;
}

#[tokio::test]
async fn json_in_a_string_is_coerced_to_the_wanted_type() {
    assert_coerced(r#"{"n":"42"}"#, "n=42", &[r#"`n`: "42" was read as 42"#]).await;
    assert_coerced(r#"{"n":" -7 "}"#, "n=-7", &[r#"`n`: " -7 " was read as -7"#]).await;
    assert_coerced(r#"{"n":"42.0"}"#, "n=42", &[r#"`n`: "42.0" was read as 42"#]).await;
    assert_coerced(
        r#"{"x":"1.5","yes":"true"}"#,
        "x=1.5 yes=true",
        &[r#"`x`: "1.5" was read as 1.5"#, r#"`yes`: "true" was read as true"#],
    )
    .await;
    assert_coerced(r#"{"list":"[1,2]"}"#, "list=[1, 2]", &[r#"`list`: "[1,2]" was read as [1, 2]"#]).await;
    assert_coerced(
        r#"{"names":"[\"a\",\"b\"]"}"#,
        r#"names=["a", "b"]"#,
        &[r#"`names`: "[\"a\",\"b\"]" was read as ["a", "b"]"#],
    )
    .await;
    assert_coerced(
        r#"{"stop":"{\"city\":\"A\",\"nights\":2}"}"#,
        "stop=A 2",
        &[r#"`stop`: "{\"city\":\"A\",\"nights\":2}" was read as {"city": "A", "nights": 2}"#],
    )
    .await;
    assert_coerced(
        r#"{"stops":[{"city":"A","nights":"2"}]}"#,
        "stops=1 Some(2)",
        &[r#"`stops[0].nights`: "2" was read as 2"#],
    )
    .await;
}

#[tokio::test]
async fn a_single_value_is_coerced_to_an_array() {
    assert_coerced(r#"{"list":5}"#, "list=[5]", &["`list`: 5 was read as [5]"]).await;
    assert_coerced(r#"{"names":"a"}"#, r#"names=["a"]"#, &[r#"`names`: "a" was read as ["a"]"#]).await;
    assert_coerced(r#"{"names":"5"}"#, r#"names=["5"]"#, &[r#"`names`: "5" was read as ["5"]"#]).await;
    assert_coerced(
        r#"{"stops":{"city":"A","nights":1}}"#,
        "stops=1 Some(1)",
        &[r#"`stops`: {"city":"A","nights":1} was read as [{"city": "A", "nights": 1}]"#],
    )
    .await;
    assert_coerced(r#"{"list":"5"}"#, "list=[5]", &[r#"`list`: "5" was read as [5]"#]).await;
}

#[tokio::test]
async fn arguments_with_no_reading_or_several_are_rejected() {
    for arguments in [
        // A value of a wrong type, without a conversion.
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
        // Not an item, but an object around items.
        r#"{"hints":{"items":[{"k":"a"}]}}"#,
        r#"{"hints":{"0":{"k":"a"},"1":{"k":"b"}}}"#,
        r#"{"hints":{}}"#,
        r#"{"names":"null"}"#,
        // Two values without a comma are not one value.
        r#"{"list":[1 2,]}"#,
        r#"{"n":1/**/2}"#,
        "{'n':1 2}",
        r#"{"stops":[[]]}"#,
        r#"{"stop":"{\"city\":\"A\"}"}"#,
        // Out of range, unknown, given twice.
        r#"{"n":"3000000000"}"#,
        r#"{"m":1,}"#,
        r#"{"n":1,"n":1,}"#,
        // Truncated, or more than one object.
        r#"{"n":1"#,
        r"{'n':1",
        "```json\n{\"n\":1",
        r#"{"text":"a"#,
        r#"{"text":'a"#,
        r#"{"n":1}{"n":2}"#,
        "```{\"n\":1}``` or ```{\"n\":2}```",
        // Mistakes that are not repaired.
        r#"{"n":1,,}"#,
        r#"{,"n":1}"#,
        r#"{"n":+1}"#,
        r#"{"n":.5}"#,
        r#"{"n" 1}"#,
        "[1]",
        r#""5""#,
    ] {
        assert_rejected(arguments).await;
    }
}

#[tokio::test]
async fn valid_arguments_are_not_coerced() {
    for (arguments, expected) in [
        (r#"{"text":"42","any":"[1]"}"#, r#"text="42" any="[1]""#),
        (r#"{"n":1.0,"x":2}"#, "n=1 x=2"),
        (r#"{"either":{"a":["1"]}}"#, r#"either=Struct { a: ["1"] }"#),
    ] {
        let message = dispatch(arguments, true).await;
        assert_eq!(message.content, expected);
        assert!(message.outcome().is_some_and(|outcome| outcome.coercions().is_empty()), "{arguments}");
    }
}

#[tokio::test]
async fn a_value_with_one_reading_as_an_enum_is_coerced() {
    assert_coerced(r#"{"either":"5"}"#, "either=Number(5)", &[r#"`either`: "5" was read as 5"#]).await;
    assert_coerced(
        r#"{"either":{"a":"x"}}"#,
        r#"either=Struct { a: ["x"] }"#,
        &[r#"`either.a`: "x" was read as ["x"]"#],
    )
    .await;
}

/// Takes an enum that has two readings of some strings.
#[tool]
fn ambiguous(either: Ambiguous) -> String {
    format!("{either:?}")
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Ambiguous {
    Number(i32),
    Texts(Vec<String>),
}

#[tokio::test]
async fn a_value_with_two_readings_as_an_enum_is_rejected() {
    let registry =
        Registry::builder().tools(tools![ambiguous]).lenient_arguments(true).build().expect("one tool");
    assert!(registry.call("ambiguous", r#"{"either":"5"}"#).await.is_error());
    assert_eq!(registry.call("ambiguous", r#"{"either":"x"}"#).await.text(), r#"Texts(["x"])"#);
}

#[tokio::test]
async fn large_and_deeply_nested_text_is_rejected_in_time() {
    assert_rejected(&format!("{{'n':{}", "[".repeat(1_000_000))).await;
    assert_rejected(&format!("{{\"any\":{}{},}}", "[".repeat(10_000), "]".repeat(10_000))).await;
    assert_rejected(&format!("{{\"n\":\"{}\"}}", "9".repeat(1_000_000))).await;
    assert_rejected(&"\"".repeat(100_000)).await;
    assert_rejected(&"```".repeat(100_000)).await;
    assert_rejected(&format!("{{\"text\":\"{}\",}}", "x".repeat(5_000_000))).await;
}

/// Takes lists by their names.
#[tool]
fn count_items(lists: HashMap<String, Vec<i64>>) -> usize {
    lists.values().map(Vec::len).sum()
}

#[tokio::test]
async fn long_keys_are_truncated_in_the_list_of_coercions() {
    let registry =
        Registry::builder().tools(tools![count_items]).lenient_arguments(true).build().expect("one tool");
    let (key, items) = ("k".repeat(50_000), [r#""1""#; 1_000].join(","));
    let arguments = format!(r#"{{"lists":{{"{key}":[{items}]}}}}"#);
    let message = registry.dispatch(&[ToolCall::new("1", "count_items", arguments)]).await.remove(0);
    assert_eq!(message.content, "1000");
    let coercions = message.outcome().expect("it ran").coercions();
    assert!(coercions.len() == 1_000 && coercions[999].contains("k…") && coercions[999].contains("[999]`: "));
    assert!(coercions.iter().all(|coercion| coercion.len() < 200), "{}", coercions[0].len());
}

/// Takes arrays of arrays, as which a single value has two readings.
#[tool]
fn grid(rows: Vec<Vec<i32>>) -> String {
    format!("{rows:?}")
}

/// A recursive array.
#[derive(Debug, Deserialize, JsonSchema)]
struct Nested(Vec<Nested>);

/// Takes a recursive array.
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
async fn coercion_of_nested_arrays_and_recursive_types_ends() {
    let registry = Registry::builder()
        .tools(tools![grid, nest, add_up])
        .lenient_arguments(true)
        .build()
        .expect("three tools");
    for rows in ["[1,2]", "5", r#""[1,2]""#] {
        assert!(registry.call("grid", &format!(r#"{{"rows":{rows}}}"#)).await.is_error(), "{rows}");
    }
    assert_eq!(registry.call("grid", r#"{"rows":"[[1]]"}"#).await.text(), "[[1]]");
    for nested in ["5", r#"[["q"]]"#, "{}"] {
        assert!(registry.call("nest", &format!(r#"{{"nested":{nested}}}"#)).await.is_error(), "{nested}");
    }
    let mut sum = r#"{"Number":"1"}"#.to_owned();
    for _ in 0..8 {
        sum = format!(r#"{{"Add":[{sum},{sum}]}}"#);
    }
    assert_eq!(registry.call("add_up", &format!(r#"{{"sum":{sum}}}"#)).await.text(), "256.0");
}

static HAS_ENDED: AtomicBool = AtomicBool::new(false);

/// Panics for 1, and exceeds its time limit if it waits.
#[tool(blocking, timeout = "50ms")]
fn block(n: i64, wait: bool) -> i64 {
    while wait && !HAS_ENDED.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(n != 1, "one");
    n
}

// While a blocking function runs, the paused time only advances by hand.
#[tokio::test(start_paused = true)]
async fn coercions_are_listed_however_the_call_ends() {
    let registry =
        Registry::builder().tools(tools![block]).lenient_arguments(true).build().expect("one tool");
    for (arguments, waits, succeeded) in [
        (r#"{"n":"2","wait":false}"#, false, true),
        (r#"{"n":"1","wait":false}"#, false, false),
        (r#"{"n":"2","wait":true}"#, true, false),
    ] {
        let calls = [ToolCall::new("1", "block", arguments)];
        let limit = async {
            if waits {
                tokio::time::advance(Duration::from_millis(51)).await;
            }
        };
        let (mut messages, ()) = tokio::join!(registry.dispatch(&calls), limit);
        let message = messages.remove(0);
        let outcome = message.outcome().expect("it was dispatched");
        assert_eq!(outcome.error().is_none(), succeeded, "{}", message.content);
        assert_eq!(outcome.coercions().len(), 1, "{arguments}");
    }
    HAS_ENDED.store(true, Ordering::SeqCst);
}
