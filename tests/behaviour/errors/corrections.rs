//! The last sentence of an error: what to send instead.

use serde_json::{Value, json};
use tool_runtime::dispatch::CallError;
use tool_runtime::{DynamicTool, Registry, ToolCall, tool, tools};

/// Looks up flights.
#[tool]
fn find_flights(origin: &str, passengers: u8, direct: Option<bool>, stops: Option<Vec<String>>) -> String {
    format!("{origin} {passengers} {direct:?} {stops:?}")
}

/// Deletes a file.
#[tool(destructive)]
fn delete_file(path: &str) -> String {
    path.to_owned()
}

/// Sends a message to somebody.
#[tool(requires_approval)]
fn send_message(recipient: &str) -> String {
    recipient.to_owned()
}

/// Returns the time.
#[tool]
fn get_time() -> &'static str {
    "12:00"
}

async fn error(tools: tool_runtime::registry::ToolList, name: &str, arguments: impl ToString) -> String {
    let registry = Registry::new(tools).expect("different names");
    let message = registry.dispatch(&[ToolCall::new("1", name, arguments.to_string())]).await.remove(0);
    message.text().strip_prefix("Error: ").expect("an error").to_owned()
}

/// The last sentence of the error of `find_flights`.
async fn correction(arguments: impl ToString) -> String {
    let error = error(tools![find_flights], "find_flights", arguments).await;
    let (_, correction) = error.split_once(". Call it again").expect("it can be corrected");
    correction.to_owned()
}

#[tokio::test]
async fn a_value_with_one_reading_is_in_the_sentence_and_in_the_call() {
    for (arguments, changes, corrected) in [
        (
            json!({ "origin": "Rome", "passengers": "2" }),
            r#"change `passengers` from "2" to 2, without quotes"#,
            r#"{"origin": "Rome", "passengers": 2}"#,
        ),
        (
            json!({ "origin": "Rome", "passengers": "2", "direct": "true", "stops": "Oslo" }),
            r#"change `passengers` from "2" to 2, without quotes, and change `direct` from "true" to true, without quotes, and change `stops` from "Oslo" to ["Oslo"]"#,
            r#"{"origin": "Rome", "passengers": 2, "direct": true, "stops": ["Oslo"]}"#,
        ),
    ] {
        let expected = format!(r#", but {changes}: {{"name": "find_flights", "arguments": {corrected}}}"#);
        assert_eq!(correction(arguments).await, expected);
    }
}

#[tokio::test]
async fn several_changes_are_one_sentence_without_the_call() {
    assert_eq!(
        correction(json!({ "orign": "Rome", "passengers": "two", "color": "red", "direct": "true" })).await,
        ", but change `passengers` to an integer, and change `direct` from \"true\" to true, without quotes, and \
         rename `orign` to `origin`, and leave out `color`.",
    );
    assert_eq!(
        correction(json!({ "origin": null, "passengers": 300 })).await,
        ", but change `origin` to a string, and change `passengers` to an integer from 0 to 255."
    );
    assert_eq!(
        correction("{\"origin\":\"a\",\"origin\":\"b\"}").await,
        ", but write `origin` once, and add `passengers`."
    );
}

/// The corrected call must be valid, so that a model that copies it succeeds.
#[tokio::test]
async fn the_call_in_an_error_succeeds() {
    for arguments in [
        r#"{"origin":"Rome","passengers":"2"}"#,
        r#"{"parameters":{"origin":"Rome","passengers":2}}"#,
        r#"{"arguments":"{\"origin\":\"Rome\",\"passengers\":\"2\"}"}"#,
        "{'origin': 'Rome', 'passengers': 2, 'direct': None}",
        "```json\n{\"origin\":\"Rome\",\"passengers\":2,}\n```",
        r#""{\"origin\":\"Rome\",\"passengers\":2}""#,
        r#"{"origin":"\ud83d\ude00 \"\\ \u2028","passengers":"2"}"#,
    ] {
        let correction = correction(arguments).await;
        let (_, call) = correction.split_once(": {").expect("it has a call");
        let call: Value = serde_json::from_str(&format!("{{{call}")).expect("JSON");
        assert_eq!(call["name"], "find_flights");
        let registry = Registry::new(tools![find_flights]).expect("one tool");
        let result = registry.call("find_flights", &call["arguments"]).await;
        assert!(!result.is_error(), "{arguments}: {correction}: {}", result.text());
    }
}

#[tokio::test]
async fn long_arguments_are_not_repeated() {
    let long = "x".repeat(500);
    let text = correction(json!({ "origin": long, "passengers": "2" })).await;
    assert_eq!(text, r#", but change `passengers` from "2" to 2, without quotes."#);
    assert_eq!(
        correction(json!({ "parameters": { "origin": long, "passengers": 2 } })).await,
        " without `parameters`."
    );
    assert_eq!(
        correction(json!({ "origin": [long], "passengers": 2 })).await,
        ", but change `origin` to a string."
    );
}

#[tokio::test]
async fn an_unknown_tool_leads_to_a_similar_one_or_to_one_that_accepts_the_arguments() {
    let all = || tools![find_flights, delete_file, send_message, get_time];
    for (name, arguments, expected) in [
        ("find_flight", json!({}), "Call `find_flights` instead."),
        (
            "flights_tool",
            json!({ "origin": "Rome", "passengers": 2 }),
            r#"Call `find_flights` instead: {"name": "find_flights", "arguments": {"origin":"Rome","passengers":2}}"#,
        ),
        ("time_tool", json!({}), r#"Call `get_time` instead: {"name": "get_time", "arguments": {}}"#),
    ] {
        assert_eq!(error(all(), name, arguments).await, format!("there is no tool `{name}`. {expected}"));
    }
    // The arguments alone do not show what the model wants.
    let nothing = error(all(), "search", json!({ "origin": "Rome", "passengers": 2 })).await;
    assert_eq!(
        nothing,
        "there is no tool `search`. Available: `delete_file`, `find_flights`, `get_time` and `send_message`."
    );
    assert!(
        error(all(), "search", json!({})).await.contains("Available: "),
        "many tools accept an empty object"
    );
}

#[tokio::test]
async fn the_error_of_an_unknown_tool_does_not_ask_for_a_tool_that_is_destructive_or_needs_approval() {
    for (name, arguments, suggested) in [
        ("delete_files", json!({ "path": "/" }), "delete_file"),
        ("file", json!({ "path": "/" }), "delete_file"),
        ("send_mesage", json!({ "recipient": "Ada" }), "send_message"),
        ("message_tool", json!({ "recipient": "Ada" }), "send_message"),
    ] {
        let text = error(tools![delete_file, send_message, get_time], name, arguments).await;
        assert_eq!(text, format!("there is no tool `{name}`; did you mean `{suggested}`?"));
    }
}

/// Starts a server.
#[tool]
fn start_server(id: u64) -> u64 {
    id
}

/// Unlocks a door.
#[tool]
fn unlock_door(id: u64) -> u64 {
    id
}

/// Sets a door.
#[tool]
fn set_door(id: u64) -> u64 {
    id
}

/// Reads a door.
#[tool(read_only)]
fn watch_door(id: u64) -> u64 {
    id
}

#[tokio::test]
async fn a_tool_that_may_do_something_else_is_only_a_question() {
    let id = || json!({ "id": 1 });
    for (name, suggested) in
        [("stop_server", "start_server"), ("lock_door", "unlock_door"), ("get_door", "set_door")]
    {
        let text = error(tools![start_server, unlock_door, set_door], name, id()).await;
        assert_eq!(text, format!("there is no tool `{name}`; did you mean `{suggested}`?"));
    }
    for name in ["startServer", "strat_server", "server_start", "start-server"] {
        let text = error(tools![start_server, unlock_door], name, id()).await;
        assert!(text.contains(". Call `start_server` instead: {"), "{text}");
    }
    let text = error(tools![watch_door, start_server], "wacht_doors", id()).await;
    assert!(text.contains(". Call `watch_door` instead: {"), "it changes nothing: {text}");
}

/// Words that are near, but have another meaning, are not commanded.
#[tokio::test]
async fn no_change_has_another_meaning() {
    let schema = json!({ "type": "object", "properties": {
        "state": { "enum": ["read", "archived"] }, "trend": { "enum": ["increase", "stay"] }, "sort": { "enum": ["-price", "name"] },
        "period": { "enum": ["1M", "1h"] }, "genre": { "enum": ["Theater", "Folk Music"] }, "confirm": {}, "dry_run": { "type": "null" } }, "additionalProperties": false });
    let tool = DynamicTool::new("take", "", schema, |_| async { Ok::<_, String>(()) });
    let registry = Registry::builder().dynamic(tool).lenient_arguments(true).build().expect("one tool");
    for (key, value) in [("state", "unread"), ("trend", "decrease"), ("sort", "price"), ("period", "1m")] {
        let text = registry.call("take", json!({ key: value })).await.text().into_owned();
        assert!(text.ends_with(&format!("but change `{key}` to one of these values.")), "{text}");
    }
    for (wrong, genre) in
        [("lTheater", "Theater"), ("folk-msuic", "Folk Music"), ("Folk uMsic", "Folk Music")]
    {
        let text = registry.call("take", json!({ "genre": wrong })).await.text().into_owned();
        assert!(text.contains(&format!("change `genre` from \"{wrong}\" to \"{genre}\"")), "{text}");
    }
    let required = json!({ "origin": "Rome", "language": 2 });
    assert_eq!(correction(required).await, ", but add `passengers`, and leave out `language`.");
    let twice = json!({ "orign": "Rome", "orgin": "Oslo", "passengers": 2 });
    assert_eq!(correction(twice).await, ", but rename `orign` to `origin`, and leave out `orgin`.");
}

#[tokio::test]
async fn an_error_of_an_unknown_tool_suggests_only_tools_that_the_run_allows() {
    let context = tool_runtime::RunContext::new().allowed_tools(["get_time"]);
    let registry = Registry::new(tools![find_flights, get_time]).expect("different names").with(&context);
    let arguments = json!({ "origin": "Rome", "passengers": 2 }).to_string();
    for name in ["find_flight", "flights"] {
        let message = registry.dispatch(&[ToolCall::new("1", name, arguments.as_str())]).await.remove(0);
        assert_eq!(message.text(), format!("Error: there is no tool `{name}`. Available: `get_time`."));
    }
}

#[tokio::test]
async fn a_program_reads_the_correction_and_the_change_of_each_value() {
    let registry = Registry::new(tools![find_flights]).expect("one tool");
    let result = registry.call("find_flights", json!({ "origin": "Rome", "passengers": "2" })).await;
    let error = result.failure().and_then(|failure| failure.error());
    let Some(CallError::InvalidArguments { errors, correction, .. }) = error else { panic!("{result:?}") };
    assert!(result.text().ends_with(correction.as_str()) && correction.starts_with("Call it again, but "));
    let tool_runtime::dispatch::ArgumentError::Invalid { change: Some(change), .. } = &errors[0] else {
        panic!("{errors:?}")
    };
    assert_eq!(change, r#"from "2" to 2, without quotes"#);
}

/// An object is moved out of its key only if the result is valid: otherwise each error is reported.
#[tokio::test]
async fn an_unknown_key_with_arguments_is_one_of_several_errors() {
    let text =
        error(tools![find_flights], "find_flights", json!({ "origin": 5, "options": { "passengers": 2 } }))
            .await;
    assert_eq!(
        text,
        "invalid arguments for `find_flights`: `origin`: expected a string, got integer `5`; `passengers` is \
         missing; `options` is not an argument (it takes `origin`, `passengers`, `direct` and `stops`). Call it \
         again, but change `origin` to a string, and add `passengers`, and leave out `options`.",
    );
}

/// Its decoder accepts only even numbers.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(try_from = "u8")]
#[schemars(with = "u8")]
struct Even(#[allow(dead_code, reason = "only decoded")] u8);

impl TryFrom<u8> for Even {
    type Error = &'static str;

    fn try_from(number: u8) -> Result<Self, Self::Error> {
        if number % 2 == 0 { Ok(Even(number)) } else { Err("it is odd") }
    }
}

/// Takes an even number.
#[tool]
fn halve(number: Even, numbers: Option<bool>) -> String {
    format!("{number:?} {numbers:?}")
}

#[tokio::test]
async fn an_error_that_only_the_decoder_reports_has_no_call() {
    assert_eq!(
        error(tools![halve], "halve", json!({ "number": 3, "numbers": "true" })).await,
        "invalid arguments for `halve`: `number`: it is odd; `numbers`: expected a boolean, got string \"true\". \
         Call it again, but correct `number`, and change `numbers` from \"true\" to true, without quotes.",
    );
}

#[tokio::test]
async fn no_error_has_the_call_that_was_rejected() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "integer" } }, "required": ["a"] });
    let tool = DynamicTool::new("take", "", schema, |_| async { Ok::<_, String>(()) });
    let registry = Registry::builder().dynamic(tool).build().expect("one tool");
    for arguments in [r#"{"a" : "x"}"#, r#"{"b": 1}"#, "{}", r#"{"a": null, "b": [1,  2]}"#] {
        let text = registry.dispatch(&[ToolCall::new("1", "take", arguments)]).await.remove(0);
        assert!(!text.text().contains("\"name\""), "{arguments}: {}", text.text());
    }
}
