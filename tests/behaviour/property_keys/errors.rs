//! Errors of arguments, with the keys that the model received.

use super::{echo, error, received, registry, reply, reported};
use serde::Deserialize;
use serde_json::{Value, json};
use tool_runtime::conversation::Received;
use tool_runtime::dispatch::{ArgumentError, CallError};
use tool_runtime::schemars::{self, JsonSchema};
use tool_runtime::wire::{ChatCompletions, Wire};
use tool_runtime::{AssistantMessage, Conversation, DynamicTool, Registry, ToolCall, tool, tools};

/// The result of the only call of a reply.
async fn result(registry: &Registry, reply: AssistantMessage) -> String {
    let Received::ToolCalls(pending) = Conversation::new().user("Go.").receive(reply) else {
        panic!("it calls")
    };
    let chat = pending.dispatch(registry).await;
    chat.messages().last().expect("a result").text().to_owned()
}

fn closed() -> Value {
    let mut parameters = reported();
    parameters["additionalProperties"] = json!(false);
    parameters["properties"]["größe"] =
        json!({ "type": "object", "properties": { "@id": { "type": "integer" } } });
    parameters["properties"].as_object_mut().expect("properties").remove(&"a".repeat(73));
    parameters
}

#[tokio::test]
async fn errors_of_written_calls_have_written_names() {
    let registry = registry(closed());
    let arguments = json!({ "gr__e": { "_id": "x" }, "filter_cty_": 1, "_id": 2 });
    let text = error(&registry, &arguments).await;
    for part in
        ["`_id`", "`gr__e._id`", "`_.alt` is missing", "rename `filter_cty_` to `filter_city_`", "`gr__e."]
    {
        assert!(text.contains(part), "{text}");
    }
    assert!(!text.contains('ö') && !text.contains('@') && !text.contains('$'), "{text}");
}

#[tokio::test]
async fn errors_of_other_calls_have_the_tools_keys() {
    let registry = registry(closed());
    let text = error(&registry, &json!({ "größe": { "@id": "x" }, "filter[cty]": 1 })).await;
    for part in ["`größe.@id`", "`$.alt` is missing", "rename `filter[cty]` to `filter[city]`"] {
        assert!(text.contains(part), "{text}");
    }
    let wire = ChatCompletions::new();
    let call = json!({ "id": "c", "type": "function", "function": { "name": "echo", "arguments": "{}" } });
    let body = json!({ "choices": [{ "message": { "role": "assistant", "tool_calls": [call] }, "finish_reason": "tool_calls" }] });
    let other = wire.read_reply(&body.to_string()).expect("it is read");
    assert_eq!(
        result(&registry, other).await,
        "Error: invalid arguments for `echo`: `$.alt` is missing. Call it again, but add `$.alt`."
    );
}

/// The wire of the reply decides if its arguments have no keys.
#[tokio::test]
async fn errors_of_replies_of_anthropic_have_written_names() {
    let registry = registry(closed());
    assert_eq!(
        result(&registry, reply(&json!({}))).await,
        "Error: invalid arguments for `echo`: `_.alt` is missing. Call it again, but add `_.alt`."
    );
    let dispatched = registry.dispatch(&[ToolCall::new("a", "echo", r#"{"_id":1}"#)]).await;
    let failure = dispatched[0].outcome().and_then(|outcome| outcome.error()).expect("it failed");
    let CallError::InvalidArguments { errors, .. } = failure else { panic!("{failure}") };
    assert!(
        errors
            .iter()
            .any(|error| matches!(error, ArgumentError::Missing { argument, .. } if argument == "_.alt"))
    );
}

/// Nothing is lost: neither of both values runs.
#[tokio::test]
async fn a_key_together_with_its_written_name_is_an_error_for_a_model_that_received_the_name() {
    let both = json!({ "$.alt": "a", "_.alt": "b" });
    let open = registry(reported());
    let text = result(&open, reply(&both)).await;
    assert!(text.contains("leave out `$.alt`"), "{text}");
    let closed = registry(closed());
    let text = error(&closed, &both).await;
    assert!(text.contains("`_.alt` is not an argument (it takes `$.alt`, "), "{text}");
    let written = json!({ "_.alt": "a", "gr__e": { "@id": 1, "_id": 2 } });
    let text = error(&closed, &written).await;
    assert!(text.contains("`gr__e.@id` is not an argument"), "{text}");
}

/// Documents have both keys, for example those of a database with JSON-LD.
#[tokio::test]
async fn for_another_model_a_written_name_is_any_other_key() {
    let open = registry(reported());
    let both = json!({ "$.alt": "a", "@id": "b", "_id": "c" });
    assert_eq!(received(&open, &both).await, both);
    let arguments = json!({ "$.alt": "a", "_id": "c" });
    let call = json!({ "id": "c", "type": "function", "function": { "name": "echo", "arguments": arguments.to_string() } });
    let message = json!({ "role": "assistant", "tool_calls": [call] });
    let body = json!({ "choices": [{ "message": message, "finish_reason": "tool_calls" }] });
    let other = ChatCompletions::new().read_reply(&body.to_string()).expect("it is read");
    assert_eq!(result(&open, other).await, arguments.to_string());
}

/// Searches.
#[tool]
fn search(#[arg(name = "größe")] size: u8) -> u8 {
    size
}

#[tokio::test]
async fn errors_of_functions_have_the_keys_that_the_model_received() {
    let registry = Registry::new(tools![search]).expect("one tool");
    let call = |arguments: &str| [ToolCall::new("a", "search", arguments)];
    let text = registry.dispatch(&call(r#"{"gr__e":"x"}"#)).await[0].text().to_owned();
    assert!(text.starts_with("Error: invalid arguments for `search`: `gr__e`: expected"), "{text}");
    let text = registry.dispatch(&call(r#"{"größe":"x"}"#)).await[0].text().to_owned();
    assert!(text.starts_with("Error: invalid arguments for `search`: `größe`: expected"), "{text}");
}

/// Books a flight.
#[tool]
fn book(#[arg(name = "größe")] sizes: Vec<Size>) {
    drop(sizes);
}

#[derive(Deserialize, JsonSchema)]
struct Size {
    #[serde(rename = "@größe", deserialize_with = "even")]
    #[expect(dead_code, reason = "it is only decoded")]
    size: u8,
}

/// Rejects values that the schema accepts.
fn even<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    let size = u8::deserialize(deserializer)?;
    if size % 2 == 0 { Ok(size) } else { Err(serde::de::Error::custom("it is odd")) }
}

#[tokio::test]
async fn errors_of_decoders_have_the_keys_that_the_model_received() {
    let registry = Registry::new(tools![book]).expect("one tool");
    for (key, nested) in [("gr__e", "_gr__e"), ("größe", "@größe")] {
        let arguments = json!({ key: [{ nested: 2 }, { nested: 3 }] });
        let result = registry.call("book", arguments).await;
        assert_eq!(
            result.text(),
            format!(
                "Error: invalid arguments for `book`: `{key}[1].{nested}`: it is odd. Call it again, but correct \
                 `{key}[1].{nested}`."
            )
        );
    }
}

#[tokio::test]
async fn repaired_and_coerced_arguments_have_the_tools_keys() {
    let registry =
        Registry::builder().dynamic(echo("echo", closed())).lenient_arguments(true).build().expect("a tool");
    let call = ToolCall::new("a", "echo", r#"{"_.alt": "x", "gr__e": "{\"_id\": \"7\"}",}"#);
    let messages = registry.dispatch(&[call]).await;
    assert_eq!(messages[0].text(), r#"{"$.alt":"x","größe":{"@id":7}}"#);
}

/// A tool without rejected keys next to one with them keeps its arguments as they are.
#[tokio::test]
async fn other_tools_are_unchanged() {
    let plain = DynamicTool::new(
        "plain",
        "",
        json!({ "type": "object", "properties": {} }),
        |arguments| async move { Ok::<_, String>(Value::Object(arguments)) },
    );
    let registry =
        Registry::builder().dynamic(plain).dynamic(echo("echo", reported())).build().expect("two tools");
    let messages = registry.dispatch(&[ToolCall::new("a", "plain", r#"{"_.alt":1,"gr__e":2}"#)]).await;
    assert_eq!(messages[0].text(), r#"{"_.alt":1,"gr__e":2}"#);
}
