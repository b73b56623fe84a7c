//! The wire of the Responses API: items that go back, and changes of them.

use crate::responses::{
    accepted, call, custom_call, dropped, input, parallel_calls, read, read_on, reasoning, registry, text,
};
use crate::{json, write};
use serde_json::{Value, json};
use tool_runtime::conversation::Turn;
use tool_runtime::history;
use tool_runtime::message::{Content, Message, Part};
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire::{ChatCompletions, RequestParts, Responses, Wire};
use tool_runtime::{AssistantMessage, Conversation, ToolCall, ToolChoice, ToolMessage};

fn without(mut item: Value, field: &str) -> Value {
    item.as_object_mut().expect("an item is an object").remove(field);
    item
}

/// The results of these calls.
fn results(ids: &[&str]) -> Vec<Message> {
    ids.iter().map(|id| ToolMessage::new(*id, "done").into()).collect()
}

fn with_results(reply: &AssistantMessage) -> Vec<Message> {
    let ids: Vec<&str> = reply.tool_calls.iter().map(|call| &*call.id).collect();
    [vec![reply.clone().into()], results(&ids)].concat()
}

#[test]
fn a_changed_call_leaves_the_other_items_unchanged() {
    let mut reply = read(&parallel_calls(), "completed");
    reply.tool_calls[1].arguments = r#"{"city":"Athens"}"#.to_owned();
    let body = write(&Responses::new(), &with_results(&reply));
    assert!(body.report().is_empty(), "{:?}", body.report());
    let written = accepted(&Responses::new(), &body);
    let output = parallel_calls();
    assert_eq!(written["input"].as_array().expect("items")[..3], output.as_array().expect("items")[..3]);
    assert_eq!(
        written["input"][3],
        json!({ "type": "function_call", "call_id": "call_2", "name": "get_weather", "arguments": r#"{"city":"Athens"}"# })
    );
}

#[test]
fn reasoning_goes_back_only_with_the_item_that_follows_it() {
    let mut reply = read(&parallel_calls(), "completed");
    reply.content = Some("I look both up.".into());
    let body = write(&Responses::new(), &with_results(&reply));
    assert_eq!(dropped(&body), ["messages[0]: dropped reasoning"]);
    let written = accepted(&Responses::new(), &body)["input"].clone();
    assert_eq!(written[0], json!({ "role": "assistant", "content": "I look both up." }));
    // Without its reasoning, the API rejects an item with an id.
    assert_eq!(written[1], without(parallel_calls()[2].clone(), "id"));
    assert_eq!(written[2], without(parallel_calls()[3].clone(), "id"));
}

#[test]
fn reasoning_without_an_id_has_its_encrypted_content() {
    let plain = |number| without(reasoning(number), "encrypted_content");
    for (second, kept) in [(plain(2), None), (reasoning(2), Some(without(reasoning(2), "id")))] {
        let output = json!([plain(1), call(1, "delete", "{}"), second, call(2, "delete", "{}")]);
        let mut reply = read(&output, "completed");
        reply.tool_calls[0].arguments = r#"{"matching":"a"}"#.to_owned();
        let body = write(&Responses::new(), &with_results(&reply));
        assert_eq!(body.report().dropped.len(), if kept.is_some() { 1 } else { 2 });
        let written = accepted(&Responses::new(), &body)["input"].clone();
        let reasonings: Vec<&Value> =
            written.as_array().expect("items").iter().filter(|item| item["type"] == "reasoning").collect();
        assert_eq!(reasonings, kept.iter().collect::<Vec<_>>());
    }
}

#[test]
fn a_call_with_a_name_that_the_api_rejects_is_written_with_another_name() {
    let reply = read(&json!([call(1, "multi_tool_use.parallel", "{}")]), "completed");
    assert_eq!(reply.tool_calls[0].name, "multi_tool_use.parallel");
    let written = input(&Responses::new(), &with_results(&reply));
    assert_eq!(written[0]["name"], "multi_tool_use_parallel");
}

#[test]
fn an_allowed_tool_that_does_not_exist_is_reported_and_not_sent() {
    let (registry, wire) = (registry(), Responses::new().native_allowed_tools(true));
    let names = ["delete".to_owned(), "wipe".to_owned()];
    let parts = RequestParts::new(&[]).with_tools(registry.schemas()).with_allowed_tools(&names);
    let body = wire.write(&parts).expect("JSON");
    assert_eq!(body.report().unknown_tools, ["wipe"]);
    let written = accepted(&wire, &body);
    assert_eq!(written["tool_choice"]["tools"], json!([{ "type": "function", "name": "delete" }]));
}

#[test]
fn a_request_continues_the_newest_response_that_the_program_has_completely() {
    let wire = Responses::new().previous_response(true);
    let reply = |id: &str, output: Value| {
        let body = json!({ "id": id, "status": "completed", "output": output });
        wire.read_reply(&body.to_string()).expect("it is read")
    };
    let first = reply("resp_1", json!([text(1, "Hi!")]));
    let second = reply("resp_2", json!([custom_call(1, "sql", "SELECT 1"), call(2, "delete", "{}")]));
    let mut messages = vec![Message::system("Be brief."), Message::user("Hello!"), first.into()];
    messages.push(Message::user("Delete it!"));
    let written = accepted(&wire, &write(&wire, &messages));
    assert_eq!(written["previous_response_id"], "resp_1");
    assert_eq!(written["instructions"], "Be brief.", "the API does not keep them");
    assert_eq!(written["input"], json!([{ "role": "user", "content": "Delete it!" }]));

    let asked = messages.clone();
    messages.extend(with_results(&second));
    let written = accepted(&wire, &write(&wire, &messages));
    assert_eq!(written["previous_response_id"], "resp_2");
    assert_eq!(
        written["input"],
        json!([
            { "type": "custom_tool_call_output", "call_id": "call_1", "output": "done" },
            { "type": "function_call_output", "call_id": "call_2", "output": "done" },
        ])
    );

    // The server may have more of this response.
    let mut interrupted = ReplyAssembler::new().wire(wire.clone());
    interrupted.push(json!({ "type": "response.created", "response": { "id": "resp_3" } }));
    interrupted.push(json!({ "type": "response.output_text.delta", "output_index": 0, "delta": "Half" }));
    let interrupted = interrupted.finish().expect("it has text");
    let written = accepted(&wire, &write(&wire, &[asked, vec![interrupted.into()]].concat()));
    assert_eq!(written["previous_response_id"], "resp_1");
    assert_eq!(written["input"][1], json!({ "role": "assistant", "content": "Half" }));

    // Nothing is stored.
    let written = accepted(&wire, &write(&wire.clone().store(false), &messages));
    assert_eq!(written.get("previous_response_id"), None);
    assert_eq!(written["input"].as_array().map(Vec::len), Some(7));
}
