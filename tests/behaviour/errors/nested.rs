//! Errors inside nested arguments: all of them are reported, each with its path.

use crate::message_text;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use tool_runtime::dispatch::{ArgumentError, ToolFailure};
use tool_runtime::{CallError, DynamicTool, Registry, tool, tools};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Stop {
    city: String,
    nights: Option<u8>,
    sky: Option<Sky>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Sky {
    Sunny,
    Rainy,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Way {
    Train { line: String },
    Walk { hours: f64 },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Meal {
    Nothing,
    Dishes { count: u8, names: Vec<String> },
    Buffet(u8),
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Limits {
    #[schemars(range(min = 1, max = 10))]
    stars: u8,
    #[schemars(length(min = 2, max = 3))]
    codes: Vec<String>,
}

/// Plans a trip.
#[tool]
fn plan(stops: Vec<Stop>, way: Option<Way>, meal: Option<Meal>, limits: Option<Limits>) -> String {
    format!("{stops:?} {way:?} {meal:?} {limits:?}")
}

/// The errors in a call of `plan`, without the prefix of the message.
async fn errors_of(arguments: &str) -> String {
    let message = message_text(tools![plan], "plan", arguments).await;
    message
        .strip_prefix("Error: invalid arguments for `plan`: ")
        .map_or_else(|| message.clone(), str::to_owned)
}

#[tokio::test]
async fn every_error_in_a_nested_value_has_a_path() {
    assert_eq!(
        errors_of(r#"{"stops":[{"city":"A"},{"city":1,"nights":300},{"town":"C","nights":1,"sky":"suny"}]}"#)
            .await,
        "`stops[1].city`: expected a string, got integer `1`; `stops[1].nights`: expected an integer from 0 to \
         255, got integer `300`; `stops[2].sky`: expected `sunny`, `rainy` or `null`, got string \"suny\"; \
         `stops[2].city` is missing; `stops[2].town` is not an argument (it takes `city`, `nights` and `sky`). \
         Call it again, but change `stops[1].city` to a string, and change `stops[1].nights` to an integer from 0 \
         to 255, and change `stops[2].sky` from \"suny\" to \"sunny\", and add `stops[2].city`, and leave out \
         `stops[2].town`."
    );
}

#[tokio::test]
async fn errors_after_a_key_that_is_not_unicode_have_their_paths() {
    assert_eq!(
        errors_of(r#"{"stops":[{"\ud800":{"city":1},"city":"A"},{"city":1}]}"#).await,
        "`stops[0]`: a key contains half of a surrogate pair; `stops[1].city`: expected a string, got integer `1`. \
         Call it again, but correct `stops[0]`, and change `stops[1].city` to a string."
    );
}

/// Counts entries by kind and name.
#[tool]
fn count(by_kind: BTreeMap<String, BTreeMap<String, u8>>) -> usize {
    by_kind.values().map(BTreeMap::len).sum()
}

#[tokio::test]
async fn long_keys_are_truncated_in_the_paths_of_errors() {
    let registry = Registry::new(tools![count]).expect("one tool");
    let entries: Vec<String> = (0..2_000).map(|entry| format!(r#""x{entry}":-1"#)).collect();
    let arguments = format!(r#"{{"by_kind":{{"{}":{{{}}}}}}}"#, "k".repeat(100_000), entries.join(","));
    let result = registry.call("count", &arguments).await;
    let Some(CallError::InvalidArguments { errors, .. }) = result.failure().and_then(ToolFailure::error)
    else {
        panic!("negative numbers were accepted")
    };
    assert_eq!(errors.len(), 1_000);
    for (index, error) in errors.iter().enumerate() {
        let ArgumentError::Invalid { path, .. } = error else { panic!("{error}") };
        assert!(
            path.starts_with("by_kind.kkk") && path.ends_with(&format!("k….x{index}")) && path.len() < 200
        );
    }
    let repeated = format!(r#"{{"by_kind":{{"a":{{{}"x":1}}}}}}"#, r#""x":1,"#.repeat(200_000));
    let error =
        registry.call("count", &repeated).await.into_result().expect_err("a key is repeated").to_string();
    assert_eq!(
        error,
        "invalid arguments for `count`: `by_kind.a.x` occurs more than once. Call it again, but write \
         `by_kind.a.x` once."
    );
}

#[tokio::test]
async fn the_error_about_an_enum_is_that_of_the_selected_variant() {
    for (arguments, problem) in [
        (
            r#"{"kind":"walk","hours":"two"}"#,
            "`way.hours`: expected a number, got string \"two\". Call it again, but change `way.hours` to a number.",
        ),
        (r#"{"kind":"train"}"#, "`way.line` is missing. Call it again, but add `way.line`."),
        (
            r#"{"kind":"trian","line":"S1"}"#,
            "`way.kind`: expected `train` or `walk`, got string \"trian\". Call it again, but change `way.kind` \
             from \"trian\" to \"train\".",
        ),
        (r#"{"line":"S1"}"#, "`way.kind` is missing. Call it again, but add `way.kind`."),
        (
            "7",
            "`way`: expected an object with the keys `kind` and `line` or an object with the keys `kind` and \
             `hours`, got integer `7`. Call it again, but correct `way`.",
        ),
    ] {
        assert_eq!(errors_of(&format!(r#"{{"stops":[],"way":{arguments}}}"#)).await, problem);
    }
    for (arguments, problem) in [
        (
            r#"{"dishes":{"count":"x","names":[1]}}"#,
            "`meal.dishes.count`: expected an integer, got string \"x\"; `meal.dishes.names[0]`: expected a \
             string, got integer `1`. Call it again, but change `meal.dishes.count` to an integer, and change \
             `meal.dishes.names[0]` to a string.",
        ),
        (
            r#""soup""#,
            "`meal`: expected `nothing`, an object with the key `dishes` or an object with the key `buffet`, got \
             string \"soup\". Call it again, but change `meal` to one of these values.",
        ),
        (
            r#"{"soup":1}"#,
            "`meal`: expected `nothing`, an object with the key `dishes` or an object with the key `buffet`, got \
             an object with the key `soup`. Call it again, but change `meal` to one of these values.",
        ),
        (
            "[]",
            "`meal`: expected `nothing`, an object with the key `dishes` or an object with the key `buffet`, got a \
             list. Call it again, but change `meal` to one of these values.",
        ),
    ] {
        assert_eq!(errors_of(&format!(r#"{{"stops":[],"meal":{arguments}}}"#)).await, problem);
    }
}

#[tokio::test]
async fn constraints_of_schemars_are_enforced() {
    assert_eq!(
        errors_of(r#"{"stops":[],"limits":{"stars":11,"codes":["a"]}}"#).await,
        "`limits.stars`: expected an integer from 1 to 10, got integer `11`; `limits.codes`: expected a list of 2 \
         to 3 strings, got 1. Call it again, but change `limits.stars` to an integer from 1 to 10, and change \
         `limits.codes` to a list of 2 to 3 strings."
    );
}

#[tokio::test]
async fn a_struct_rejects_an_array_and_a_repeated_key() {
    assert_eq!(
        errors_of(r#"{"stops":[["A",1]]}"#).await,
        "`stops[0]`: expected an object, got a list. Call it again, but change `stops[0]` to an object."
    );
    assert_eq!(
        errors_of(r#"{"stops":[{"city":"A","city":"B"}]}"#).await,
        "`stops[0].city` occurs more than once. Call it again, but write `stops[0].city` once."
    );
}

/// Takes what its keywords narrow.
#[tool]
fn narrowed(
    #[arg(schema(minimum = 2, exclusiveMaximum = 5))] count: u8,
    #[arg(schema(minLength = 1, maxLength = 3))] text: &str,
    #[arg(schema(pattern = "^[a-z]+$"))] word: String,
    #[arg(schema(minItems = 1))] list: Vec<i8>,
    set: BTreeSet<u8>,
    ids: BTreeMap<u8, u8>,
) {
    drop((count, text, word, list, set, ids));
}

#[tokio::test]
async fn the_keywords_of_a_parameter_are_enforced() {
    assert_eq!(
        message_text(
            tools![narrowed],
            "narrowed",
            r#"{"count":5,"text":"北京北京","word":"A1","list":[],"set":[1,2,1],"ids":{"01":1}}"#
        )
        .await,
        "Error: invalid arguments for `narrowed`: `count`: expected an integer from 2 to 255 and less than 5, got \
         integer `5`; `text`: expected a string of 1 to 3 characters, got string \"北京北京\"; `word`: expected a \
         string that matches `^[a-z]+$`, got string \"A1\"; `list`: expected a list of at least 1 integer, got 0; \
         `set[2]`: an equal item is in the list already; `ids.01`: its key must be an integer of at least 0. Call \
         it again, but change `count` to an integer from 2 to 255 and less than 5, and change `text` to a string \
         of 1 to 3 characters, and change `word` to a string that matches `^[a-z]+$`, and change `list` to a list \
         of at least 1 integer, and correct `set[2]`, and correct `ids.01`."
    );
}

#[tokio::test]
async fn the_arguments_of_a_dynamic_tool_are_validated_against_its_schema() {
    let parameters = json!({
        "type": "object",
        "properties": {
            "stops": {"type": "array", "items": {"$ref": "#/definitions/stop"}},
            "mode": {"enum": ["fast", "cheap", 3]},
            "even": {"type": "integer", "multipleOf": 2},
        },
        "required": ["stops"],
        "additionalProperties": false,
        "definitions": {"stop": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}},
    });
    let tool = DynamicTool::new("plan", "", parameters, |_| async { Ok::<_, String>(()) });
    let registry = Registry::builder().dynamic(tool).build().expect("one tool");
    let error = registry
        .call("plan", r#"{"stops":[{"city":"A"},{}],"mode":"fats","even":3,"evn":2}"#)
        .await
        .into_result()
        .expect_err("four errors");
    assert_eq!(
        error.to_string(),
        "invalid arguments for `plan`: `stops[1].city` is missing; `mode`: expected `fast`, `cheap` or `3`, got \
         string \"fats\"; `even`: expected an integer, a multiple of 2, got integer `3`; `evn` is not an argument \
         (it takes `stops`, `mode` and `even`). Call it again, but add `stops[1].city`, and change `mode` from \
         \"fats\" to \"fast\", and change `even` to an integer, a multiple of 2, and leave out `evn`."
    );
    let Some(CallError::InvalidArguments { errors, .. }) = error.error() else {
        panic!("expected errors of arguments, got {error:?}")
    };
    assert!(matches!(&errors[0], ArgumentError::Missing { argument, .. } if argument == "stops[1].city"));
    assert_eq!(registry.call("plan", r#"{"stops":[],"mode":3.0,"even":4.0}"#).await.text(), "ok");
}

/// A tree.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Tree {
    Leaf(u8),
    Pair(Box<Tree>, Box<Tree>),
    Node { left: Box<Tree>, right: Box<Tree> },
}

/// Takes a tree.
#[tool]
fn climb(tree: Tree, list: Option<Vec<Tree>>) -> String {
    format!("{tree:?} {list:?}").len().to_string()
}

#[tokio::test]
async fn deep_and_large_values_end_in_a_short_message() {
    let nested = |depth: usize| format!("{}1{}", r#"{"left":1,"right":"#.repeat(depth), "}".repeat(depth));
    let climb = |arguments: String| async move { message_text(tools![climb], "climb", &arguments).await };
    let deep = climb(format!(r#"{{"tree":{}}}"#, nested(50))).await;
    assert!(!deep.starts_with("Error"), "{deep}");
    for depth in [200, 10_000] {
        let message = climb(format!(r#"{{"tree":{}}}"#, nested(depth))).await;
        assert!(
            message.starts_with("Error: invalid arguments for `climb`: `tree`: ") && message.len() < 500,
            "{message}"
        );
    }
    // The last leaf is wrong: without a limit, every alternative would be tried at every depth.
    let pairs = |depth: usize| format!(r#"{}"x"{}"#, "[1,".repeat(depth), "]".repeat(depth));
    let message = climb(format!(r#"{{"tree":{}}}"#, pairs(100))).await;
    assert!(message.starts_with("Error: invalid arguments for `climb`: `tree") && message.len() < 1_000);
    let keys: Vec<String> = (0..1_000_000).map(|index| format!("\"k{index}\":1")).collect();
    let many = climb(format!("{{{}}}", keys.join(","))).await;
    assert!(many.contains(" more. Call") && many.len() < 5_000, "{}", many.len());
    let long = climb(format!(r#"{{"tree":"{}"}}"#, "x".repeat(20_000_000))).await;
    assert!(long.starts_with("Error: invalid arguments for `climb`: `tree`: expected ") && long.len() < 500);
    let leaves = climb(format!(r#"{{"tree":1,"list":[{}1]}}"#, "1,".repeat(200_000))).await;
    assert!(!leaves.starts_with("Error"), "{leaves}");
}

/// A note, whose decoder accepts more than its schema.
#[derive(Debug, Deserialize, JsonSchema)]
struct Note {
    #[schemars(required)]
    text: Option<String>,
    #[serde(alias = "prio")]
    #[schemars(range(max = 3))]
    priority: u8,
}

/// Adds notes.
#[tool]
fn add_notes(notes: Vec<Note>) -> String {
    format!("{notes:?}")
}

#[tokio::test]
async fn the_schema_decides_where_a_decoder_accepts_more() {
    let add = |note: &'static str| async move {
        message_text(tools![add_notes], "add_notes", &format!(r#"{{"notes":[{note}]}}"#)).await
    };
    assert_eq!(add(r#"{"priority":1,"text":"a"}"#).await, r#"[Note { text: Some("a"), priority: 1 }]"#);
    assert_eq!(
        add(r#"{"text":"a","more":[{}],"priority":1}"#).await,
        r#"[Note { text: Some("a"), priority: 1 }]"#
    );
    for (note, error) in [
        (r#"{"priority":1}"#, "`notes[0].text` is missing"),
        (
            r#"{"text":"a","priority":4}"#,
            "`notes[0].priority`: expected an integer from 0 to 3, got integer `4`",
        ),
        (r#"{"text":"a","prio":1}"#, "`notes[0].priority` is missing"),
        (r#"["a",1]"#, "`notes[0]`: expected an object"),
        (r#"{"text":"a","priority":1,"priority":1}"#, "`notes[0].priority` occurs more than once"),
    ] {
        let message = add(note).await;
        assert!(message.contains(error), "{note}: {message}");
    }
}
