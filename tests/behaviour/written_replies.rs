//! The form of a reply in the next request.

use crate::messages_on;
use crate::schemas::now;
use serde_json::{Value, json};
use std::collections::HashSet;
use tool_runtime::message::Message;
use tool_runtime::wire::ChatCompletions;
use tool_runtime::{AssistantMessage, Registry, ToolCall, ToolSchema, tools};

fn read(reply: Value) -> AssistantMessage {
    serde_json::from_value(reply).expect("it is read")
}

fn written(message: &impl serde::Serialize) -> Value {
    serde_json::to_value(message).expect("it is written")
}

/// The reply in a request that contains the reasoning.
fn written_with_reasoning(reply: Value) -> Value {
    messages_on(&ChatCompletions::new().keep_reasoning(true), &[read(reply).into()])[0].take()
}

#[test]
fn a_written_reply_keeps_ids_names_and_arguments_and_drops_reasoning() {
    let reply = json!({
        "role": "assistant",
        "content": null,
        "reasoning_content": "Hm.", "reasoning": "Hm.", "reasoning_details": [{"text":"Hm."}],
        "annotations": [], "refusal": null, "padding": "xx", "thought_signature": "s",
        "extra_content": {"google":{"thought_signature":"s"}},
        "tool_calls": [{
            "index": 0, "id": "call_1", "type": "function", "finish_reason": "tool_calls",
            "extra_content": {"google":{"thought_signature":"s"}},
            "function": {"name": "get_weather", "arguments": "{ \"city\" : \"\\u5317\" }"}
        }],
    });
    assert_eq!(
        written(&read(reply)),
        json!({
            "role": "assistant",
            "content": null,
            "tool_calls": [{
                "id": "call_1", "type": "function",
                "function": {"name": "get_weather", "arguments": "{ \"city\" : \"\\u5317\" }"}
            }],
        })
    );
}

#[test]
fn a_wire_that_keeps_reasoning_writes_the_fields_that_providers_require() {
    let reply = json!({
        "role": "assistant", "content": "", "reasoning_content": "Hm.", "reasoning": null, "annotations": [],
        "reasoning_details": [{"text":"Hm."}],
        "tool_calls": [{
            "index": 0, "id": "call_1", "type": "function",
            "extra_content": {"google":{"thought_signature":"s"}},
            "function": {"name": "f", "arguments": "{}"}
        }],
    });
    assert_eq!(
        written_with_reasoning(reply),
        json!({
            "role": "assistant", "content": "", "reasoning_content": "Hm.", "reasoning_details": [{"text":"Hm."}],
            "tool_calls": [{
                "id": "call_1", "type": "function",
                "extra_content": {"google":{"thought_signature":"s"}},
                "function": {"name": "f", "arguments": "{}"}
            }],
        })
    );
}

#[test]
fn content_is_written_unchanged_and_missing_content_of_calls_as_null() {
    let calls = json!([{"id": "1", "function": {"name": "now", "arguments": "{}"}}]);
    for (content, expected) in [
        (json!({"content": null, "tool_calls": calls}), json!(null)),
        (json!({"tool_calls": calls}), json!(null)),
        // Servers reject null without calls.
        (json!({"content": null}), json!("")),
        (json!({"role": "assistant"}), json!("")),
        (json!({"content": ""}), json!("")),
        (json!({"content": "x"}), json!("x")),
        (json!({"content": [{"type":"text","text":"x"}]}), json!([{"type":"text","text":"x"}])),
    ] {
        assert_eq!(written(&read(content))["content"], expected);
    }
}

#[test]
fn a_declined_request_is_written_with_its_reason() {
    let reply = read(json!({"content":null,"refusal":"No."}));
    assert_eq!(reply.refusal(), Some("No."));
    assert_eq!(written(&reply), json!({"role":"assistant","content":"","refusal":"No."}));
}

fn calls_with_ids(ids: &[Value]) -> Value {
    let calls: Vec<Value> =
        ids.iter().map(|id| json!({"id": id, "function": {"name": "now", "arguments": "{}"}})).collect();
    json!({ "tool_calls": calls })
}

#[tokio::test]
async fn empty_and_repeated_ids_are_replaced_in_calls_and_tool_messages() {
    let registry = Registry::new(tools![now]).expect("one tool");
    let reply = read(calls_with_ids(&[json!(""), json!("a"), json!("a"), json!(null), json!("b")]));
    let messages = registry.dispatch(&reply.tool_calls).await;
    let call_ids: Vec<&str> = reply.tool_calls.iter().map(|call| call.id.as_str()).collect();
    let message_ids: Vec<&str> = messages.iter().map(|message| message.tool_call_id.as_str()).collect();
    assert_eq!(call_ids, message_ids);
    assert_eq!((call_ids[1], call_ids[4]), ("a", "b"), "usable ids stay");
    assert_eq!(call_ids.iter().collect::<HashSet<_>>().len(), 5, "{call_ids:?}");
    for replaced in [call_ids[0], call_ids[2], call_ids[3]] {
        assert!(replaced.len() == 9 && replaced.chars().all(|c| c.is_ascii_alphanumeric()), "{replaced}");
    }
}

#[tokio::test]
async fn arguments_that_are_not_an_object_are_written_repaired_and_dispatched_unchanged() {
    let registry = Registry::new(tools![now]).expect("one tool");
    for (arguments, expected, message) in [
        ("", "{}", "ok"),
        ("null", "{}", "ok"),
        (" ", "{}", "ok"),
        ("{}", "{}", "ok"),
        ("{\"a\":", r#"{"invalid_json":"{\"a\":"}"#, "are truncated"),
        ("[1]", r#"{"invalid_json":"[1]"}"#, "must be one JSON object"),
        ("Beijing", r#"{"invalid_json":"Beijing"}"#, "not valid JSON"),
    ] {
        let reply = read(json!({"tool_calls":[{"id":"1","function":{"name":"now","arguments":arguments}}]}));
        assert_eq!(reply.tool_calls[0].arguments, arguments, "the program reads the original arguments");
        assert_eq!(written(&reply)["tool_calls"][0]["function"]["arguments"], expected);
        let messages = registry.dispatch(&reply.tool_calls).await;
        assert!(messages[0].content.as_str().contains(message), "{arguments}: {}", messages[0].content);
    }
}

#[test]
fn a_written_reply_is_read_as_an_equal_reply() {
    let reply = read(calls_with_ids(&[json!(""), json!("a"), json!("a")]));
    assert_eq!(read(written(&reply)), reply);
}

#[tokio::test]
async fn the_example_of_deepseek_works_with_a_registry() {
    // From the documentation of DeepSeek: no `parameters`, `index: 0`, "{}", content "".
    let definition: ToolSchema = serde_json::from_value(
        json!({"type":"function","function":{"name":"now","description":"The time of day."}}),
    )
    .expect("a definition without parameters is read");
    let registry = Registry::new(tools![now]).expect("one tool");
    assert_eq!(registry.schemas(), [definition]);

    let reply: AssistantMessage = serde_json::from_value(json!({
        "role": "assistant", "content": "",
        "tool_calls": [{
            "index": 0, "id": "call_0_01234567", "type": "function",
            "function": {"name": "now", "arguments": "{}"}
        }]
    }))
    .expect("it is read");
    let mut messages = vec![Message::user("What time is it?"), reply.clone().into()];
    messages.extend(registry.dispatch(&reply.tool_calls).await.into_iter().map(Message::from));
    assert_eq!(
        written(&messages),
        json!([
            {"role":"user","content":"What time is it?"},
            {"role":"assistant","content":"","tool_calls":[
                {"id":"call_0_01234567","type":"function","function":{"name":"now","arguments":"{}"}}]},
            {"role":"tool","tool_call_id":"call_0_01234567","content":"ok"},
        ])
    );
}

#[test]
fn a_constructed_reply_is_written_like_one_that_was_read() {
    let constructed = AssistantMessage::from_tool_calls(vec![ToolCall::new("1", "now", "{}")]);
    assert_eq!(written(&constructed), written(&read(calls_with_ids(&[json!("1")]))));
}
