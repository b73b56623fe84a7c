//! A reply as it goes back to the server.

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
fn an_echo_has_ids_names_and_arguments_as_they_came_and_nothing_of_the_reasoning() {
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
fn an_echo_with_reasoning_keeps_what_providers_ask_to_have_back() {
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
fn content_is_echoed_as_it_was_and_absent_content_as_null() {
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
fn a_refusal_is_echoed_since_it_is_the_content() {
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
async fn empty_and_repeated_ids_are_replaced_the_same_in_call_and_answer() {
    let registry = Registry::new(tools![now]).expect("one tool");
    let reply =
        echo(calls_with_ids(&[json!(""), json!("a"), json!("a"), json!(null), json!("b")]), Echo::Minimal);
    let answers = registry.dispatch(&reply.tool_calls).await;
    let asked: Vec<&str> = reply.tool_calls.iter().map(|call| call.id.as_str()).collect();
    let answered: Vec<&str> = answers.iter().map(|answer| answer.tool_call_id.as_str()).collect();
    assert_eq!(asked, answered);
    assert_eq!((asked[1], asked[4]), ("a", "b"), "usable ids stay");
    assert_eq!(asked.iter().collect::<HashSet<_>>().len(), 5, "{asked:?}");
    for replaced in [asked[0], asked[2], asked[3]] {
        assert!(replaced.len() == 9 && replaced.chars().all(|c| c.is_ascii_alphanumeric()), "{replaced}");
    }
}

#[tokio::test]
async fn arguments_that_are_no_object_are_written_mended_and_dispatched_as_they_came() {
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
        assert_eq!(reply.tool_calls[0].arguments, arguments, "the program reads what came");
        assert_eq!(wire(&reply)["tool_calls"][0]["function"]["arguments"], written);
        let answers = registry.dispatch(&reply.tool_calls).await;
        assert!(answers[0].content.as_str().contains(answer), "{arguments}: {}", answers[0].content);
    }
}

#[test]
fn an_echo_of_an_echo_is_the_same() {
    let once = echo(calls_with_ids(&[json!(""), json!("a"), json!("a")]), Echo::Reasoning);
    assert_eq!(once.clone().echo(Echo::Reasoning), once);
}

#[tokio::test]
async fn the_deepseek_exchange_runs_through_registry_and_echo() {
    // As DeepSeek's own documentation shows it: no `parameters`, `index: 0`, "{}", content "".
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
fn a_message_made_by_hand_needs_no_echo() {
    let message = AssistantMessage::calling(vec![ToolCall::new("1", "now", "{}")]);
    assert_eq!(message.clone().echo(Echo::Minimal), message);
}
