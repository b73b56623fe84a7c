//! Texts of other providers, read in the format of Chat Completions: an error that names the wire.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tool_runtime::message::Message;
use tool_runtime::wire::{Anthropic, ChatCompletions, Wire, WireError};
use tool_runtime::{AssistantMessage, Conversation, ToolMessage};

fn error_of<T: DeserializeOwned>(value: &Value) -> String {
    match serde_json::from_value::<T>(value.clone()) {
        Ok(_) => panic!("{value} is read"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn replies_of_other_providers_are_errors_that_name_the_wire() {
    let tool_use = json!({"type": "tool_use", "id": "toolu_1", "name": "now", "input": {}});
    for (wire, reply) in [
        ("anthropic", json!({"role": "assistant", "content": [tool_use]})),
        ("anthropic", json!({"role": "assistant", "content": [{"type": "text", "text": "Hm."}, tool_use]})),
        (
            "anthropic",
            json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "stop_reason": "tool_use",
                "content": [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, tool_use],
                "usage": {"input_tokens": 1, "output_tokens": 2}}),
        ),
        (
            "anthropic",
            json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "stop_reason": "end_turn",
                "content": [{"type": "text", "text": "Hi."}]}),
        ),
        (
            "anthropic",
            json!({"role": "assistant", "content": [
                {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}},
                {"type": "text", "text": "Hi."},
            ]}),
        ),
        (
            "responses",
            json!({"id": "resp_1", "object": "response", "model": "a-model", "output": [
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi."}]},
            ]}),
        ),
        (
            "responses",
            json!({"object": "response", "output": [
                {"type": "function_call", "call_id": "call_1", "name": "now", "arguments": "{}"},
            ]}),
        ),
        (
            "responses",
            json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi."}]}),
        ),
        (
            "responses",
            json!({"type": "function_call", "call_id": "call_1", "name": "now", "arguments": "{}"}),
        ),
        (
            "gemini",
            json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi."}]}, "finishReason": "STOP"}]}),
        ),
        ("gemini", json!({"role": "model", "parts": [{"functionCall": {"name": "now", "args": {}}}]})),
        (
            "bedrock",
            json!({"output": {"message": {"role": "assistant", "content": [{"text": "Hi."}]}}, "stopReason": "end_turn"}),
        ),
    ] {
        let named = format!("this is in the format of `{wire}`");
        let error = error_of::<AssistantMessage>(&reply);
        assert!(error.contains(&named), "{reply}: {error}");
        let error = ChatCompletions::new().read_reply(&reply.to_string()).expect_err("it is of another wire");
        assert!(
            matches!(error, WireError::OtherWire { wire: found, .. } if found == wire),
            "{reply}: {error}"
        );
    }
}

#[test]
fn histories_of_other_providers_are_errors_that_name_the_wire() {
    for (wire, message) in [
        (
            "anthropic",
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "12:00"}]}),
        ),
        (
            "anthropic",
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "now", "input": {}}]}),
        ),
        ("responses", json!({"role": "user", "content": [{"type": "input_text", "text": "Hello!"}]})),
        ("responses", json!({"type": "function_call_output", "call_id": "call_1", "output": "12:00"})),
        ("gemini", json!({"role": "user", "parts": [{"text": "Hello!"}]})),
    ] {
        let named = format!("this is in the format of `{wire}`");
        let error = error_of::<Message>(&message);
        assert!(error.contains(&named), "{message}: {error}");
        let history = json!([{"role": "user", "content": "?"}, message]);
        let error = error_of::<Conversation>(&history);
        assert!(error.contains(&named), "{message}: {error}");
        let error = ChatCompletions::new().read_messages(&history.to_string()).expect_err("another wire");
        assert!(error.to_string().contains(&named), "{message}: {error}");
    }
}

#[test]
fn parts_that_chat_completions_has_are_read() {
    let reply: AssistantMessage = serde_json::from_value(json!({"role": "assistant", "content": [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
        {"type": "text", "text": "Hi."},
    ]}))
    .expect("Mistral sends such replies");
    assert_eq!(reply.text(), "Hi.");
    let text = serde_json::from_value::<Message>(
        json!({"role": "user", "content": [{"type": "text", "text": "Hi."}]}),
    );
    assert_eq!(text.expect("it is read").text(), "Hi.");
}

#[test]
fn messages_in_the_stored_form_are_an_error_of_plain_serde() {
    #[derive(serde::Serialize)]
    struct Stored {
        #[serde(with = "tool_runtime::message::stored")]
        messages: Vec<Message>,
    }

    let reply: AssistantMessage = serde_json::from_value(json!({"content": "x"})).expect("it is read");
    let results = [ToolMessage::error("a", "no"), ToolMessage::new("a", "12:00").with_tool("now")];
    for message in results.map(Message::from).into_iter().chain([reply.into()]) {
        let stored = json!(Stored { messages: vec![message] })["messages"].clone();
        let error = serde_json::from_value::<Vec<Message>>(stored.clone()).expect_err("another form");
        assert!(error.to_string().contains("read it with `message::stored`"), "{error}");
        let error = ChatCompletions::new().read_messages(&stored.to_string()).expect_err("another form");
        assert!(error.to_string().contains("read it with `message::stored`"), "{error}");
    }
}

#[test]
fn a_history_of_chat_completions_is_an_error_on_the_wire_of_anthropic() {
    for history in [
        json!([{"role": "user", "content": "?"}, {"role": "assistant", "content": null, "tool_calls": []}]),
        json!([{"role": "tool", "tool_call_id": "a", "content": "1"}]),
    ] {
        let error = Anthropic::new().read_messages(&history.to_string()).expect_err("another format");
        assert!(error.to_string().starts_with("this is in the format of `chat_completions`"), "{error}");
    }
}
