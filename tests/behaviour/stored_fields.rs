//! No field that only the program needs is in a request: Mistral rejects unknown fields with status 422.

use serde_json::{Value, json};
use tool_runtime::conversation::{PendingCalls, Received};
use tool_runtime::message::{Content, Message, Part, stored};
use tool_runtime::{
    AssistantMessage, Conversation, Registry, ToolCall, ToolChoice, ToolMessage, ToolOutput, tool, tools,
};

/// Reads a file.
#[tool]
fn read_file(path: &str) -> Result<ToolOutput, String> {
    if path == "missing" {
        Err("there is no such file".to_owned())
    } else {
        Ok(ToolOutput::from("text").with_artifact(7_u8))
    }
}

fn registry() -> Registry {
    Registry::new(tools![read_file]).expect("one tool")
}

/// A truncated reply with every field that a server sends.
fn full_reply() -> AssistantMessage {
    serde_json::from_value(json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "a-model",
        "system_fingerprint": "fp_1", "service_tier": "default",
        "usage": {"prompt_tokens": 9, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}},
        "choices": [{"index": 0, "finish_reason": "length", "logprobs": null, "message": {
            "role": "assistant", "content": "Let me see.", "refusal": "I cannot.",
            "reasoning_content": "Hm.", "reasoning_details": [{"text": "Hm."}],
            "annotations": [{"type": "url_citation"}], "audio": {"id": "a"}, "function_call": null,
            "tool_calls": [
                {"index": 0, "id": "a", "type": "function", "extra_content": {"google": {"thought_signature": "s"}},
                    "function": {"name": "read_file", "arguments": "{\"path\":\"x\"}"}},
                {"index": 1, "id": "b", "type": "function",
                    "function": {"name": "read_file", "arguments": "{\"path\":\"missing\"}"}},
                {"index": 2, "id": "c", "type": "function",
                    "function": {"name": "read_file", "arguments": "{\"pat"}},
            ],
        }}],
    }))
    .expect("it is read")
}

async fn dispatched() -> Conversation {
    let Received::ToolCalls(pending) = Conversation::new().user("Read them.").receive(full_reply()) else {
        panic!("it calls")
    };
    pending.dispatch(&registry()).await
}

/// The messages of the request.
fn expected() -> Value {
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "read_file", "arguments": arguments}});
    json!([
        {"role": "user", "content": "Read them."},
        {"role": "assistant", "content": "Let me see.", "refusal": "I cannot.", "tool_calls": [
            call("a", r#"{"path":"x"}"#),
            call("b", r#"{"path":"missing"}"#),
            call("c", r#"{"invalid_json":"{\"pat"}"#),
        ]},
        {"role": "tool", "tool_call_id": "a", "content": "text"},
        {"role": "tool", "tool_call_id": "b", "content": "Error: there is no such file"},
        {"role": "tool", "tool_call_id": "c", "content": "Error: the call of `read_file` was not run: the reply was \
            truncated before the call was complete. Call it again with shorter arguments or in a shorter reply."},
    ])
}

fn written(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("it is written")
}

#[tokio::test]
async fn a_message_a_conversation_and_a_request_contain_only_fields_that_servers_accept() {
    let chat = dispatched().await;
    let Message::Assistant(reply) = &chat.messages()[1] else { panic!("it is a reply") };
    assert!(reply.usage().is_some() && reply.origin().is_some() && reply.is_truncated());
    assert!(reply.extra("annotations").is_some() && reply.tool_calls[2].is_truncated());
    let Message::Tool(result) = &chat.messages()[3] else { panic!("it is a result") };
    assert_eq!((result.tool(), result.error_kind()), (Some("read_file"), Some("returned")));

    assert_eq!(written(&chat), expected());
    assert_eq!(written(&chat.messages()), expected());
    assert_eq!(written(reply), expected()[1]);
    assert_eq!(written(&reply.tool_calls), expected()[1]["tool_calls"]);
    assert_eq!(written(result), expected()[3]);
    let request = chat.request(&registry()).tool_choice(ToolChoice::Required);
    let request = written(&request);
    assert_eq!(request["messages"], expected());
    let fields: Vec<&String> = request.as_object().expect("a map").keys().collect();
    assert_eq!(fields, ["messages", "tools", "tool_choice"]);
}

#[tokio::test]
async fn stored_messages_and_pending_calls_contain_only_these_fields_when_they_are_sent() {
    let stored_messages = stored::serialize(dispatched().await.messages(), serde_json::value::Serializer);
    let read: Conversation = stored::deserialize(stored_messages.expect("it is stored")).expect("it is read");
    assert_eq!(written(&read), expected());

    let Received::ToolCalls(mut pending) = Conversation::new().user("Read them.").receive(full_reply())
    else {
        panic!("it calls")
    };
    pending.run(&registry()).await;
    let stored = written(&pending);
    assert_eq!(stored["reply"]["usage"]["input_tokens"], 9, "the stored form has every field");
    let pending: PendingCalls = serde_json::from_value(stored).expect("it is read");
    assert_eq!(written(&pending.into_conversation().expect("each has its result")), expected());
}

#[test]
fn fields_and_items_of_another_provider_are_not_written() {
    let stored_messages = json!([{
        "role": "assistant",
        "content": "Let me see.",
        "tool_calls": [{"id": "a", "name": "read_file", "arguments": "{}", "extra": {"wire": "anthropic", "fields": {"caller": 1}}}],
        "origin": {"wire": "anthropic", "model": "claude"},
        "finish_reason": "tool_use",
        "completeness": "complete",
        "usage": {"input_tokens": 1, "output_tokens": 2},
        "native": [{"item": r#"{"type":"thinking","thinking":"Hm.","signature":"s"}"#}],
        "extra": {"wire": "anthropic", "fields": {"container": {"id": "x"}}},
    }]);
    let read: Vec<Message> = stored::deserialize(stored_messages).expect("it is read");
    assert_eq!(
        written(&read),
        json!([{"role": "assistant", "content": "Let me see.", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "read_file", "arguments": "{}"}},
        ]}])
    );
}

#[test]
fn fields_that_another_wire_read_are_not_written() {
    let history = json!([
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": "1", "cache_control": {"type": "ephemeral"}}]},
    ]);
    let wire = tool_runtime::wire::Anthropic::new();
    let messages = tool_runtime::wire::Wire::read_messages(&wire, &history.to_string()).expect("it is read");
    let Message::Tool(result) = &messages[1] else { panic!("a result") };
    assert!(result.extra("cache_control").is_some());
    assert_eq!(written(&messages)[1], json!({"role": "tool", "tool_call_id": "a", "content": "1"}));
}

#[test]
fn constructed_messages_contain_only_these_fields() {
    let parts = Content::from_parts([Part::json(json!({"a": 1})), Part::text("b")]);
    let text = |text: &str| json!({"type": "text", "text": text});
    let messages = [
        Message::from(AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "f", "{}")])),
        ToolMessage::new("a", parts).with_tool("f").into(),
        ToolMessage::error("b", "it is offline").with_tool("f").into(),
    ];
    let written = written(&messages);
    assert_eq!(
        written[1],
        json!({"role": "tool", "tool_call_id": "a", "content": [text("{\"a\":1}"), text("b")]})
    );
    assert_eq!(written[2], json!({"role": "tool", "tool_call_id": "b", "content": "Error: it is offline"}));
}
