//! Histories from other programs: each wire writes what it read in a form that its provider accepts, and reports changes.

use crate::{dropped, json, write};
use crate::{list, rows};
use serde_json::{Value, json};
use tool_runtime::message::{Content, Message, Part};
use tool_runtime::wire::{
    Anthropic, Bedrock, Body, ChatCompletions, Gemini, Ollama, Responses, Wire, detect,
};
use tool_runtime::{AssistantMessage, ToolCall, ToolMessage};
use tool_runtime_repair::repair;
use tool_runtime_testing::check_request;

/// The body that is written again, also after `repair`. The provider accepts it.
fn rewritten(wire: &dyn Wire, body: &Value) -> Body {
    let messages = wire.read_messages(&body.to_string()).expect("it is read");
    let (repaired, _) = repair(messages.clone());
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

fn assistant(blocks: &Value) -> Value {
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
    let open = [user("q"), assistant(&json!([server_call("s1"), call("c1")])), result("c1")];
    let later = assistant(&json!([server_result("s1"), { "type": "text", "text": "done" }]));
    let more = [later, user("more")];
    let in_steps = [
        user("q"),
        assistant(&json!([server_call("s1"), call("c1")])),
        result("c1"),
        assistant(&json!([call("c2")])),
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
    let body = json!({ "messages": [user("q"), assistant(&json!([server_call("s1"), { "type": "text", "text": "a" }])),
        user("more"), assistant(&json!([server_result("s2"), { "type": "text", "text": "b" }])), user("go")] });
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
    let summary = assistant(&json!([{ "type": "text", "text": "summary of before" }]));
    let with_call = assistant(&json!([{ "type": "text", "text": "summary" }, call("c1")]));
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
    let orphan = json!({ "messages": [result("c9"), assistant(&json!([{ "type": "text", "text": "ok" }])), user("go")] });
    let (messages, _) = repair(Anthropic::new().read_messages(&orphan.to_string()).expect("it is read"));
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
    let body = json!({ "messages": [user("q"), assistant(&json!([blank, call("c1")])), result] });
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

const JPEG: &str = "/9j/4A==";

/// A history whose result has this image.
fn with_image(mime_type: &str, base64: &str) -> Value {
    let image = json!({ "type": "image", "cache_control": { "type": "ephemeral" },
        "source": { "type": "base64", "media_type": mime_type, "data": base64 } });
    let result = json!({ "type": "tool_result", "tool_use_id": "c1", "content": [image] });
    json!({ "messages": [user("q"), assistant(&json!([call("c1")])), { "role": "user", "content": [result] }] })
}

// llmsresearch/paperbanana#58, anthropics/claude-code#12009, #15807 and #58330, sst/opencode#12519
#[test]
fn an_image_has_the_type_of_its_bytes() {
    let wire = Anthropic::new();
    for (mime_type, base64, expected) in [
        ("image/jpg", JPEG, ("image/jpeg", JPEG)),
        ("image/png", JPEG, ("image/jpeg", JPEG)),
        ("IMAGE/PNG; q=1", "iVBORw0KGgo=", ("image/png", "iVBORw0KGgo=")),
        ("image/png", "iVBO\nRw0K\nGgo", ("image/png", "iVBORw0KGgo=")),
        ("image/png", "R0lGODlhAQ==", ("image/gif", "R0lGODlhAQ==")),
        ("", "UklGRgAAAABXRUJQ", ("image/webp", "UklGRgAAAABXRUJQ")),
    ] {
        let body = with_image(mime_type, base64);
        let written = rewritten(&wire, &body);
        let block = &json(&written)["messages"][2]["content"][0]["content"][0];
        assert_eq!(block["source"]["media_type"], expected.0, "{mime_type}");
        assert_eq!(block["source"]["data"], expected.1, "{mime_type}");
        assert_eq!(block["cache_control"]["type"], "ephemeral");
        assert_eq!((changes(&written).len(), dropped(&written).len()), (1, 0), "{mime_type}");
    }
    let body = with_image("image/jpeg", JPEG);
    let written = rewritten(&wire, &body);
    assert_eq!(json(&written)["messages"], body["messages"]);
    assert!(written.report().is_empty());
}

#[test]
fn an_image_that_the_provider_does_not_take_becomes_text() {
    let wires: [&dyn Wire; 4] =
        [&ChatCompletions::new(), &Anthropic::new(), &Responses::new(), &Gemini::new()];
    for (bytes, kind) in [
        (&b"<svg xmlns='x'/>"[..], "image/svg+xml"),
        (b"BM123456", "image/bmp"),
        (b"II*\0abcd", "image/tiff"),
        (b"<!DOCTYPE html><p>", "text/html"),
        (b"%PDF-1.7", "application/pdf"),
    ] {
        for wire in wires {
            let image = || Content::from_parts([Part::image("image/png", bytes)]);
            let messages = [
                Message::user(image()),
                AssistantMessage::from_tool_calls([ToolCall::new("c1", "f", "{}")]).into(),
                ToolMessage::new("c1", image()).into(),
            ];
            let body = write(wire, &messages);
            assert_eq!(check_request(wire, &json(&body)), Ok(()));
            let text = json(&body).to_string();
            assert!(
                text.contains(&format!(
                    "[image: {kind}, which cannot be sent: the provider takes image/jpeg"
                )),
                "{text}"
            );
            assert_eq!(dropped(&body), ["messages[0]: dropped image", "messages[2]: dropped image"]);
        }
    }
    let heic = Message::user(Content::from_parts([Part::image("image/heic", b"\0\0\0\x18ftypheic\0\0\0\0")]));
    assert!(write(&Gemini::new(), std::slice::from_ref(&heic)).report().is_empty());
    assert_eq!(dropped(&write(&Anthropic::new(), &[heic])), ["messages[0]: dropped image"]);
}

#[test]
fn a_data_url_is_read_as_its_image() {
    let url = Content::from_parts([Part::image_url(format!("data:image/png;base64,{JPEG}"))]);
    let body = json(&write(&Anthropic::new(), &[Message::user(url.clone())]));
    assert_eq!(body["messages"][0]["content"][0]["source"]["media_type"], "image/jpeg");
    let body = json(&write(&Responses::new(), &[Message::user(url)]));
    assert_eq!(body["input"][0]["content"][0]["image_url"], format!("data:image/jpeg;base64,{JPEG}"));
    let chat = json!({ "messages": [{ "role": "user", "content": [
        { "type": "image_url", "image_url": { "url": format!("data:image/jpg;base64,{JPEG}"), "detail": "low" } }] }] });
    let written = json(&rewritten(&ChatCompletions::new(), &chat));
    assert_eq!(
        written["messages"][0]["content"][0]["image_url"]["url"],
        format!("data:image/jpeg;base64,{JPEG}")
    );
}

// A recorded exchange, accepted with 200.
#[test]
fn adjacent_replies_with_calls_are_one_reply() {
    let results = json!({ "role": "user", "content": [
        { "type": "tool_result", "tool_use_id": "c1", "content": "1" }, { "type": "tool_result", "tool_use_id": "c2", "content": "2" }] });
    let body = json!({ "messages": [user("q"), assistant(&json!([call("c1")])), assistant(&json!([call("c2")])), results] });
    assert_eq!(check_request(&Anthropic::new(), &body), Ok(()));
    let written = json(&rewritten(&Anthropic::new(), &body));
    assert_eq!(written["messages"][1]["content"], json!([call("c1"), call("c2")]));

    let model = |id: &str| json!({ "role": "model", "parts": [{ "functionCall": { "id": id, "name": id, "args": {} } }] });
    let response =
        |id: &str| json!({ "functionResponse": { "id": id, "name": id, "response": { "output": id } } });
    let body = json!({ "contents": [{ "role": "user", "parts": [{ "text": "q" }] }, model("f"), model("g"),
        { "role": "user", "parts": [response("f"), response("g")] }] });
    assert_eq!(check_request(&Gemini::new(), &body), Ok(()));
    let written = json(&rewritten(&Gemini::new(), &body));
    assert_eq!(written["contents"][1]["parts"], json!([model("f")["parts"][0], model("g")["parts"][0]]));
    assert_eq!(written["contents"][2], body["contents"][3]);
}

// anthropics/claude-code#3073
#[test]
fn a_response_that_is_not_an_object_becomes_one() {
    let body = json!({ "contents": [{ "role": "user", "parts": [{ "text": "q" }] },
        { "role": "model", "parts": [{ "functionCall": { "name": "f", "args": {} } }] },
        { "role": "user", "parts": [{ "functionResponse": { "name": "f", "response": [1, 2] } }] }] });
    let written = rewritten(&Gemini::new(), &body);
    assert_eq!(
        json(&written)["contents"][2]["parts"][0]["functionResponse"]["response"],
        json!({ "output": [1, 2] })
    );
    assert_eq!(changes(&written).len(), 1);
}

// A recorded exchange, accepted with 200.
#[test]
fn images_in_a_result_of_gemini_are_parts_of_the_result() {
    let image = json!({ "inlineData": { "mimeType": "image/jpeg", "data": JPEG } });
    let response =
        json!({ "functionResponse": { "name": "f", "response": { "output": "a map" }, "parts": [image] } });
    let body = json!({ "contents": [{ "role": "user", "parts": [{ "text": "q" }] },
        { "role": "model", "parts": [{ "functionCall": { "name": "f", "args": {} } }] },
        { "role": "user", "parts": [response] }] });
    let written = rewritten(&Gemini::new(), &body);
    assert_eq!(json(&written)["contents"][2], body["contents"][2]);
    let messages = Gemini::new().read_messages(&body.to_string()).expect("it is read");
    let moved = json(&write(&Anthropic::new(), &messages));
    assert_eq!(moved["messages"][2]["content"][0]["content"][1]["source"]["data"], JPEG);
    assert_eq!(messages[2].text(), "a map");
}

// A recorded exchange, accepted with 200.
#[test]
fn one_part_of_gemini_without_an_array_is_read() {
    let body = json!({ "systemInstruction": { "parts": { "text": "Be brief." } },
        "contents": [{ "role": "user", "parts": { "text": "q" } }, { "role": "user", "parts": [{ "text": "" }] }] });
    let messages = Gemini::new().read_messages(&body.to_string()).expect("it is read");
    assert_eq!((messages[0].text(), messages[1].text()), ("Be brief.", "q"));
    assert_eq!(json(&rewritten(&Gemini::new(), &body))["contents"].as_array().map(Vec::len), Some(1));
    let empty = Gemini::new().read_messages(r#"{"contents":[{"role":"user","parts":[{"text":""}]}]}"#);
    let body = json(&write(&Anthropic::new(), &empty.expect("it is read")));
    assert_eq!(check_request(&Anthropic::new(), &body), Ok(()));
}

#[test]
fn a_tool_addition_and_a_memory_tool_are_those_of_anthropic() {
    let hello = json!({ "role": "user", "content": "Hello!" });
    let tool = json!({ "type": "memory_20250818", "name": "memory" });
    assert_eq!(detect(&json!({ "messages": [hello], "tools": [tool] }).to_string()), Some("anthropic"));
    let addition =
        json!({ "role": "system", "content": [{ "type": "tool_addition", "tool": { "name": "f" } }] });
    assert_eq!(detect(&json!([hello, addition]).to_string()), Some("anthropic"));
}

#[test]
fn repair_does_not_return_an_empty_list() {
    let (messages, repairs) = repair(vec![ToolMessage::new("c1", "sunny").into()]);
    assert_eq!((messages.len(), repairs.len()), (1, 1));
    assert!(matches!(&messages[0], Message::User(_)) && messages[0].text().contains("sunny"));
}

#[test]
fn every_recorded_request_that_was_accepted_passes_the_check_as_recorded_and_written_again() {
    let wires: [(&str, &str, &dyn Wire); 5] = [
        ("anthropic", "messages", &Anthropic::new()),
        ("openai-responses", "input", &Responses::new()),
        ("gemini", "contents", &Gemini::new()),
        ("ollama", "messages", &Ollama::new()),
        ("bedrock", "messages", &Bedrock::new()),
    ];
    let mut rejected_rows = Vec::new();
    let mut check = |wire: &dyn Wire, row: &Value, body: &Value| {
        let written = wire.read_messages(&body.to_string()).map(|messages| json(&write(wire, &messages)));
        for body in [body, &written.unwrap_or_else(|error| panic!("{}: {error}", row["source"]))] {
            rejected_rows
                .extend(check_request(wire, body).err().map(|error| format!("{}: {error}", row["source"])));
        }
    };
    let rows_of_wires = rows::rows("other_wire.jsonl").unwrap_or_default();
    for (name, field, wire) in wires {
        // Rows without the messages are replies or streams whose request was not recorded.
        let of_wire =
            rows_of_wires.iter().filter(|row| row["wire"] == name && !row["request"][field].is_null());
        let count = of_wire.map(|row| check(wire, row, &row["request"])).count();
        println!("{name}: {count} requests");
    }
    // The check of Chat Completions has the rules of the strictest of its providers.
    let (mut count, mut with_reasoning, mut with_long_ids) = (0, 0, 0);
    for row in rows::rows("transcripts.jsonl").unwrap_or_default() {
        let accepted = row["accepted"].as_u64().and_then(|count| usize::try_from(count).ok());
        let body = json!({ "messages": list(&row["messages"])[..accepted.unwrap_or_default()] });
        // Reasoning goes back to a server that takes it, by a setting of the wire.
        let has_reasoning = |message: &Value| {
            message
                .as_object()
                .is_some_and(|fields| fields.keys().any(|field| field.starts_with("reasoning")))
        };
        let has_reasoning = list(&body["messages"]).iter().any(has_reasoning);
        let wire = ChatCompletions::new().keep_reasoning(has_reasoning);
        let messages = wire.read_messages(&body.to_string()).expect("it is read");
        let written = json(&write(&wire, &messages));
        // OpenRouter accepts ids of more than 40 characters, and OpenAI does not. They are written shorter.
        let calls = list(&body["messages"]).iter().flat_map(|message| list(&message["tool_calls"]));
        let is_long = |call: &Value| call["id"].as_str().is_some_and(|id| id.len() > 40);
        let has_long_id = calls.into_iter().any(is_long) && row["provider"] == "openrouter.ai";
        for body in [&written].into_iter().chain((!has_long_id).then_some(&body)) {
            rejected_rows
                .extend(check_request(&wire, body).err().map(|error| format!("{}: {error}", row["source"])));
        }
        (count, with_reasoning) = (count + 1, with_reasoning + usize::from(has_reasoning));
        with_long_ids += usize::from(has_long_id);
    }
    println!(
        "chat_completions: {count} requests, {with_reasoning} with reasoning; {with_long_ids} with ids that OpenAI rejects"
    );
    assert!(rejected_rows.is_empty(), "{}: {rejected_rows:#?}", rejected_rows.len());
}
