//! Arguments as the model sends them, and the error messages about invalid ones.

use crate::message_text;
use schemars::JsonSchema;
use serde::Deserialize;
use std::borrow::Cow;
use tool_runtime::dispatch::{ArgumentError, ToolFailure};
use tool_runtime::{CallError, Registry, tool, tools};

/// Look up the weather.
#[tool]
fn get_weather(city: String, days: u8, unit: Option<String>) -> String {
    format!("{city} {days} {unit:?}")
}

/// Takes keys that JSON writes with escapes.
#[tool]
fn takes_odd_keys(
    #[arg(name = "a\"b")] quote: u8,
    #[arg(name = "c\\n")] backslash: u8,
    odd: Option<Odd>,
) -> String {
    format!("{quote} {backslash} {:?}", odd.map(|odd| odd.newline))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Odd {
    #[serde(rename = "d\\n")]
    newline: u8,
}

#[tokio::test]
async fn escapes_in_keys_are_decoded() {
    let odd = async |arguments| message_text(tools![takes_odd_keys], "takes_odd_keys", arguments).await;
    assert_eq!(odd(r#"{"a\"b":1,"c\\n":2,"odd":{"d\\n":3}}"#).await, "1 2 Some(3)");
    assert_eq!(odd(r#"{"\u0061\u0022b":1,"\u0063\\n":2,"odd":{"\u0064\\n":3}}"#).await, "1 2 Some(3)");
    assert!(odd(r#"{"a"b":1,"c\\n":2}"#).await.contains("are not valid JSON"));
    // These keys contain a line break, not a backslash and an `n`.
    assert!(odd(r#"{"a\"b":1,"c\n":2}"#).await.contains("is missing"));
    assert!(odd(r#"{"a\"b":1,"c\\n":2,"odd":{"d\n":3}}"#).await.contains("is missing"));
}

async fn weather(arguments: &str) -> String {
    message_text(tools![get_weather], "get_weather", arguments).await
}

#[tokio::test]
async fn all_errors_come_in_one_message() {
    assert_eq!(
        weather(r#"{"days":"tomorrow","town":"Beijing","unit":7}"#).await,
        "Error: invalid arguments for `get_weather`: `days`: expected an integer, got string \"tomorrow\"; `unit`: \
         expected a string, got integer `7`; `city` is missing; `town` is not an argument (it takes `city`, `days` \
         and `unit`). Call it again, but change `days` to an integer, and change `unit` to a string, and add \
         `city`, and leave out `town`."
    );
}

#[tokio::test]
async fn a_program_can_match_on_the_kind_of_each_error() {
    let registry = Registry::new(tools![get_weather]).expect("one tool");
    let result = registry.call("get_weather", r#"{"days":1,"days":2,"cty":"x"}"#).await;
    let Some(CallError::InvalidArguments { errors, .. }) = result.failure().and_then(ToolFailure::error)
    else {
        panic!("expected errors of arguments, got {result:?}")
    };
    assert!(matches!(&errors[..], [
        ArgumentError::Repeated { argument: days, .. },
        ArgumentError::Missing { argument: missing, .. },
        ArgumentError::Unknown { argument: unknown, suggestion: Some(suggestion), .. },
    ] if days == "days" && missing == "city" && unknown == "cty" && suggestion == "city"));
}

#[tokio::test]
async fn an_unknown_argument_without_a_similar_name_gets_no_suggestion() {
    assert_eq!(
        weather(r#"{"city":"Beijing","days":1,"format":"long"}"#).await,
        "Error: invalid arguments for `get_weather`: `format` is not an argument (it takes `city`, `days` and \
         `unit`). Call it again, but leave out `format`."
    );
}

#[tokio::test]
async fn a_repeated_argument_is_rejected_even_with_an_equal_value() {
    assert_eq!(
        weather(r#"{"city":"Beijing","days":1,"city":"Beijing"}"#).await,
        "Error: invalid arguments for `get_weather`: `city` occurs more than once. Call it again, but write `city` \
         once."
    );
}

#[tokio::test]
async fn the_names_of_arguments_are_case_sensitive() {
    assert_eq!(
        weather(r#"{"City":"Beijing","days":1}"#).await,
        "Error: invalid arguments for `get_weather`: `city` is missing; `City` is not an argument. Call it again, \
         but rename `City` to `city`."
    );
}

#[tokio::test]
async fn the_missing_argument_is_not_suggested_for_several_unknown_ones() {
    assert_eq!(
        weather(r#"{"days":1,"format":"long","verbose":true}"#).await,
        "Error: invalid arguments for `get_weather`: `city` is missing; `format` is not an argument; `verbose` is \
         not an argument (it takes `city`, `days` and `unit`). Call it again, but add `city`, and leave out \
         `format`, and leave out `verbose`."
    );
}

#[tokio::test]
async fn long_keys_and_values_are_truncated_in_error_messages() {
    let long = "x".repeat(1_000_000);
    let message = weather(&format!(r#"{{"city":"Beijing","days":"{long}","{long}":1}}"#)).await;
    assert!(message.len() < 600, "{} bytes", message.len());
    assert!(
        message.contains("`days`: expected an integer, got string \"xxx") && message.contains("xxx…xxx"),
        "{message}"
    );
}

#[tokio::test]
async fn a_message_lists_some_of_very_many_errors_and_counts_the_rest() {
    let pairs: Vec<String> = (0..20_000).map(|index| format!("\"x{index}\":1")).collect();
    let message = message_text(tools![now], "now", &format!("{{{}}}", pairs.join(","))).await;
    assert!(
        message.len() < 5_000
            && message.contains("`x49` is not an argument (it takes no arguments); and 19950 more. Call")
            && message.ends_with("leave out `x9`, and correct the other errors."),
        "{message}"
    );
}

#[derive(Debug)]
struct Template;

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(serde::de::Error::custom("no template at line 7 of the file"))
    }
}

impl JsonSchema for Template {
    fn schema_name() -> Cow<'static, str> {
        "Template".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string"})
    }
}

/// Fills in a template.
#[tool]
fn fill(template: Template) -> String {
    format!("{template:?}")
}

#[tokio::test]
async fn the_message_of_a_custom_decoder_is_kept_whole() {
    assert_eq!(
        message_text(tools![fill], "fill", r#"{"template":"x"}"#).await,
        "Error: invalid arguments for `fill`: `template`: no template at line 7 of the file. Call it again, but \
         correct `template`."
    );
}

#[tokio::test]
async fn null_and_absence_are_both_none() {
    assert_eq!(weather(r#"{"city":"Beijing","days":1}"#).await, "Beijing 1 None");
    assert_eq!(weather(r#"{"city":"Beijing","days":1,"unit":null}"#).await, "Beijing 1 None");
}

#[tokio::test]
async fn null_is_invalid_for_a_required_argument() {
    assert_eq!(
        weather(r#"{"city":null,"days":1}"#).await,
        "Error: invalid arguments for `get_weather`: `city`: expected a string, got null. Call it again, but \
         change `city` to a string."
    );
}

#[tokio::test]
async fn the_order_and_the_white_space_of_arguments_do_not_matter() {
    assert_eq!(weather("\n{ \"days\" :\t1 , \"city\" : \"Beijing\" }\r\n").await, "Beijing 1 None");
}

#[tokio::test]
async fn the_error_about_invalid_json_has_the_text_at_the_error() {
    for (arguments, problem) in [
        (r#"{"city":"Beijing" "days":1}"#, "expected `,` or `}` at `…city\":\"Beijing\" \"days\":1}`"),
        ("{\n\"city\": Beijing}", r#"expected value at `{\n"city": Beijing}`"#),
        ("Beijing", "expected value at `Beijing`"),
    ] {
        let expected = format!(
            "Error: the arguments of `get_weather` are not valid JSON ({problem}). \
             Call it again with one valid JSON object."
        );
        assert_eq!(weather(arguments).await, expected);
    }
    for (arguments, correction) in [
        (r#"{"city":"Beijing","days":1}}"#, " again with one valid JSON object"),
        (r#"{"city":"Beijing","days":1,}"#, " again with one valid JSON object"),
        ("{'city':'Beijing','days':1}", " again with double quotes"),
        ("```json\n{\"city\":\"Beijing\",\"days\":1}\n```", " again with one valid JSON object"),
    ] {
        let text = weather(arguments).await;
        let call = r#"{"name": "get_weather", "arguments": {"city": "Beijing", "days": 1}}"#;
        assert!(text.ends_with(&format!("Call it{correction}: {call}")), "{text}");
    }
}

#[tokio::test]
async fn the_error_about_truncated_arguments_names_the_longest_one() {
    for arguments in [r#"{"city":"Bei"#, "nul", "{", r#"{"city":"Beijing","da"#] {
        assert_eq!(
            weather(arguments).await,
            "Error: the arguments of `get_weather` are truncated. Call it again with one complete JSON object."
        );
    }
    let long = "x".repeat(1_000);
    for arguments in [format!(r#"{{"days":1,"city":"{long}"#), format!(r#"{{"city":"{long}","days":"#)] {
        assert_eq!(
            weather(&arguments).await,
            "Error: the arguments of `get_weather` are truncated. Call it again, but shorten `city`."
        );
    }
}

#[tokio::test]
async fn json_that_is_not_an_object_is_rejected_with_its_type() {
    for (arguments, kind) in
        [("[1]", "a list"), (r#""Beijing""#, "a string"), ("1", "a number"), ("true", "a boolean")]
    {
        assert_eq!(
            weather(arguments).await,
            format!(
                "Error: the arguments of `get_weather` must be one JSON object, not {kind}. Call it again with one \
                 JSON object."
            )
        );
    }
}

/// The time of day.
#[tool]
fn now() {}

#[tokio::test]
async fn empty_and_null_arguments_are_an_empty_object() {
    for none in ["", " ", "\n\t", "null", " null ", "{}", "{ }", r#""null""#] {
        assert_eq!(message_text(tools![now], "now", none).await, "ok", "{none:?}");
        assert!(weather(none).await.contains("`city` is missing; `days` is missing. Call"), "{none:?}");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Sky {
    Sunny,
    Rainy,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Stop {
    city: String,
    nights: Option<u8>,
}

/// Plans a trip.
#[tool]
fn plan(stops: Vec<Stop>, sky: Sky, tags: Option<Vec<String>>, extra: serde_json::Value) -> String {
    let stops: Vec<String> = stops.iter().map(|stop| format!("{} {:?}", stop.city, stop.nights)).collect();
    format!("{stops:?} {sky:?} {tags:?} {extra}")
}

#[tokio::test]
async fn structs_enums_arrays_and_any_json_can_be_arguments() {
    assert_eq!(
        message_text(
            tools![plan],
            "plan",
            r#"{"stops":[{"city":"Beijing","nights":2},{"city":"Xi'an"}],"sky":"sunny","extra":{"a":[1]}}"#
        )
        .await,
        r#"["Beijing Some(2)", "Xi'an None"] Sunny None {"a":[1]}"#
    );
    assert_eq!(
        message_text(
            tools![plan],
            "plan",
            r#"{"stops":[{"nights":2}],"sky":"foggy","tags":[1],"extra":null}"#
        )
        .await,
        "Error: invalid arguments for `plan`: `stops[0].city` is missing; `sky`: expected `sunny` or `rainy`, got \
         string \"foggy\"; `tags[0]`: expected a string, got integer `1`. Call it again, but add `stops[0].city`, \
         and change `sky` to one of these values, and change `tags[0]` to a string."
    );
}

/// Reports how each text was passed.
#[tool]
fn borrows<'a>(text: &'a str, cow: Cow<'a, str>, maybe: Option<&'a str>) -> String {
    format!("{text} {cow} {} {maybe:?}", if matches!(cow, Cow::Borrowed(_)) { "borrowed" } else { "owned" })
}

#[tokio::test]
async fn text_is_borrowed_unless_it_contains_an_escape() {
    assert_eq!(
        message_text(tools![borrows], "borrows", r#"{"text":"a","cow":"b"}"#).await,
        "a b borrowed None"
    );
    assert_eq!(
        message_text(tools![borrows], "borrows", r#"{"text":"\u0061","cow":"\u0062","maybe":"\n"}"#).await,
        r#"a b owned Some("\n")"#
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Unwritable(u8);

/// Has a default of every kind.
#[tool]
fn defaults(
    #[arg(default)] count: u32,
    #[arg(default = "Beijing")] city: &str,
    #[arg(default = Some("C"))] unit: Option<&str>,
    #[arg(default = vec![1, 2])] numbers: Vec<u8>,
    #[arg(default = Unwritable(7))] unwritable: Unwritable,
    #[arg(default = Some(3))] some: Option<u8>,
) -> String {
    format!("{count} {city} {unit:?} {numbers:?} {} {some:?}", unwritable.0)
}

#[tokio::test]
async fn a_default_replaces_only_an_absent_argument() {
    assert_eq!(
        message_text(tools![defaults], "defaults", "").await,
        r#"0 Beijing Some("C") [1, 2] 7 Some(3)"#
    );
    assert_eq!(
        message_text(
            tools![defaults],
            "defaults",
            r#"{"count":1,"city":"","unit":null,"numbers":[],"unwritable":0,"some":null}"#
        )
        .await,
        "1  None [] 0 None"
    );
    assert!(
        message_text(tools![defaults], "defaults", r#"{"count":null}"#)
            .await
            .contains("`count`: expected an integer")
    );
}

/// Has more parameters than the fast path supports.
#[tool]
#[allow(clippy::too_many_arguments)]
#[rustfmt::skip]
fn wide(
    a0: u8, a1: u8, a2: u8, a3: u8, a4: u8, a5: u8, a6: u8, a7: u8, a8: u8, a9: u8, b0: u8, b1: u8, b2: u8, b3: u8,
    b4: u8, b5: u8, b6: u8, b7: u8, b8: u8, b9: u8, c0: u8, c1: u8, c2: u8, c3: u8, c4: u8, c5: u8, c6: u8, c7: u8,
    c8: u8, c9: u8, d0: u8, d1: u8, d2: u8, d3: u8, d4: u8, d5: u8, d6: u8, d7: u8, d8: u8, d9: u8, e0: u8, e1: u8,
    e2: u8, e3: u8, e4: u8, e5: u8, e6: u8, e7: u8, e8: u8, e9: u8, f0: u8, f1: u8, f2: u8, f3: u8, f4: u8, f5: u8,
    f6: u8, f7: u8, f8: u8, f9: u8, g0: u8, g1: u8, g2: u8, g3: u8, g4: u8, #[arg(default = 9)] g5: u8,
) -> u32 {
    [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, c0, c1, c2, c3, c4, c5, c6, c7,
     c8, c9, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, f0, f1, f2, f3, f4, f5,
     f6, f7, f8, f9, g0, g1, g2, g3, g4, g5].map(u32::from).iter().sum()
}

#[tokio::test]
async fn a_tool_may_have_any_number_of_parameters() {
    let names = ('a'..='f').flat_map(|letter| (0..10).map(move |digit| format!("{letter}{digit}")));
    let names: Vec<String> = names.chain((0..5).map(|digit| format!("g{digit}"))).collect();
    let pairs: Vec<String> = names.iter().map(|name| format!("\"{name}\":1")).collect();
    let arguments = format!("{{{}}}", pairs.join(","));
    assert_eq!(message_text(tools![wide], "wide", &arguments).await, "74");
    let without_one = arguments.replace("\"g4\":1", "\"g5\":1");
    assert_eq!(
        message_text(tools![wide], "wide", &without_one).await,
        "Error: invalid arguments for `wide`: `g4` is missing. Call it again, but add `g4`."
    );
}

#[tokio::test]
async fn deeply_nested_arguments_end_in_an_error_message() {
    let deep =
        format!(r#"{{"stops":[],"sky":"sunny","extra":{}1{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    assert!(
        message_text(tools![plan], "plan", &deep).await.contains("`extra`: it takes too long to validate")
    );
    let unknown = format!(r#"{{"a":{}1{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    assert!(message_text(tools![now], "now", &unknown).await.contains("`a` is not an argument"));
}
