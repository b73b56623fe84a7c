//! Texts of other providers, read in the format of Chat Completions: an error that names the wire.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tool_runtime::message::Message;
use tool_runtime::wire::{Anthropic, ChatCompletions, Wire, WireError, detect};
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
            "gemini_interactions",
            json!({"id": "i", "status": "completed", "steps": [
                {"type": "model_output", "content": [{"type": "text", "text": "Hi."}]},
            ]}),
        ),
        (
            "gemini_interactions",
            json!({"id": "i", "object": "interaction", "model": "gemini", "status": "requires_action", "steps": [
                {"type": "thought", "signature": "c2ln"},
                {"type": "function_call", "id": "call_1", "name": "now", "arguments": {}},
            ]}),
        ),
        (
            "bedrock",
            json!({"output": {"message": {"role": "assistant", "content": [{"text": "Hi."}]}}, "stopReason": "end_turn"}),
        ),
        (
            "bedrock",
            json!({"output": {"message": {"role": "assistant", "content": [
                {"toolUse": {"toolUseId": "tooluse_1", "name": "now", "input": {}}},
            ]}}, "stopReason": "tool_use", "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}}),
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
        (
            "gemini_interactions",
            json!({"type": "user_input", "content": [{"type": "text", "text": "Hello!"}]}),
        ),
        (
            "gemini_interactions",
            json!({"type": "function_result", "call_id": "call_1", "name": "now", "result": "12:00"}),
        ),
        (
            "bedrock",
            json!({"role": "user", "content": [{"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": "12:00"}]}}]}),
        ),
        (
            "bedrock",
            json!({"role": "assistant", "content": [{"toolUse": {"toolUseId": "tooluse_1", "name": "now", "input": {}}}]}),
        ),
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

#[test]
fn the_wire_of_a_history_is_detected() {
    let plain = json!({"role": "user", "content": "?"});
    let call = json!({"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let of_object = |id: Option<&str>| json!({"id": id, "function": {"name": "f", "arguments": {}}});
    let content = |part: Value| json!({"role": "user", "content": [part]});
    let source = json!({"type": "url", "url": "https://example.com/a.png"});
    for (wire, message) in [
        ("chat_completions", plain.clone()),
        ("chat_completions", json!({"role": "developer", "content": "Be brief."})),
        ("chat_completions", json!({"role": "assistant", "content": null, "tool_calls": [call]})),
        ("chat_completions", json!({"role": "tool", "tool_call_id": "a", "content": "1"})),
        (
            "chat_completions",
            content(json!({"type": "image_url", "image_url": {"url": "https://example.com"}})),
        ),
        (
            "chat_completions",
            content(json!({"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]})),
        ),
        ("anthropic", content(json!({"type": "tool_result", "tool_use_id": "a"}))),
        ("anthropic", content(json!({"type": "web_search_tool_result", "tool_use_id": "a", "content": []}))),
        ("anthropic", content(json!({"type": "image", "source": source}))),
        ("anthropic", content(json!({"type": "thinking", "thinking": "Hm.", "signature": "s"}))),
        ("responses", content(json!({"type": "input_image", "image_url": "https://example.com"}))),
        ("responses", json!({"type": "message", "role": "user", "content": "?"})),
        ("responses", json!({"type": "reasoning", "id": "rs_1", "summary": []})),
        ("responses", json!({"type": "custom_tool_call", "call_id": "a", "name": "f", "input": "x"})),
        ("responses", json!({"type": "function_call_output", "call_id": "a", "output": "1"})),
        ("gemini", json!({"role": "user", "parts": [{"text": "?"}]})),
        (
            "gemini",
            json!({"role": "function", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}),
        ),
        ("ollama", json!({"role": "user", "content": "?", "images": ["AQID"]})),
        ("ollama", json!({"role": "assistant", "content": "4", "thinking": "2 + 2"})),
        ("ollama", json!({"role": "assistant", "content": "", "tool_calls": [of_object(None)]})),
        ("ollama", json!({"role": "tool", "tool_name": "f", "content": "1"})),
        // Some servers of Chat Completions also have objects.
        (
            "chat_completions",
            json!({"role": "assistant", "content": null, "tool_calls": [of_object(Some("a"))]}),
        ),
        ("gemini_interactions", json!({"type": "user_input", "content": "?"})),
        ("gemini_interactions", json!({"type": "user_input", "content": [{"type": "text", "text": "?"}]})),
        ("gemini_interactions", json!({"type": "thought", "signature": "c2ln"})),
        ("gemini_interactions", json!({"type": "model_output", "content": [{"type": "text", "text": "4"}]})),
        (
            "gemini_interactions",
            json!({"type": "function_result", "call_id": "a", "name": "f", "result": "1"}),
        ),
        ("bedrock", content(json!({"toolUse": {"toolUseId": "a", "name": "f", "input": {}}}))),
        ("bedrock", content(json!({"toolResult": {"toolUseId": "a", "content": [{"json": {}}]}}))),
        (
            "bedrock",
            content(json!({"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "s"}}})),
        ),
        ("bedrock", content(json!({"text": "?"}))),
    ] {
        // These have no messages of plain text.
        let has_no_plain = ["gemini", "gemini_interactions"].contains(&wire);
        let messages = if has_no_plain { json!([message]) } else { json!([plain, message]) };
        assert_eq!(detect(&messages.to_string()), Some(wire), "{messages}");
        let field = match wire {
            "gemini" => "contents",
            "gemini_interactions" | "responses" => "input",
            _ => "messages",
        };
        assert_eq!(detect(&json!({ "model": "m", field: messages }).to_string()), Some(wire), "{messages}");
    }
}

#[test]
fn the_wire_of_a_request_is_detected() {
    let plain = json!({"role": "user", "content": "?"});
    let of_object = |id: Option<&str>| json!({"id": id, "function": {"name": "f", "arguments": {}}});
    let content = |part: Value| json!({"role": "user", "content": [part]});
    for (wire, request) in [
        (Some("chat_completions"), json!({"messages": [plain]})),
        (Some("chat_completions"), json!([])),
        (Some("anthropic"), json!({"system": "Be brief.", "messages": [plain]})),
        (Some("anthropic"), json!({"messages": [plain], "tools": [{"name": "f", "input_schema": {}}]})),
        (Some("responses"), json!({"input": "?"})),
        (Some("responses"), json!({"input": [plain]})),
        (Some("gemini"), json!({"contents": []})),
        (Some("gemini_interactions"), json!({"system_instruction": "Be brief.", "input": "?"})),
        (
            Some("gemini_interactions"),
            json!([
                {"type": "user_input", "content": "?"},
                {"type": "function_call", "id": "a", "name": "f", "arguments": {}},
            ]),
        ),
        (
            Some("bedrock"),
            json!({"system": [{"text": "Be brief."}], "messages": [content(json!({"text": "?"}))]}),
        ),
        (None, json!({"model": "m"})),
        (None, json!({"messages": "?"})),
        (None, json!([plain, 7])),
        (None, json!([{"content": "?"}])),
        (None, json!("?")),
    ] {
        assert_eq!(detect(&request.to_string()), wire, "{request}");
    }
    let reply = json!({"role": "assistant", "content": "", "tool_calls": [of_object(Some("a"))]});
    let result = json!({"role": "tool", "tool_call_id": "a", "content": "1"});
    assert_eq!(detect(&json!([reply, result]).to_string()), Some("chat_completions"));
    let mut named = result;
    named["tool_name"] = json!("f");
    assert_eq!(detect(&json!([reply, named]).to_string()), Some("ollama"));
    assert_eq!(detect("{"), None);
}
