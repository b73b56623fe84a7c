//! Images and files in tool results: Chat Completions has them only in user messages.

use crate::schemas::now;
use serde_json::{Value, json};
use tool_runtime::conversation::Received;
use tool_runtime::message::{Content, Message, Part};
use tool_runtime::wire::{ChatCompletions, RequestParts, Wire};
use tool_runtime::{AssistantMessage, Conversation, Registry, ToolCall, ToolMessage, tools};

/// A conversation with these results, whose calls are `1`, `2`, ..
fn chat(results: Vec<Content>) -> Conversation {
    let ids = (1..=results.len()).map(|id| id.to_string());
    let calls = ids.clone().map(|id| ToolCall::new(id, "now", "{}"));
    let Received::ToolCalls(mut pending) =
        Conversation::new().user("Look.").receive(AssistantMessage::from_tool_calls(calls))
    else {
        panic!("it calls")
    };
    let results = ids.zip(results).map(|(id, content)| ToolMessage::new(id, content));
    pending.add_results(results).expect("they wait");
    pending.into_conversation().expect("each call has its result")
}

fn written(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("it is written")
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn image() -> Value {
    json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAEC"}})
}

#[test]
fn an_image_is_in_a_user_message_after_the_last_result() {
    let with_image = Content::from_parts([Part::text("The sky:"), Part::image("image/png", [0, 1, 2])]);
    let chat = chat(vec![with_image, "plain".into()]).user("And now?");
    let messages = written(&chat);
    let added =
        json!({"role": "user", "content": [text("Content of the result of the tool call 1:"), image()]});
    assert_eq!(
        messages.as_array().map(|messages| &messages[2..]),
        Some(
            &[
                json!({"role": "tool", "tool_call_id": "1", "content": "The sky:\n[image: image/png]"}),
                json!({"role": "tool", "tool_call_id": "2", "content": "plain"}),
                added,
                json!({"role": "user", "content": "And now?"}),
            ][..]
        )
    );
    assert_eq!(chat.messages().len(), 5, "the conversation has no added message");
    crate::assert_accepted(&messages);
    let registry = Registry::new(tools![now]).expect("one tool");
    assert_eq!(written(&chat.request(&registry))["messages"], messages);
    let body = chat.request(&registry).wire(ChatCompletions::new()).body().expect("it is written");
    assert_eq!(written(&body)["messages"], messages);
    assert!(body.report().is_empty(), "nothing is dropped: {:?}", body.report());
}

#[test]
fn images_and_files_of_several_results_are_in_one_message_in_their_order() {
    let file = Content::from_parts([Part::file("x.pdf", "application/pdf", b"%PDF")]);
    let url = Content::from_parts([Part::image_url("https://example.com/x.png")]);
    let messages = written(&chat(vec![file, "plain".into(), url]));
    assert_eq!(messages[2]["content"], "[file: x.pdf]");
    assert_eq!(messages[4]["content"], "[image: https://example.com/x.png]");
    assert_eq!(
        messages[5],
        json!({"role": "user", "content": [
            text("Content of the result of the tool call 1:"),
            {"type": "file", "file": {"filename": "x.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}},
            text("Content of the result of the tool call 3:"),
            {"type": "image_url", "image_url": {"url": "https://example.com/x.png"}},
        ]})
    );
    assert_eq!(messages.as_array().map(Vec::len), Some(6));
}

#[test]
fn images_of_each_reply_follow_its_last_result() {
    let image_of = |chat: Conversation| {
        let reply = AssistantMessage::from_tool_calls(vec![ToolCall::new("1", "now", "{}")]);
        let Received::ToolCalls(mut pending) = chat.receive(reply) else { panic!("it calls") };
        let content = Content::from(Part::image("image/png", [0, 1, 2]));
        pending.add_results([ToolMessage::new("1", content)]).expect("it waits");
        pending.into_conversation().expect("the call has its result")
    };
    let messages = written(&image_of(image_of(Conversation::new().user("Look twice."))));
    let roles: Vec<&str> =
        messages.as_array().expect("a list").iter().filter_map(|m| m["role"].as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "user", "assistant", "tool", "user"]);
    assert_eq!(messages[3]["content"][0]["text"], "Content of the result of the tool call 1:");
    assert_eq!(messages[6]["content"][0]["text"], "Content of the result of the tool call 1_2:");
    assert_eq!(messages[6]["content"][1], image());
}

#[test]
fn a_part_without_a_form_in_chat_completions_is_reported() {
    let audio = json!({"type": "audio_of_a_provider", "data": "AAAA"});
    let stored = json!([{"role": "user", "content": {"parts": [{"type": "other", "kind": "audio_of_a_provider"}],
        "native": {"wire": "another_wire", "value": [audio]}}}]);
    let messages: Vec<Message> = tool_runtime::message::stored::deserialize(stored).expect("it is read");
    let body = ChatCompletions::new().write(&RequestParts::new(&messages)).expect("it is written");
    let dropped: Vec<String> = body.report().dropped.iter().map(ToString::to_string).collect();
    assert_eq!(dropped, ["messages[0]: dropped audio_of_a_provider"]);
    assert!(!written(&body).to_string().contains("AAAA"));
}

#[test]
fn the_content_of_an_error_begins_with_error() {
    let mut message = ToolMessage::error("1", "it is offline");
    assert_eq!(written(&message)["content"], "Error: it is offline");
    message.content = "it is offline".into();
    assert_eq!(written(&message)["content"], "Error: it is offline", "the prefix is added");
    message.content = Content::from_parts([Part::text("it is offline"), Part::image("image/png", [0, 1, 2])]);
    assert_eq!(written(&message)["content"], "Error: it is offline\n[image: image/png]");
    assert_eq!(message.text(), "it is offline", "the message does not change");
    let ok = Message::from(ToolMessage::new("1", "it is offline"));
    assert_eq!(written(&ok)["content"], "it is offline");
}

#[test]
fn content_whose_parts_are_all_dropped_is_an_empty_text() {
    let history = json!([{"role": "user", "content": [
        {"type": "document", "source": {"type": "file", "file_id": "file_1"}}]}]);
    let wire = tool_runtime::wire::Anthropic::new();
    let messages = tool_runtime::wire::Wire::read_messages(&wire, &history.to_string()).expect("it is read");
    let written = serde_json::to_value(&messages).expect("it is written");
    assert_eq!(written, json!([{"role": "user", "content": ""}]));
}
