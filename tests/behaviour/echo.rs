//! The form of a reply in the next request.

use crate::schemas::now;
use serde_json::{Value, json};
use std::collections::HashSet;
use tool_runtime::message::{Echo, Message};
use tool_runtime::{AssistantMessage, Registry, ToolCall, ToolSchema, tools};

fn echo(reply: Value, echo: Echo) -> AssistantMessage {
    serde_json::from_value::<AssistantMessage>(reply).expect("it is read").echo(echo)
}

fn wire(message: &impl serde::Serialize) -> Value {
    serde_json::to_value(message).expect("it is written")
}

#[test]
fn an_echo_keeps_ids_names_and_arguments_and_drops_reasoning() {
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
        wire(&echo(reply, Echo::Minimal)),
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
fn an_echo_with_reasoning_keeps_the_fields_that_providers_require() {
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
        wire(&echo(reply, Echo::Reasoning)),
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
fn content_is_echoed_unchanged_and_missing_content_as_null() {
    for (content, echoed) in [
        (json!({"content": null}), json!(null)),
        (json!({"role": "assistant"}), json!(null)),
        (json!({"content": ""}), json!("")),
        (json!({"content": "x"}), json!("x")),
        (json!({"content": [{"type":"text","text":"x"}]}), json!([{"type":"text","text":"x"}])),
    ] {
        assert_eq!(wire(&echo(content, Echo::Minimal))["content"], echoed);
    }
}

#[test]
fn a_declined_request_is_echoed_with_its_reason() {
    let reply = echo(json!({"content":null,"refusal":"No."}), Echo::Minimal);
    assert_eq!(reply.refusal(), Some("No."));
    assert_eq!(wire(&reply), json!({"role":"assistant","content":null,"refusal":"No."}));
}

fn calls_with_ids(ids: &[Value]) -> Value {
    let calls: Vec<Value> =
        ids.iter().map(|id| json!({"id": id, "function": {"name": "now", "arguments": "{}"}})).collect();
    json!({ "tool_calls": calls })
}

#[tokio::test]
async fn empty_and_repeated_ids_are_replaced_in_calls_and_tool_messages() {
    let registry = Registry::new(tools![now]).expect("one tool");
    let reply =
        echo(calls_with_ids(&[json!(""), json!("a"), json!("a"), json!(null), json!("b")]), Echo::Minimal);
    let answers = registry.dispatch(&reply.tool_calls).await;
    let call_ids: Vec<&str> = reply.tool_calls.iter().map(|call| call.id.as_str()).collect();
    let message_ids: Vec<&str> = answers.iter().map(|answer| answer.tool_call_id.as_str()).collect();
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
    for (arguments, written, answer) in [
        ("", "{}", "ok"),
        ("null", "{}", "ok"),
        (" ", "{}", "ok"),
        ("{}", "{}", "ok"),
        ("{\"a\":", r#"{"invalid_json":"{\"a\":"}"#, "not valid JSON"),
        ("[1]", r#"{"invalid_json":"[1]"}"#, "must be one JSON object"),
        ("Beijing", r#"{"invalid_json":"Beijing"}"#, "not valid JSON"),
    ] {
        let reply = echo(
            json!({"tool_calls":[{"id":"1","function":{"name":"now","arguments":arguments}}]}),
            Echo::Minimal,
        );
        assert_eq!(reply.tool_calls[0].arguments, arguments, "the program reads the original arguments");
        assert_eq!(wire(&reply)["tool_calls"][0]["function"]["arguments"], written);
        let answers = registry.dispatch(&reply.tool_calls).await;
        assert!(answers[0].content.as_str().contains(answer), "{arguments}: {}", answers[0].content);
    }
}

#[test]
fn an_echo_of_an_echo_is_equal() {
    let once = echo(calls_with_ids(&[json!(""), json!("a"), json!("a")]), Echo::Reasoning);
    assert_eq!(once.clone().echo(Echo::Reasoning), once);
}

#[tokio::test]
async fn the_example_of_deepseek_works_with_registry_and_echo() {
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
    let reply = reply.echo(Echo::Minimal);
    let mut messages = vec![Message::user("What time is it?"), reply.clone().into()];
    messages.extend(registry.dispatch(&reply.tool_calls).await.into_iter().map(Message::from));
    assert_eq!(
        wire(&messages),
        json!([
            {"role":"user","content":"What time is it?"},
            {"role":"assistant","content":"","tool_calls":[
                {"id":"call_0_01234567","type":"function","function":{"name":"now","arguments":"{}"}}]},
            {"role":"tool","tool_call_id":"call_0_01234567","content":"ok"},
        ])
    );
}

#[test]
fn an_echo_does_not_change_a_constructed_message() {
    let message = AssistantMessage::calling(vec![ToolCall::new("1", "now", "{}")]);
    assert_eq!(message.clone().echo(Echo::Minimal), message);
}
