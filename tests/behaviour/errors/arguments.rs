//! Errors about arguments name the path, the expected value, the actual value, and a suggestion for a wrong name.

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use tool_runtime::{DynamicTool, Registry, tool, tools};

fn dynamic(parameters: Value) -> Registry {
    let tool = DynamicTool::new("take", "", parameters, |_| async { Ok::<_, String>(()) });
    Registry::builder().dynamic(tool).build().expect("one tool")
}

/// The errors of a call, without the prefix of the message.
async fn errors(registry: &Registry, tool: &str, arguments: &str) -> String {
    let error =
        registry.call(tool, arguments).await.into_result().expect_err("invalid arguments").to_string();
    error.split_once(": ").map_or_else(String::new, |(_, errors)| errors.to_owned())
}

/// The time of day.
#[tool]
fn now() {}

#[tokio::test]
async fn the_error_about_an_unknown_argument_lists_the_known_names() {
    let registry = Registry::new(tools![now]).expect("one tool");
    assert_eq!(
        errors(&registry, "now", r#"{"zone":"UTC"}"#).await,
        "`zone` is not an argument (it takes no arguments). Call it again, but leave out `zone`."
    );
    let closed = |names: usize| {
        let properties = (0..names).map(|index| (format!("p{index:02}"), json!({})));
        dynamic(
            json!({"type": "object", "properties": properties.collect::<serde_json::Map<_, _>>(), "additionalProperties": false}),
        )
    };
    for (names, expected) in [
        (0, "`x` is not an argument (it takes no arguments). Call it again, but leave out `x`."),
        (1, "`x` is not an argument (it takes `p00`). Call it again, but leave out `x`."),
        (3, "`x` is not an argument (it takes `p00`, `p01` and `p02`). Call it again, but leave out `x`."),
    ] {
        assert_eq!(errors(&closed(names), "take", r#"{"x":1}"#).await, expected);
    }
    let many = errors(&closed(25), "take", r#"{"x":1}"#).await;
    assert!(many.contains("(it takes `p00`, `p01`") && many.contains("`p19` and 5 more). Call"), "{many}");
}

#[tokio::test]
async fn the_names_are_listed_once_for_several_unknown_arguments() {
    let parameters = json!({"type": "object", "properties": {"city": {}, "stop": {"type": "object",
        "properties": {"name": {}}, "additionalProperties": false}}, "additionalProperties": false});
    assert_eq!(
        errors(&dynamic(parameters), "take", r#"{"town":1,"zone":2,"stop":{"nmae":1}}"#).await,
        "`stop.nmae` is not an argument; `town` is not an argument; `zone` is not an argument (it takes `city` and \
         `stop`). Call it again, but rename `stop.nmae` to `name`, and leave out `town`, and leave out `zone`.",
    );
}

#[tokio::test]
async fn a_missing_argument_of_an_open_object_names_the_nearest_undeclared_key() {
    let open = dynamic(
        json!({"type": "object", "properties": {"city": {}, "days": {}}, "required": ["city", "days", "other"]}),
    );
    assert_eq!(
        errors(&open, "take", r#"{"ctiy":"A","x":1,"dayz":2}"#).await,
        "`city` is missing; `days` is missing; `other` is missing. Call it again, but rename `ctiy` to `city`, and \
         rename `dayz` to `days`, and add `other`.",
    );
    let nested = dynamic(json!({"type": "object", "properties": {"stop": {"required": ["city"]}}}));
    assert_eq!(
        errors(&nested, "take", r#"{"stop":{"City":"A"}}"#).await,
        "`stop.city` is missing. Call it again, but rename `City` to `city`.",
    );
}

/// A day, which its decoder validates.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
struct Day(#[allow(dead_code, reason = "only decoded")] NaiveDate);

impl TryFrom<String> for Day {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse().map(Day).map_err(|_| format!("`{text}` is not a day"))
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only decoded")]
struct Stop {
    city: String,
    from: NaiveDate,
    days: Vec<Day>,
    to: Day,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only decoded")]
enum Plan {
    Trip { stops: Vec<Stop> },
    Rest(Day),
}

/// Plans.
#[tool]
fn plan(plan: Option<Plan>, by_name: Option<HashMap<String, Vec<Day>>>, pairs: Option<Vec<(u8, Day)>>) {
    drop((plan, by_name, pairs));
}

#[tokio::test]
async fn the_error_of_a_decoder_has_a_path_inside_the_argument() {
    let registry = Registry::new(tools![plan]).expect("one tool");
    let stop = |from: &str, day: &str, to: &str| {
        format!(r#"{{"city":"A","from":"{from}","days":["2030-01-01" , "{day}"],"to":"{to}"}}"#)
    };
    let good = stop("2030-01-01", "2030-01-02", "2030-01-03");
    for (arguments, expected) in [
        (
            format!(r#"{{"plan":{{"Trip":{{"stops":[{good}, {}]}}}}}}"#, stop("soon", "2030-01-02", "2030-01-03")),
            "`plan.Trip.stops[1].from`: input contains invalid characters",
        ),
        (
            format!(r#"{{"plan":{{"Trip":{{"stops":[{}]}}}}}}"#, stop("2030-01-01", "soon", "2030-01-03")),
            "`plan.Trip.stops[0].days[1]`: `soon` is not a day",
        ),
        // The last value in every array and object around it.
        (
            format!(r#"{{"plan":{{"Trip":{{"stops":[{good},{}]}}}}}}"#, stop("2030-01-01", "2030-01-02", "soon")),
            "`plan.Trip.stops[1].to`: `soon` is not a day",
        ),
        (r#"{"plan" : {"Rest" : "soon"} }"#.to_owned(), "`plan.Rest`: `soon` is not a day"),
        (
            "{\n  \"by_name\": {\n    \"x\": [\"2030-01-01\"],\n    \"y\": [\"soon\", \"2030-01-01\"]\n  }\n}".to_owned(),
            "`by_name.y[0]`: `soon` is not a day",
        ),
        (r#"{"pairs":[[1,"2030-01-01"],[2,"soon"]]}"#.to_owned(), "`pairs[1][1]`: `soon` is not a day"),
    ] {
        let errors = errors(&registry, "plan", &arguments).await;
        assert!(errors.starts_with(expected), "{errors} for {arguments}");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(with = "Value")]
#[serde(rename_all = "lowercase")]
#[allow(dead_code, reason = "only decoded")]
enum Level {
    Low,
    High { exact: u8 },
}

/// Takes values without a schema.
#[tool]
fn unchecked(#[arg(default)] keys: Keys, #[arg(default)] levels: Levels, #[arg(default)] numbers: Numbers) {
    drop((keys, levels, numbers));
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(with = "Value")]
struct Keys(#[allow(dead_code, reason = "only decoded")] BTreeMap<u8, bool>);

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(with = "Value")]
struct Levels(#[allow(dead_code, reason = "only decoded")] Vec<Level>);

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(with = "Value")]
struct Numbers(#[allow(dead_code, reason = "only decoded")] Vec<(f64, i8)>);

#[tokio::test]
async fn keys_variants_and_numbers_have_their_paths_too() {
    let registry = Registry::new(tools![unchecked]).expect("one tool");
    for (arguments, expected) in [
        (r#"{"keys":{"1":true,"256":true}}"#, "`keys.256`: expected an integer, got integer `256`. "),
        (r#"{"keys":{"1":true,"2":1}}"#, "`keys.2`: expected a boolean, got integer `1`"),
        (r#"{"levels":["low","middle"]}"#, "`levels[1]`: unknown variant `middle`, expected `low` or `high`"),
        (
            r#"{"levels":["low",{"high":{"exact":300}}]}"#,
            "`levels[1].high.exact`: expected an integer, got integer `300`",
        ),
        (r#"{"levels":["low",{"high":{}}]}"#, "`levels[1].high`: missing field `exact`"),
        (
            r#"{"levels":["low",{"high":{"exact":[]}}]}"#,
            "`levels[1].high.exact`: expected an integer, got a list",
        ),
        (r#"{"numbers":[[0.5,1],[1,0.5]]}"#, "`numbers[1][1]`: expected an integer, got number `0.5`"),
        (r#"{"numbers":[[0.5,1],[1]]}"#, "`numbers[1]`: invalid length 1, expected a tuple of size 2"),
        (r#"{"numbers":[[1e999,1]]}"#, "`numbers[0][0]`: number out of range"),
    ] {
        let errors = errors(&registry, "unchecked", arguments).await;
        assert!(errors.starts_with(expected), "{errors} for {arguments}");
    }
}

/// A string that its decoder rejects with the whole string in the message.
#[derive(Debug, JsonSchema)]
#[schemars(with = "String")]
struct Never;

impl<'de> Deserialize<'de> for Never {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Err(serde::de::Error::custom(format!("`{text}` is wrong")))
    }
}

/// Takes nothing.
#[tool]
fn never(text: Never) {
    let Never = text;
}

#[tokio::test]
async fn the_error_of_a_decoder_is_short_and_without_control_characters() {
    let registry = Registry::new(tools![never]).expect("one tool");
    let text = Value::from("x\n\u{202e}".repeat(3_000)).to_string();
    let errors = errors(&registry, "never", &format!(r#"{{"text":{text}}}"#)).await;
    assert!(errors.starts_with(r"`text`: `x\n\u202ex\n") && errors.len() < 2_000, "{errors}");
    assert!(!errors.contains(['\n', '\u{202e}']), "{errors}");
}

/// Takes scalars and lists of them.
#[tool]
fn plain(name: Option<String>, count: Option<u8>, names: Option<Vec<String>>) {
    drop((name, count, names));
}

#[tokio::test]
async fn a_value_of_the_wrong_type_is_reported_as_a_whole() {
    let registry = Registry::new(tools![plain]).expect("one tool");
    for (arguments, expected) in [
        (r#"{"name":{"text":"a"}}"#, "`name`: expected a string, got an object"),
        (r#"{"count": [1]}"#, "`count`: expected an integer, got a list"),
        (r#"{"names":"[\"a\"]"}"#, "`names`: expected a list of strings, got string"),
        (r#"{"names":[{"a":1}]}"#, "`names[0]`: expected a string, got an object with the key `a`"),
    ] {
        let errors = errors(&registry, "plain", arguments).await;
        assert!(errors.starts_with(expected), "{errors} for {arguments}");
    }
}

#[tokio::test]
async fn every_alternative_is_named_and_no_forbidden_value_is_suggested() {
    let registry = dynamic(json!({"type": "object", "properties": {
        "filter": {"oneOf": [{"const": "all"}, {"type": "object", "properties": {"name": {}}, "required": ["name"]},
            {"type": "object", "properties": {"from": {}, "to": {}}, "required": ["from", "to"]}]},
        "word": {"not": {"enum": ["x"]}}}}));
    assert_eq!(
        errors(&registry, "take", r#"{"filter":"cheap","word":"x"}"#).await,
        "`filter`: expected `all`, an object with the key `name` or an object with the keys `from` and `to`, got \
         string \"cheap\"; `word`: expected anything other than `x`, got string \"x\". Call it again, but change \
         `filter` to one of these values, and correct `word`.",
    );
}

#[tokio::test]
async fn text_that_just_ends_is_reported_as_truncated_even_inside_a_number() {
    let registry = dynamic(json!({"type": "object"}));
    for arguments in [
        r#"{"a":1"#,
        r#"{"a":-"#,
        r#"{"a":1."#,
        r#"{"a":1e"#,
        r#"{"a":1E+"#,
        r#"{"a":tr"#,
        r#"{"a":"\u00"#,
        "{",
    ] {
        let error = registry.call("take", arguments).await.into_result().expect_err("it ends").to_string();
        assert!(error.contains("are truncated. "), "{error} for {arguments}");
    }
    for arguments in [r#"{"a":1.}"#, r#"{"a":-}"#, r#"{"a":01}"#, r#"{"a":1}}"#, r#"{"a" 1}"#, "{1}"] {
        let error = registry.call("take", arguments).await.into_result().expect_err("not JSON").to_string();
        assert!(!error.contains("truncated"), "{error} for {arguments}");
    }
}

#[tokio::test]
async fn an_object_in_a_string_is_reported_as_such() {
    let registry = dynamic(
        json!({"type": "object", "properties": {"stop": {"type": "object"}, "tags": {"type": "array"}}}),
    );
    assert_eq!(
        registry.call("take", r#""{\"stop\":{}}""#).await.into_result().expect_err("a string").to_string(),
        "the arguments of `take` must be one JSON object, not a string that contains one. Call it again with one \
         JSON object: {\"name\": \"take\", \"arguments\": {\"stop\": {}}}",
    );
    assert_eq!(
        errors(&registry, "take", r#"{"stop":"{}","tags":"[1]"}"#).await,
        "`stop`: expected an object, got string \"{}\"; `tags`: expected a list, got string \"[1]\". Call it \
         again, but change `stop` from \"{}\" to {}, not a string, and change `tags` from \"[1]\" to [1], without \
         quotes: {\"name\": \"take\", \"arguments\": {\"stop\": {}, \"tags\": [1]}}",
    );
}

#[tokio::test]
async fn wide_limits_of_numbers_are_named_only_for_numbers() {
    let registry = dynamic(json!({"type": "object", "properties": {
        "wide": {"type": "number", "minimum": -3.4e38, "maximum": 3.4e38}, "narrow": {"type": "integer", "minimum": 1, "maximum": 9}}}));
    assert_eq!(
        errors(&registry, "take", r#"{"wide":"x","narrow":"y"}"#).await,
        "`wide`: expected a number, got string \"x\"; `narrow`: expected an integer, got string \"y\". Call it \
         again, but change `wide` to a number, and change `narrow` to an integer.",
    );
    assert!(errors(&registry, "take", r#"{"wide":1e39}"#).await.contains("a number from -3.4e38 to 3.4e38"));
}

#[tokio::test]
async fn control_characters_in_unknown_names_are_escaped() {
    let registry =
        dynamic(json!({"type": "object", "properties": {"a": {"enum": ["x"]}, "m": {"type": "object",
        "additionalProperties": {"type": "string"}}}, "additionalProperties": false}));
    let shown = [
        errors(&registry, "take", r#"{"a\nb\u202e":1}"#).await,
        errors(&registry, "take", r#"{"m":{"k\u0000\u2066":1}}"#).await,
        errors(&registry, "take", r#"{"a":"x\r\u001b[31m"}"#).await,
        registry.call("ta\nke\u{202e}", "{}").await.into_result().expect_err("no such tool").to_string(),
    ];
    assert_eq!(
        shown[0],
        r"`a\nb\u202e` is not an argument (it takes `a` and `m`). Call it again, but leave out `a\nb\u202e`."
    );
    assert!(shown[1].starts_with(r"`m.k\u0000\u2066`: expected a string, got integer `1`. "), "{}", shown[1]);
    assert!(shown[2].starts_with(r#"`a`: expected `x`, got string "x\r\u001b[31m". "#), "{}", shown[2]);
    assert!(shown.iter().all(|text| !text.contains(char::is_control)), "{shown:?}");
    assert!(shown[3].starts_with(r"there is no tool `ta\nke\u202e`"), "{}", shown[3]);
}
