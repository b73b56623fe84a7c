//! The ids of calls and results in requests.

use serde_json::{Value, json};
use tool_runtime::message::Message;
use tool_runtime::wire::{Anthropic, ChatCompletions, RequestParts, Responses, Wire};
use tool_runtime::{AssistantMessage, Conversation, ToolCall, ToolMessage};
use tool_runtime_testing::check_request;

/// A reply with calls of these ids, and their results.
fn exchange(ids: &[&str]) -> Vec<Message> {
    let calls = ids.iter().map(|id| ToolCall::new(*id, "now", "{}"));
    let results = ids.iter().map(|id| ToolMessage::new(*id, format!("result of {id}")).into());
    std::iter::once(AssistantMessage::from_tool_calls(calls).into()).chain(results).collect()
}

/// The ids of the calls and of the results in a request of Chat Completions, in order.
fn ids(wire: &dyn Wire, messages: &[Message]) -> (Vec<Value>, Vec<Value>) {
    let body = wire.write(&RequestParts::new(messages)).expect("it is written");
    let body = serde_json::to_value(&body).expect("it is JSON");
    assert_eq!(check_request(wire, &body), Ok(()));
    let messages = body["messages"].as_array().expect("messages");
    let calls = messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
    let results = messages.iter().filter(|message| message["role"] == "tool");
    (
        calls.map(|call| call["id"].clone()).collect(),
        results.map(|result| result["tool_call_id"].clone()).collect(),
    )
}

#[test]
fn long_and_repeated_ids_are_replaced_in_calls_and_results() {
    let long = "call_".repeat(9);
    let messages = [exchange(&["call_0", &long]), exchange(&["call_0"])].concat();
    let (calls, results) = ids(&ChatCompletions::new(), &messages);
    assert_eq!(calls, results);
    assert_eq!(calls[0], "call_0");
    assert_eq!(calls[2], "call_0_2");
    assert_eq!(calls[1].as_str().map(str::len), Some(40));
    // A longer conversation starts with the same ids.
    let longer = [messages.clone(), exchange(&["call_0", &long])].concat();
    let (more, _) = ids(&ChatCompletions::new(), &longer);
    assert_eq!(more[..3], calls);
    assert_eq!(more[3], "call_0_3");
    assert_ne!(more[4], more[1]);
}

#[test]
fn the_serde_form_of_a_conversation_has_the_same_ids() {
    let messages = [exchange(&["call_0"]), exchange(&["call_0"])].concat();
    let chat = Conversation::try_from(messages.clone()).expect("it is valid");
    let body = ChatCompletions::new().write(&RequestParts::new(&messages)).expect("it is written");
    assert_eq!(json!({ "messages": chat }), serde_json::to_value(&body).expect("it is JSON"));
    assert_eq!(chat.messages(), messages, "the conversation keeps its ids");
}

#[test]
fn mistral_gets_ids_of_nine_letters_and_digits() {
    let messages = exchange(&["abcDEF123", "call_1", "é", "abcdefgh", "abcdefghij"]);
    let (calls, results) = ids(&ChatCompletions::new().mistral_ids(true), &messages);
    assert_eq!(calls, results);
    assert_eq!(calls[0], "abcDEF123");
    for id in calls {
        let id = id.as_str().expect("text").to_owned();
        assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
    }
}

#[test]
fn other_wires_replace_characters_and_lengths_that_they_reject() {
    let long = "long".repeat(20);
    let messages = exchange(&["functions.now:0", &long]);
    let body = |wire: &dyn Wire| {
        let body = wire.write(&RequestParts::new(&messages)).expect("it is written");
        serde_json::to_value(&body).expect("it is JSON")
    };
    let anthropic = body(&Anthropic::new());
    assert_eq!(check_request(&Anthropic::new(), &anthropic), Ok(()));
    let [call, result] =
        ["/messages/0/content/0/id", "/messages/1/content/0/tool_use_id"].map(|path| anthropic.pointer(path));
    assert_eq!(call, result);
    assert!(call.and_then(Value::as_str).is_some_and(|id| id.starts_with("functions_now_0_")));
    let responses = body(&Responses::new());
    assert_eq!(check_request(&Responses::new(), &responses), Ok(()));
    assert_eq!(responses["input"][0]["call_id"], "functions.now:0");
    assert_eq!(responses["input"][1]["call_id"], responses["input"][3]["call_id"]);
    assert_eq!(responses["input"][1]["call_id"].as_str().map(str::len), Some(64));
}

#[test]
fn a_missing_id_is_the_same_whenever_the_response_is_read() {
    let body = json!({ "id": "chatcmpl-1", "choices": [{ "message": { "role": "assistant", "tool_calls": [
        { "id": "", "type": "function", "function": { "name": "now", "arguments": "{}" } },
        { "id": "", "type": "function", "function": { "name": "now", "arguments": "{}" } }] } }] });
    let read =
        |body: &Value| ChatCompletions::new().read_reply(&body.to_string()).expect("it is read").tool_calls;
    let calls = read(&body);
    assert_eq!(calls, read(&body));
    assert_ne!(calls[0].id, calls[1].id);
    let mut other = body;
    other["id"] = json!("chatcmpl-2");
    assert_ne!(calls[0].id, read(&other)[0].id);
}
