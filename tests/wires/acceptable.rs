//! Histories from other programs: each wire writes what it read in a form that its provider accepts, and reports changes.

use crate::{dropped, json, write};
use serde_json::{Value, json};
use tool_runtime::history;
use tool_runtime::testing::check_request;
use tool_runtime::wire::{Anthropic, Body, Responses, Wire};

/// The body that is written again, also after `repair`. The provider accepts it.
fn rewritten(wire: &dyn Wire, body: &Value) -> Body {
    let messages = wire.read_messages(&body.to_string()).expect("it is read");
    let (repaired, _) = history::repair(messages.clone());
    for messages in [&messages, &repaired] {
        assert_eq!(check_request(wire, &json(&write(wire, messages))), Ok(()), "{body}");
    }
    write(wire, &messages)
}

fn changes(body: &Body) -> Vec<String> {
    body.report().changed.iter().map(ToString::to_string).collect()
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": [{ "type": "text", "text": text }] })
}

fn assistant(blocks: Value) -> Value {
    json!({ "role": "assistant", "content": blocks })
}

fn server_call(id: &str) -> Value {
    json!({ "type": "server_tool_use", "id": id, "name": "web_fetch", "input": { "url": "u" } })
}

fn server_result(id: &str) -> Value {
    json!({ "type": "web_fetch_tool_result", "tool_use_id": id, "content": { "type": "web_fetch_result", "url": "u" } })
}

fn call(id: &str) -> Value {
    json!({ "type": "tool_use", "id": id, "name": "f", "input": {} })
}

fn result(id: &str) -> Value {
    json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id,
        "content": [{ "type": "text", "text": "r" }] }] })
}

// anthropics/anthropic-sdk-typescript#1090, anthropics/anthropic-sdk-python#1339, vellum-ai/vellum-assistant#40145
#[test]
fn a_server_tool_call_stays_if_its_result_is_in_a_later_reply_or_still_to_come() {
    let open = [user("q"), assistant(json!([server_call("s1"), call("c1")])), result("c1")];
    let later = assistant(json!([server_result("s1"), { "type": "text", "text": "done" }]));
    let more = [later, user("more")];
    let in_steps = [
        user("q"),
        assistant(json!([server_call("s1"), call("c1")])),
        result("c1"),
        assistant(json!([call("c2")])),
        result("c2"),
    ];
    for messages in
        [open.to_vec(), [&open[..], &more].concat(), in_steps.to_vec(), [&in_steps[..], &more].concat()]
    {
        let body = json!({ "messages": messages });
        let written = rewritten(&Anthropic::new(), &body);
        assert_eq!(json(&written)["messages"], body["messages"]);
        assert!(written.report().is_empty());
    }
}

// vellum-ai/vellum-assistant#40137
#[test]
fn a_server_tool_call_or_its_result_without_the_other_is_left_out_and_reported() {
    let body = json!({ "messages": [user("q"), assistant(json!([server_call("s1"), { "type": "text", "text": "a" }])),
        user("more"), assistant(json!([server_result("s2"), { "type": "text", "text": "b" }])), user("go")] });
    let written = rewritten(&Anthropic::new(), &body);
    assert_eq!(
        dropped(&written),
        ["messages[1]: dropped server_tool_use", "messages[3]: dropped web_fetch_tool_result"]
    );
    assert!(!json(&written).to_string().contains("web_fetch"));
}

// NousResearch/hermes-agent#52160 and #69340, anthropics/claude-agent-sdk-python#631
#[test]
fn a_conversation_that_starts_with_a_reply_gets_a_user_message_before_it() {
    let summary = assistant(json!([{ "type": "text", "text": "summary of before" }]));
    let with_call = assistant(json!([{ "type": "text", "text": "summary" }, call("c1")]));
    for messages in [vec![summary, user("next")], vec![with_call, result("c1"), user("next")]] {
        let body = json!({ "messages": messages });
        let written = rewritten(&Anthropic::new(), &body);
        let sent = &json(&written)["messages"];
        assert_eq!(sent[0], user("."));
        assert_eq!(sent[1], body["messages"][0]);
        assert_eq!(changes(&written).len(), 1);
        assert!(changes(&written)[0].starts_with("messages[0]: added a text of the user"));
    }
    // The result without a call is removed by `repair`.
    let orphan = json!({ "messages": [result("c9"), assistant(json!([{ "type": "text", "text": "ok" }])), user("go")] });
    let (messages, _) =
        history::repair(Anthropic::new().read_messages(&orphan.to_string()).expect("it is read"));
    let sent = json(&write(&Anthropic::new(), &messages));
    assert_eq!(sent["messages"][0]["role"], "user");
    assert_eq!(check_request(&Anthropic::new(), &sent), Ok(()));
}

// anthropics/claude-code#53436
#[test]
fn blank_text_in_a_history_is_left_out() {
    let blank = json!({ "type": "text", "text": "" });
    let result = json!({ "role": "user", "content": [
        { "type": "tool_result", "tool_use_id": "c1", "content": [blank] }, { "type": "text", "text": " " }] });
    let body = json!({ "messages": [user("q"), assistant(json!([blank, call("c1")])), result] });
    let written = rewritten(&Anthropic::new(), &body);
    assert_eq!(dropped(&written), ["messages[2]: dropped text", "messages[3]: dropped text"]);
}

// anthropics/claude-code#62150
#[test]
fn arguments_that_are_an_object_become_text() {
    let input = json!([{ "role": "user", "content": "q" },
        { "type": "function_call", "call_id": "c1", "name": "f", "arguments": { "a": 1 } },
        { "type": "function_call_output", "call_id": "c1", "output": "r" }]);
    let written = json(&rewritten(&Responses::new(), &json!({ "input": input })));
    assert_eq!(written["input"][1]["arguments"], r#"{"a":1}"#);
}

// anthropics/claude-code#3073
#[test]
fn the_parts_of_a_reply_are_those_that_a_reply_may_have() {
    let parts =
        json!([{ "type": "input_text", "text": "a" }, { "type": "input_image", "image_url": "https://x" }]);
    let body = json!({ "input": [{ "role": "user", "content": "q" }, { "role": "assistant", "content": parts },
        { "role": "assistant", "content": null }, { "role": "user", "content": "go" }] });
    let written = rewritten(&Responses::new(), &body);
    assert_eq!(json(&written)["input"][1]["content"], json!([{ "type": "output_text", "text": "a" }]));
    assert_eq!(dropped(&written), ["messages[1]: dropped input_image"]);
    assert_eq!(Responses::new().read_messages(&body.to_string()).expect("it is read")[1].text(), "a");
}

// laravel/ai#1052, omnigent#5066
#[test]
fn the_id_of_a_call_goes_back_only_after_its_reasoning() {
    let reasoning = json!({ "type": "reasoning", "id": "rs_1", "summary": [] });
    let call = |id: &str| json!({ "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": "f", "arguments": "{}" });
    let output = |id: &str| json!({ "type": "function_call_output", "call_id": id, "output": "r" });
    let start = json!({ "role": "user", "content": "q" });
    let input =
        json!([start, reasoning, call("a"), call("b"), output("a"), output("b"), call("c"), output("c")]);
    let written = json(&rewritten(&Responses::new(), &json!({ "input": input })));
    let mut expected = input.clone();
    expected[6].as_object_mut().expect("an object").remove("id");
    assert_eq!(written["input"], expected);
    // A reply without its own reasoning is a whole response.
    let response = json!({ "id": "resp_1", "status": "completed", "output": [call("a")] });
    let reply = Responses::new().read_reply(&response.to_string()).expect("it is read");
    let body = json(&write(&Responses::new(), &[reply.into()]));
    assert_eq!(body["input"][0]["id"], "fc_a");
}

#[test]
fn reasoning_goes_back_without_its_id_if_the_message_after_it_has_none() {
    let reasoning = json!({ "type": "reasoning", "id": "rs_1", "encrypted_content": "c2ln", "summary": [] });
    let body = json!({ "input": [reasoning, { "role": "assistant", "content": "a" }, { "role": "user", "content": "q" }] });
    let written = json(&rewritten(&Responses::new(), &body));
    assert_eq!(
        written["input"][0],
        json!({ "type": "reasoning", "encrypted_content": "c2ln", "summary": [] })
    );
}

// A recorded exchange: https://platform.openai.com/docs/guides/tools-tool-search
#[test]
fn the_output_of_a_function_stays_one_if_its_call_is_a_search() {
    let search = json!({ "type": "tool_search_call", "call_id": "a", "execution": "client", "status": "completed", "arguments": {} });
    for output in [json!("none found"), json!([{ "type": "input_text", "text": "none", "cache": true }])] {
        let output = json!({ "type": "function_call_output", "call_id": "a", "output": output });
        let body = json!({ "input": [{ "role": "user", "content": "q" }, search, output] });
        assert_eq!(json(&rewritten(&Responses::new(), &body))["input"], body["input"]);
    }
}
