//! The stored form of messages and of pending calls keeps every field.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_runtime::conversation::{PendingCalls, Received};
use tool_runtime::message::{self, Completeness, Content, Message, Part};
use tool_runtime::{AssistantMessage, Conversation, Registry, ToolCall, ToolMessage, tool, tools};

#[derive(Serialize, Deserialize)]
struct Stored {
    #[serde(with = "message::stored")]
    messages: Vec<Message>,
}

fn after_storage(messages: &[Message]) -> Vec<Message> {
    let text = serde_json::to_string(&Stored { messages: messages.to_vec() }).expect("it is stored");
    let read: Stored = serde_json::from_str(&text).expect("it is read");
    assert_eq!(serde_json::to_string(&read).expect("it is stored"), text, "the stored form does not change");
    read.messages
}

fn reply(response: Value) -> AssistantMessage {
    serde_json::from_value(response).expect("it is read")
}

fn truncated_reply() -> AssistantMessage {
    reply(json!({
        "model": "a-model",
        "usage": {"prompt_tokens": 9, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}},
        "choices": [{"finish_reason": "length", "message": {
            "content": [{"type": "text", "text": "Let me see.", "annotations": []}],
            "refusal": "I cannot.", "reasoning_content": "Hm.",
            "tool_calls": [
                {"id": "a", "function": {"name": "f", "arguments": "{ }"}, "extra_content": {"x": 1}},
                {"id": "b", "type": "custom", "custom": {"name": "shell", "input": "ls"}},
                {"id": "c", "function": {"name": "f.g", "arguments": "{\"pat"}},
            ],
        }}],
    }))
}

#[test]
fn a_reply_is_stored_without_loss() {
    let before = truncated_reply();
    let Message::Assistant(after) = after_storage(&[before.clone().into()]).remove(0) else {
        panic!("it is a reply")
    };
    assert_eq!(after, before);
    assert_eq!(
        after.origin().map(|origin| (&*origin.wire, origin.model.as_deref())),
        Some(("chat_completions", Some("a-model")))
    );
    assert_eq!((after.finish_reason(), after.completeness()), (Some("length"), Completeness::Truncated));
    assert!(after.is_truncated());
    assert_eq!(
        after.usage().map(|usage| (usage.input_tokens, usage.cached_input_tokens, usage.output_tokens)),
        Some((9, 4, 5))
    );
    assert_eq!((after.text(), after.refusal()), ("Let me see.", Some("I cannot.")));
    assert_eq!(after.extra("reasoning_content"), Some(&json!("Hm.")));
    assert_eq!(after.tool_calls[0].extra("extra_content"), Some(&json!({"x": 1})));
    let truncated: Vec<bool> = after.tool_calls.iter().map(ToolCall::is_truncated).collect();
    assert_eq!(truncated, [false, true, true]);
    assert_eq!((&*after.tool_calls[2].name, &*after.tool_calls[2].arguments), ("f.g", "{\"pat"));
    assert_eq!(json!(after), json!(before), "the request is equal");
}

#[test]
fn each_completeness_is_stored() {
    for (reason, completeness) in [
        ("stop", Completeness::Complete),
        ("length", Completeness::Truncated),
        ("pause_turn", Completeness::Paused),
        ("", Completeness::Unknown),
    ] {
        let before = AssistantMessage::from_text("Hi.").with_finish_reason(reason);
        assert_eq!(before.completeness(), completeness);
        assert_eq!(after_storage(&[before.clone().into()]), [Message::from(before)]);
    }
}

#[test]
fn items_of_a_provider_are_stored_unchanged() {
    let stored = json!([{
        "role": "assistant",
        "content": "Let me see.",
        "origin": {"wire": "anthropic", "model": "claude"},
        "finish_reason": "end_turn",
        "completeness": "complete",
        "native": [
            {"item": r#"{"type":"thinking","thinking":"Hm.","signature":"s"}"#},
            {"item": r#"{"type":"text","text":"Let me see."}"#, "stands_for": {"text": "0123456789abcdef"}},
        ],
    }]);
    let read: Vec<Message> = message::stored::deserialize(&stored).expect("it is read");
    assert_eq!(json!(Stored { messages: read.clone() })["messages"], stored);
    assert_eq!(after_storage(&read), read);
    let Message::Assistant(reply) = &read[0] else { panic!("it is a reply") };
    // The text of the JSON: the order of its keys stays.
    let items: Vec<&str> = reply.native_items().collect();
    assert_eq!(
        items,
        [
            r#"{"type":"thinking","thinking":"Hm.","signature":"s"}"#,
            r#"{"type":"text","text":"Let me see."}"#,
        ]
    );
}

#[test]
fn messages_of_each_role_are_stored_without_loss() {
    let mut messages: Vec<Message> = serde_json::from_value(json!([
        {"role": "system", "content": "Be brief.", "name": "policy"},
        {"role": "developer", "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]},
        {"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": "https://example.com/x.png", "detail": "low"}},
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
        ]},
        {"role": "assistant", "content": "y", "reasoning_content": "z"},
        {"role": "tool", "content": "w", "tool_call_id": "1", "name": "f"},
    ]))
    .expect("a history is read");
    let parts = [
        Part::text("a"),
        Part::json(json!({"b": [1]})),
        Part::image("image/png", [0, 1, 2]),
        Part::image_url("https://example.com/x.png"),
        Part::file("x.pdf", "application/pdf", b"%PDF"),
    ];
    messages.extend([
        Message::user(Content::from_parts(parts.clone())),
        ToolMessage::new("2", Content::from_parts(parts)).with_tool("g").into(),
        ToolMessage::error("3", "it is offline").with_tool("g").into(),
    ]);
    let read = after_storage(&messages);
    assert_eq!(read, messages);
    assert_eq!(json!(read), json!(messages), "the request is equal");
    let Message::Tool(result) = &read[7] else { panic!("it is a result") };
    assert_eq!((result.tool(), result.is_error(), result.error_kind()), (Some("g"), true, Some("returned")));
}

#[tokio::test]
async fn pending_calls_are_stored_without_loss() {
    /// Prints a page.
    #[tool(requires_approval)]
    fn print(page: u8) -> Result<u8, String> {
        if page == 0 { Err("there is no page 0".to_owned()) } else { Ok(page) }
    }

    let registry = Registry::new(tools![print]).expect("one tool");
    let calls = [("a", "{\"page\":1}"), ("b", "{\"page\":0}"), ("c", "{\"page\":2}"), ("d", "{\"pag")];
    let calls = calls.map(|(id, arguments)| {
        json!({"id": id, "extra_content": {"id": id}, "function": {"name": "print", "arguments": arguments}})
    });
    let response = json!({"model": "a-model", "usage": {"prompt_tokens": 9, "completion_tokens": 5}, "choices": [
        {"finish_reason": "length", "message": {"content": null, "reasoning_content": "Hm.", "tool_calls": calls}},
    ]});
    let before: Vec<Message> = vec![Message::user("Print."), truncated_reply().into()];
    let before =
        before.into_iter().chain(["a", "b", "c"].map(|id| ToolMessage::error(id, "it is offline").into()));
    let chat = Conversation::try_from(before.collect::<Vec<_>>()).expect("it is valid");
    let Received::ToolCalls(mut pending) = chat.receive(reply(response)) else { panic!("it calls") };
    pending.add_results(registry.dispatch(&pending.calls()[3..]).await).expect("it waits");
    pending.approve("a").expect("it waits");
    pending.approve("b").expect("it waits");
    pending.deny("c", "the user is out of paper").expect("it waits");

    let text = serde_json::to_string(&pending).expect("it is stored");
    let mut read: PendingCalls = serde_json::from_str(&text).expect("it is read");
    assert_eq!(read.reply(), pending.reply());
    assert_eq!(read.conversation().messages(), pending.conversation().messages());
    assert!(read.calls()[3].is_truncated() && read.reply().usage().is_some());
    assert_eq!((read.is_approved("a"), read.is_approved("b"), read.is_approved("c")), (true, true, false));
    for id in ["c", "d"] {
        let (read, before) =
            (read.result_of(id).expect("a result"), pending.result_of(id).expect("a result"));
        assert_eq!(
            (read.text(), read.tool(), read.error_kind()),
            (before.text(), before.tool(), before.error_kind())
        );
        assert_eq!(read.tool(), Some("print"));
    }
    assert_eq!(read.result_of("c").and_then(ToolMessage::error_kind), Some("denied"));
    assert_eq!(read.result_of("d").and_then(ToolMessage::error_kind), Some("truncated"));
    read.run(&registry).await;
    assert_eq!(read.result_of("a").map(ToolMessage::text), Some("1"), "the approval is valid");
    assert_eq!(read.result_of("b").map(ToolMessage::text), Some("Error: there is no page 0"));
}

#[tokio::test]
async fn a_dispatched_conversation_equals_its_stored_copy() {
    let registry = Registry::new(tools![crate::schemas::now]).expect("one tool");
    let calls = vec![ToolCall::new("a", "now", "{}"), ToolCall::new("b", "unknown", "{}")];
    let Received::ToolCalls(pending) =
        Conversation::new().user("?").receive(AssistantMessage::from_tool_calls(calls))
    else {
        panic!("it calls")
    };
    let chat = pending.dispatch(&registry).await;
    let copy = after_storage(chat.messages());
    assert_eq!(copy, chat.messages());
    let Message::Tool(failed) = &copy[3] else { panic!("a result") };
    assert_eq!((failed.error_kind(), failed.tool()), (Some("unknown_tool"), Some("unknown")));
}
