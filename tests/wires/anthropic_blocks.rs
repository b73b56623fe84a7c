//! Anthropic's wire: the blocks of replies and results, and changes of them.

use crate::anthropic::{parallel_calls, read};
use crate::{json, write};
use serde_json::{Value, json};
use tool_runtime::message::{Content, Message, Part};
use tool_runtime::wire::{Anthropic, Wire};
use tool_runtime::{AssistantMessage, ToolCall, ToolMessage};
use tool_runtime_testing::check_request;

#[test]
fn a_removed_call_leaves_the_other_calls_at_their_blocks() {
    let call = |id: &str| json!({ "type": "tool_use", "id": id, "name": "f", "input": {}, "caller": { "type": "direct" } });
    let thinking = |text: &str| json!({ "type": "thinking", "thinking": text, "signature": "s" });
    let blocks = json!([thinking("1"), call("a"), thinking("2"), call("b")]);
    let mut reply = read(&blocks, "tool_use");
    reply.tool_calls.remove(0);
    let written = json(&write(&Anthropic::new(), &[reply.into()]));
    assert_eq!(written["messages"][0]["content"], json!([thinking("1"), thinking("2"), call("b")]));
}

#[test]
fn blocks_that_the_api_rejects_are_not_sent_back() {
    let search = json!({ "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {} });
    let blocks = json!([
        { "type": "thinking", "thinking": "Hm", "signature": "" },
        { "type": "text", "text": "I search." },
        search,
        { "type": "tool_use", "id": "a", "name": "", "input": [1] },
        { "type": "thinking", "thinking": "Hm.", "signature": "s" },
    ]);
    let reply = read(&blocks, "max_tokens");
    let messages = [reply.into(), ToolMessage::error("a", "truncated").into()];
    let body = write(&Anthropic::new(), &messages);
    let dropped: Vec<String> = body.report().dropped.iter().map(ToString::to_string).collect();
    let kinds = ["thinking", "server_tool_use", "thinking"];
    assert_eq!(dropped, kinds.map(|kind| format!("messages[0]: dropped {kind}")));
    let content = &json(&body)["messages"][0]["content"];
    assert_eq!(content[0], json!({ "type": "text", "text": "I search." }));
    assert_eq!(content[1]["input"], json!({ "invalid_json": "[1]" }));
    assert_eq!(content.as_array().map(Vec::len), Some(2));
    check_request(&Anthropic::new(), &json(&body)).expect("a server accepts it");
}

#[test]
fn errors_have_text_only_and_images_are_in_places_where_the_api_takes_them() {
    let chart = || Content::from_parts([Part::text("a chart"), Part::image("image/png", [1])]);
    let messages = [
        Message::system(chart()),
        Message::user(Content::from_parts([Part::image("image/svg+xml", [1]), Part::image_url("ftp://x")])),
        AssistantMessage::from_text(chart()).into(),
        AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "f", "{}"), ToolCall::new("b", "f", "{}")])
            .into(),
        {
            let Message::Tool(mut result) = Message::from(ToolMessage::error("a", "x")) else {
                panic!("a result")
            };
            result.content = chart();
            result.into()
        },
        {
            let mut result = ToolMessage::error("b", "x");
            result.content = "".into();
            result.into()
        },
    ];
    let body = write(&Anthropic::new(), &messages);
    let dropped: Vec<String> = body.report().dropped.iter().map(ToString::to_string).collect();
    assert_eq!(dropped, [0, 1, 1, 2, 4].map(|index| format!("messages[{index}]: dropped image")));
    let written = json(&body);
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    assert_eq!(written["system"], text("a chart"));
    assert_eq!(written["messages"][1]["content"][0], text("a chart")[0]);
    assert_eq!(written["messages"][2]["content"][0]["content"], text("a chart"));
    assert_eq!(written["messages"][2]["content"][1]["content"], text("Error"));
}

#[test]
fn ids_that_the_api_rejects_are_replaced_in_calls_and_results() {
    let exchange = |id: &str, text: &str| {
        [
            AssistantMessage::from_tool_calls(vec![ToolCall::new(id, "now", "{}")]).into(),
            Message::from(ToolMessage::new(id, text)),
        ]
    };
    let mut messages = vec![Message::user("?")];
    for (id, text) in [("functions.now:0", "a"), ("functions.now:0", "b"), ("call_0", "c"), ("call_0", "d")] {
        messages.extend(exchange(id, text));
    }
    let written = json(&write(&Anthropic::new(), &messages));
    let again = json(&write(&Anthropic::new(), &messages));
    assert_eq!(written, again, "the ids are deterministic");
    let mut ids = Vec::new();
    for index in [1, 3, 5, 7] {
        let id = written["messages"][index]["content"][0]["id"].as_str().expect("an id").to_owned();
        assert!(id.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter)), "{id}");
        assert_eq!(written["messages"][index + 1]["content"][0]["tool_use_id"], id);
        assert!(!ids.contains(&id), "{id}");
        ids.push(id);
    }
    assert_eq!(ids[2..], ["call_0", "call_0_2"]);
}

#[test]
fn a_block_of_the_provider_keeps_its_fields_if_its_id_is_replaced() {
    let block = json!({ "type": "tool_use", "id": "call 1", "name": "f", "input": { "a": 1 }, "caller": { "type": "direct" } });
    let text = format!(r#"{{"type":"message","content":[{block}],"stop_reason":"tool_use"}}"#);
    let text = text.replace(r#"{"a":1}"#, r#"{"z":123456789012345678901234567890,"a":1}"#);
    let reply = Anthropic::new().read_reply(&text).expect("it is read");
    let messages = [reply.into(), Message::from(ToolMessage::new("call 1", "1"))];
    let written = serde_json::to_string(&write(&Anthropic::new(), &messages)).expect("JSON");
    assert!(written.contains(r#""input":{"z":123456789012345678901234567890,"a":1}"#), "{written}");
    let written: Value = serde_json::from_str(&written).expect("JSON");
    let block = &written["messages"][0]["content"][0];
    assert_eq!(block["caller"]["type"], "direct");
    assert_ne!(block["id"], "call 1");
    assert_eq!(block["id"], written["messages"][1]["content"][0]["tool_use_id"]);
}

#[test]
fn images_documents_and_json_are_blocks_of_a_result() {
    let content = Content::from_parts([
        Part::text("A chart:"),
        Part::json(json!({ "points": 3 })),
        Part::image("image/png", [1, 2, 3]),
        Part::image_url("https://example.com/a.png"),
        Part::file("notes.txt", "text/plain", "one"),
        Part::file("a.pdf", "application/pdf", [4, 5, 6]),
        Part::file("a.zip", "application/zip", [7]),
    ]);
    let messages = [
        Message::user("?"),
        AssistantMessage::from_tool_calls(vec![ToolCall::new("toolu_1", "chart", "{}")]).into(),
        ToolMessage::new("toolu_1", content).into(),
    ];
    let body = write(&Anthropic::new(), &messages);
    let dropped: Vec<String> = body.report().dropped.iter().map(ToString::to_string).collect();
    assert_eq!(dropped, ["messages[2]: dropped file"]);
    assert_eq!(
        json(&body)["messages"][2]["content"][0]["content"],
        json!([
            { "type": "text", "text": "A chart:" },
            { "type": "text", "text": r#"{"points":3}"# },
            { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AQID" } },
            { "type": "image", "source": { "type": "url", "url": "https://example.com/a.png" } },
            { "type": "document", "title": "notes.txt",
              "source": { "type": "text", "media_type": "text/plain", "data": "one" } },
            { "type": "document", "title": "a.pdf",
              "source": { "type": "base64", "media_type": "application/pdf", "data": "BAUG" } },
        ])
    );
}

#[test]
fn the_arguments_and_blocks_keep_the_order_of_their_keys() {
    let text =
        r#"{"type":"message","content":[{"type":"tool_use","id":"a","name":"f","input":{"z":1,"a":2}}]}"#;
    let reply = Anthropic::new().read_reply(text).expect("it is read");
    assert_eq!(reply.tool_calls[0].arguments, r#"{"z":1,"a":2}"#);
    let written = serde_json::to_string(&write(&Anthropic::new(), &[reply.into()])).expect("JSON");
    assert!(written.contains(r#""input":{"z":1,"a":2}"#), "{written}");
}

#[test]
fn a_changed_reply_keeps_the_other_blocks() {
    let mut reply = read(&parallel_calls(), "tool_use");
    reply.content = Some("I look both up.".into());
    reply.tool_calls[1].arguments = r#"{"city":"Athens"}"#.to_owned();
    let written = json(&write(&Anthropic::new(), &[reply.clone().into()]));
    let mut expected = parallel_calls();
    expected[2]["text"] = json!("I look both up.");
    expected[4]["input"]["city"] = json!("Athens");
    assert_eq!(written["messages"][0]["content"], expected);

    reply.content = None;
    reply.tool_calls.clear();
    let body = write(&Anthropic::new(), &[reply.into()]);
    let start = json!([{ "role": "user", "content": [{ "type": "text", "text": "." }] }]);
    assert_eq!(
        json(&body)["messages"],
        start,
        "a message of thinking alone is rejected, and so is no message"
    );
    assert_eq!(body.report().dropped.len(), 2);
}
