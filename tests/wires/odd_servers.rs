//! Servers that do not follow the documentation.

use crate::weather_tools::registry;
use crate::{dropped, json, list, write};
use serde_json::{Value, json};
use tool_runtime::message::{Chunk, Completeness, Message};
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire::{Gemini, Responses, Wire};
use tool_runtime::{AssistantMessage, ToolCall, ToolMessage};
use tool_runtime_testing::check_request;

fn function_call(call_id: &str, arguments: &str) -> Value {
    json!({ "type": "function_call", "call_id": call_id, "name": "get_weather", "arguments": arguments })
}

fn added(index: u32, item: &Value) -> Value {
    json!({ "type": "response.output_item.added", "output_index": index, "item": item })
}

fn done(index: u32, item: &Value) -> Value {
    json!({ "type": "response.output_item.done", "output_index": index, "item": item })
}

fn completed(output: &Value) -> Value {
    json!({ "type": "response.completed", "response": { "status": "completed", "output": output } })
}

fn assembled(wire: impl Wire + 'static, events: &[Value]) -> AssistantMessage {
    let mut assembler = ReplyAssembler::new().wire(wire);
    for event in events {
        assembler.push(event.to_string());
    }
    assembler.into_reply().expect("it is a reply")
}

#[tokio::test]
async fn a_call_runs_once_if_the_server_changes_its_id() {
    let arguments = r#"{"city":"Rome"}"#;
    for (start, end) in [("a", "b"), ("", ""), ("", "b"), ("a", "")] {
        let delta = json!({ "type": "response.function_call_arguments.delta", "output_index": 0, "delta": arguments });
        let whole = function_call(end, arguments);
        let events =
            [added(0, &function_call(start, "")), delta, done(0, &whole), completed(&json!([whole]))];
        let chunks: Vec<Chunk> =
            events.iter().map(|event| Responses::new().read_event(&event.to_string())).collect();
        let (reply, results) =
            registry().dispatch_stream(futures_util::stream::iter(chunks)).await.expect("it is complete");
        assert_eq!((reply.tool_calls.len(), results.len()), (1, 1), "{start:?} and {end:?}");
        assert_eq!(results[0].text(), "Rome: sunny");
        assert_eq!(results[0].tool_call_id, reply.tool_calls[0].id);
    }
    // Two calls with equal arguments and one index are two calls.
    let [first, second] = ["a", "b"].map(|id| function_call(id, arguments));
    let reply = assembled(Responses::new(), &[done(0, &first), done(0, &second), completed(&json!([]))]);
    assert_eq!(reply.tool_calls.len(), 2);
}

#[test]
fn calls_that_only_the_end_of_a_response_contains_are_read() {
    let text = json!({ "type": "response.output_text.delta", "output_index": 0, "delta": "Hi" });
    let message = json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "Hi" }] });
    let output = json!([message, function_call("a", "{}"), function_call("b", "{}")]);
    let events = [text, done(0, &message), done(1, &output[1]), completed(&output)];
    let reply = assembled(Responses::new(), &events);
    let ids: Vec<&str> = reply.tool_calls.iter().map(|call| &*call.id).collect();
    assert_eq!((reply.text(), &*ids), ("Hi", &["a", "b"][..]));
    assert_eq!(json(&write(&Responses::new(), &[reply.into()]))["input"], output);
}

#[test]
fn a_call_at_the_end_with_another_id_and_index_is_not_a_second_call() {
    let arguments = r#"{"city":"Rome"}"#;
    // The end has neither the reasoning nor the id of the stream.
    let reasoning = json!({ "type": "reasoning", "id": "rs_1", "summary": [] });
    let output = json!([function_call("other", arguments)]);
    let first = function_call("a", arguments);
    let reply = assembled(Responses::new(), &[done(0, &reasoning), done(1, &first), completed(&output)]);
    assert_eq!(reply.tool_calls, [ToolCall::new("a", "get_weather", arguments)]);
    let second = function_call("b", r#"{"city":"Oslo"}"#);
    let output = json!([function_call("c", arguments), function_call("d", r#"{ "city": "Oslo" }"#)]);
    let events = [done(0, &reasoning), done(1, &first), done(2, &second), completed(&output)];
    let ids: Vec<String> =
        assembled(Responses::new(), &events).tool_calls.into_iter().map(|call| call.id).collect();
    assert_eq!(ids, ["a", "b"]);
}

#[test]
fn an_invalid_call_keeps_its_place_and_loses_its_reasoning() {
    let reasoning =
        |id: &str| json!({ "type": "reasoning", "id": id, "summary": [], "encrypted_content": "g" });
    let output = json!([
        reasoning("rs_1"),
        function_call("a", "{\"city\":"),
        reasoning("rs_2"),
        function_call("b", "{}")
    ]);
    let body = json!({ "status": "completed", "output": output });
    let whole = Responses::new().read_reply(&body.to_string()).expect("it is read");
    let items: Vec<Value> = (0..).zip(list(&output)).map(|(index, item)| done(index, item)).collect();
    let streamed = assembled(Responses::new(), &[&items[..], &[completed(&output)]].concat());
    for reply in [whole, streamed] {
        let results = ["a", "b"].map(|id| Message::from(ToolMessage::new(id, "x")));
        let messages = [&[reply.into()], &results[..]].concat();
        let written = write(&Responses::new(), &messages);
        assert_eq!(dropped(&written), ["messages[0]: dropped reasoning"]);
        let input = json(&written)["input"].clone();
        let kinds: Vec<&str> =
            list(&input).iter().map(|item| item["call_id"].as_str().unwrap_or("-")).collect();
        assert_eq!(kinds, ["a", "-", "b", "a", "b"]);
        assert_eq!(check_request(&Responses::new(), &json(&written)), Ok(()));
    }
    // Gemini's first call has a signature, although it is written anew.
    let call = |args: Value| json!({ "functionCall": { "name": "f", "args": args } });
    let parts = json!([call(json!("oops")), call(json!({}))]);
    let body = json!({ "candidates": [{ "content": { "parts": parts }, "finishReason": "STOP" }] });
    let reply = Gemini::new().read_reply(&body.to_string()).expect("it is read");
    let messages = [Message::user("?"), reply.into()];
    let written = json(&write(&Gemini::new(), &messages))["contents"][1]["parts"].clone();
    assert_eq!(written[0]["functionCall"]["args"], json!({ "invalid_json": "\"oops\"" }));
    assert_eq!(written[0]["thoughtSignature"], "skip_thought_signature_validator");
    assert_eq!(written[1], parts[1]);
}

#[test]
fn a_continued_response_keeps_the_ids_that_its_server_knows() {
    let wire = Responses::new().previous_response(true);
    let reply = |response: &str, id: &str| {
        let body = json!({ "id": response, "status": "completed", "output": [function_call(id, "{}")] });
        Message::from(wire.read_reply(&body.to_string()).expect("it is read"))
    };
    let result = |id: &str| Message::from(ToolMessage::new(id, "x"));
    let long = "c".repeat(70);
    let first = [Message::user("?"), reply("resp_1", "call_0"), result("call_0")];
    let messages = [&first[..], &[reply("resp_2", &long), result(&long)]].concat();
    let body = json(&write(&wire, &messages));
    assert_eq!(body["previous_response_id"], "resp_2");
    assert_eq!(body["input"], json!([{ "type": "function_call_output", "call_id": long, "output": "x" }]));
    // A call of another provider does not repeat an id of the conversation that the server has.
    let foreign = AssistantMessage::from_tool_calls(vec![ToolCall::new("call_0", "f", "{}")]);
    let messages = [&first[..], &[Message::user("And?"), foreign.into(), result("call_0")]].concat();
    let body = json(&write(&wire, &messages));
    let ids: Vec<&Value> = list(&body["input"]).iter().map(|item| &item["call_id"]).collect();
    assert_eq!(json!(ids), json!(["call_0", null, "call_0_2", "call_0_2"]));
}

#[test]
fn results_with_ids_are_matched_before_the_others() {
    let call = |id: &str| json!({ "functionCall": { "id": id, "name": "f", "args": {} } });
    let result = |id: Option<&str>, output: &str| {
        let mut response = json!({ "name": "f", "response": { "output": output } });
        if let Some(id) = id {
            response["id"] = json!(id);
        }
        json!({ "functionResponse": response })
    };
    let contents = json!([
        { "role": "model", "parts": [call("1"), call("2")] },
        { "role": "user", "parts": [result(None, "two"), result(Some("1"), "one")] },
    ]);
    let messages = Gemini::new().read_messages(&contents.to_string()).expect("it is read");
    let results: Vec<(&str, &str)> = messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool(result) => Some((&*result.tool_call_id, result.text())),
            _ => None,
        })
        .collect();
    assert_eq!(results, [("2", "two"), ("1", "one")]);
}

#[test]
fn a_request_without_contents_and_a_stream_that_is_an_array_are_handled() {
    for messages in [[Message::system("Be brief.")], [Message::user("")]] {
        let body = json(&write(&Gemini::new(), &messages));
        assert_eq!(body["contents"], json!([{ "role": "user", "parts": [{ "text": "." }] }]));
    }
    let mut assembler = ReplyAssembler::new().wire(Gemini::new());
    assembler.push(r#"[{"candidates":[]}]"#);
    let error = assembler.into_reply().expect_err("it is not an event").to_string();
    assert!(error.contains("request the stream with `alt=sse`"), "{error}");
}

#[test]
fn an_undeclared_tool_completes_a_stream_whose_call_came_before() {
    let chunk = |candidate: Value| json!({ "candidates": [candidate] });
    let call = json!({ "functionCall": { "name": "f", "args": {} } });
    let events = [
        chunk(json!({ "content": { "parts": [call] } })),
        chunk(json!({ "finishReason": "UNEXPECTED_TOOL_CALL" })),
    ];
    let reply = assembled(Gemini::new(), &events);
    assert_eq!((reply.tool_calls.len(), reply.completeness()), (1, Completeness::Complete));
}
