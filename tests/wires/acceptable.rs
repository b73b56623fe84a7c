//! Histories from other programs: each wire writes what it read in a form that its provider accepts, and reports changes.

use crate::{dropped, json, write};
use serde_json::{Value, json};
use tool_runtime::history;
use tool_runtime::testing::check_request;
use tool_runtime::wire::{Anthropic, Body, Wire};

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
