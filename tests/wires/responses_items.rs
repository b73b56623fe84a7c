//! The wire of the Responses API: items that go back, and changes of them.

use crate::responses::{
    accepted, call, custom_call, input, parallel_calls, read, read_on, reasoning, registry, text,
};
use crate::{dropped, json, list, write};
use serde_json::{Value, json};
use tool_runtime::conversation::Received;
use tool_runtime::message::Message;
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
    let parts = RequestParts::new(&[]).tools(registry.schemas()).allowed_tools(&names);
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
    let interrupted = interrupted.into_reply().expect("it has text");
    let written = accepted(&wire, &write(&wire, &[asked, vec![interrupted.into()]].concat()));
    assert_eq!(written["previous_response_id"], "resp_1");
    assert_eq!(written["input"][1], json!({ "role": "assistant", "content": "Half" }));

    // Nothing is stored.
    let written = accepted(&wire, &write(&wire.clone().store(false), &messages));
    assert_eq!(written.get("previous_response_id"), None);
    assert_eq!(written["input"].as_array().map(Vec::len), Some(7));
}

#[test]
fn nothing_has_an_id_of_the_server_if_nothing_is_stored() {
    let wire = Responses::new().store(false);
    let output = json!([
        reasoning(1),
        call(1, "delete", "{}"),
        without(reasoning(2), "encrypted_content"),
        text(1, "Hm.")
    ]);
    let reply = read_on(&wire, &output, "completed");
    let body = write(&wire, &with_results(&reply));
    assert_eq!(dropped(&body), ["messages[0]: dropped reasoning"]);
    let written = accepted(&wire, &body);
    assert_eq!(
        (&written["store"], &written["include"]),
        (&json!(false), &json!(["reasoning.encrypted_content"]))
    );
    let items = written["input"].as_array().expect("items");
    assert_eq!(items[..2], [without(reasoning(1), "id"), without(call(1, "delete", "{}"), "id")]);
    assert_eq!(items[2], without(text(1, "Hm."), "id"));
}

#[test]
fn removed_items_are_not_sent() {
    let mut reply = read(&parallel_calls(), "completed");
    reply.tool_calls.remove(0);
    let written = input(&Responses::new(), &with_results(&reply));
    let output = parallel_calls();
    assert_eq!(written.as_array().expect("items")[..3], [0, 1, 3].map(|index| output[index].clone()));

    reply.content = None;
    reply.tool_calls.clear();
    let body = write(&Responses::new(), &[reply.into()]);
    assert_eq!(json(&body)["input"], json!([]), "reasoning alone is rejected");
    assert_eq!(dropped(&body), ["messages[0]: dropped reasoning"]);
}

#[tokio::test]
async fn a_custom_tool_takes_text_and_its_result_is_one_of_a_custom_tool() {
    let wire = Responses::new().custom_tool("run_sql", "query").custom_tool("delete", "matching");
    let output =
        json!([custom_call(1, "run_sql", "SELECT \"a\""), call(2, "get_weather", r#"{"city":"Rome"}"#)]);
    let reply = read_on(&wire, &output, "completed");
    assert_eq!(reply.tool_calls[0].arguments, r#"{"query":"SELECT \"a\""}"#);
    let Received::ToolCalls(pending) = Conversation::new().user("?").receive(reply) else {
        panic!("it calls")
    };
    let chat = pending.dispatch(&registry()).await;
    let request = chat.request(&registry()).tool_choice(ToolChoice::Tool("run_sql".to_owned()));
    let written = accepted(&wire, &request.wire(wire.clone()).body().expect("it is written"));
    assert_eq!(
        written["input"].as_array().expect("items")[1..],
        [
            output[0].clone(),
            output[1].clone(),
            json!({ "type": "custom_tool_call_output", "call_id": "call_1", "output": "result of SELECT \"a\"" }),
            json!({ "type": "function_call_output", "call_id": "call_2", "output": "Rome: sunny" }),
        ]
    );
    assert_eq!(
        written["tools"][2],
        json!({ "type": "custom", "name": "run_sql", "description": "Run an SQL query." })
    );
    assert_eq!(written["tools"][0]["type"], "function", "its parameter may be null");
    assert_eq!(written["tool_choice"], json!({ "type": "custom", "name": "run_sql" }));
}

#[test]
fn a_custom_tool_with_another_parameter_is_sent_as_a_function_and_reported() {
    let wire = Responses::new().custom_tool("run_sql", "qurey");
    let registry = registry();
    let parts = RequestParts::new(&[]).tools(registry.schemas());
    let body = wire.write(&parts).expect("it is written");
    assert_eq!(body.report().not_custom_tools, ["run_sql"]);
    assert_eq!(
        body.report().to_string(),
        "the tool `run_sql` is sent as a function: it has other parameters"
    );
    let kinds: Value = list(&json(&body)["tools"]).iter().map(|tool| tool["type"].clone()).collect();
    assert_eq!(kinds, json!(["function", "function", "function"]));
}

#[test]
fn a_call_of_a_custom_tool_from_another_provider_is_written_as_text() {
    let wire = Responses::new().custom_tool("run_sql", "query");
    let calls = vec![
        ToolCall::new("a", "run_sql", r#"{"query":"SELECT 1"}"#),
        ToolCall::new("b", "run_sql", r#"{"query":1}"#),
    ];
    let written = input(&wire, &with_results(&AssistantMessage::from_tool_calls(calls)));
    let kinds: Vec<&str> =
        written.as_array().expect("items").iter().filter_map(|item| item["type"].as_str()).collect();
    assert_eq!(
        kinds,
        ["custom_tool_call", "function_call", "custom_tool_call_output", "function_call_output"]
    );
    assert_eq!(written[0]["input"], "SELECT 1");
    assert_eq!(written[1]["arguments"], r#"{"query":1}"#);
}

#[test]
fn a_custom_tool_that_the_wire_does_not_know_keeps_its_text() {
    let output = json!([custom_call(1, "patch", "*** Begin"), custom_call(2, "patch", "")]);
    let reply = read(&output, "completed");
    assert_eq!((&*reply.tool_calls[0].arguments, &*reply.tool_calls[1].arguments), ("*** Begin", ""));
    let written = input(&Responses::new(), &with_results(&reply));
    assert_eq!(written[0], output[0]);
    assert_eq!(written[2]["type"], "custom_tool_call_output");
    let mut changed = reply.clone();
    changed.tool_calls[0].arguments = "*** End".to_owned();
    let written = input(&Responses::new(), &with_results(&changed));
    assert_eq!(
        written[0],
        json!({ "type": "custom_tool_call", "call_id": "call_1", "name": "patch", "input": "*** End" })
    );
    let other = json(&write(&ChatCompletions::new(), &[reply.into()]));
    assert_eq!(
        other["messages"][0]["tool_calls"][0]["function"]["arguments"],
        r#"{"invalid_json":"*** Begin"}"#
    );
}

#[test]
fn replies_of_other_providers_and_invalid_arguments_are_written_anew() {
    let chat = json!({ "choices": [{ "finish_reason": "tool_calls", "message": {
        "content": "Hm.", "reasoning_content": "Two cities.",
        "tool_calls": [
            { "id": "a", "type": "function", "function": { "name": "f", "arguments": "{\"a\":" } },
            { "id": "b", "type": "function", "function": { "name": "f g", "arguments": "" } },
        ] } }] });
    let reply = ChatCompletions::new().read_reply(&chat.to_string()).expect("it is read");
    let body = write(&Responses::new(), &with_results(&reply));
    assert_eq!(dropped(&body), ["messages[0]: dropped reasoning_content"]);
    assert_eq!(
        accepted(&Responses::new(), &body)["input"],
        json!([
            { "role": "assistant", "content": "Hm." },
            { "type": "function_call", "call_id": "a", "name": "f", "arguments": r#"{"invalid_json":"{\"a\":"}"# },
            { "type": "function_call", "call_id": "b", "name": "f_g", "arguments": "{}" },
            { "type": "function_call_output", "call_id": "a", "output": "done" },
            { "type": "function_call_output", "call_id": "b", "output": "done" },
        ])
    );
    let native = read(&json!([call(1, "f", "[1]"), call(2, "f", "")]), "completed");
    let written = input(&Responses::new(), &with_results(&native));
    assert_eq!(
        (&written[0]["arguments"], &written[1]["arguments"]),
        (&json!(r#"{"invalid_json":"[1]"}"#), &json!("{}"))
    );
}

#[test]
fn ids_that_the_api_rejects_are_replaced_in_calls_and_results() {
    let long = "a".repeat(65);
    let mut messages = vec![Message::user("?")];
    for id in ["call_1", "call_1", &long, &long] {
        let mut item = call(1, "delete", "{}");
        item["call_id"] = json!(id);
        messages.extend(with_results(&read(&json!([item]), "completed")));
    }
    let written = input(&Responses::new(), &messages);
    assert_eq!(written, input(&Responses::new(), &messages), "the ids are deterministic");
    let ids: Vec<&str> =
        [1, 3, 5, 7].map(|index| written[index]["call_id"].as_str().expect("an id")).to_vec();
    assert_eq!(ids[..2], ["call_1", "call_1_2"]);
    for (id, index) in ids.iter().zip([2, 4, 6, 8]) {
        assert_eq!(written[index]["call_id"], *id);
    }
    let missing = read(&json!([without(call(1, "delete", "{}"), "call_id")]), "completed");
    let written = input(&Responses::new(), &with_results(&missing));
    assert_eq!(written[0]["call_id"], written[1]["call_id"]);
}
