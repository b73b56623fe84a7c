//! The wire of the Responses API: fixtures made from the provider's documentation.

use crate::weather_tools::{delete, get_weather};
use crate::{dropped, json, write};
use serde_json::{Value, json};
use tool_runtime::conversation::Received;
use tool_runtime::message::{Completeness, Content, Message, Part};
use tool_runtime::wire::{self, Body, ChatCompletions, RequestParts, Responses, Wire, WireError};
use tool_runtime::{
    AssistantMessage, Conversation, Registry, ToolCall, ToolChoice, ToolMessage, ToolSchema, tool, tools,
};
use tool_runtime_testing::check_request;

/// Run an SQL query.
#[tool(read_only)]
fn run_sql(query: &str) -> String {
    format!("result of {query}")
}

pub(crate) fn registry() -> Registry {
    Registry::new(tools![get_weather, delete, run_sql]).expect("three tools")
}

/// The body of a response with these items.
fn response(output: &Value, status: &str) -> Value {
    json!({
        "id": "resp_1", "object": "response", "status": status, "error": null, "model": "gpt", "output": output,
        "incomplete_details": if status == "incomplete" { json!({ "reason": "max_output_tokens" }) } else { Value::Null },
        "usage": { "input_tokens": 100, "input_tokens_details": { "cached_tokens": 90 }, "output_tokens": 20 },
    })
}

pub(crate) fn read(output: &Value, status: &str) -> AssistantMessage {
    read_on(&Responses::new(), output, status)
}

pub(crate) fn read_on(wire: &Responses, output: &Value, status: &str) -> AssistantMessage {
    wire.read_reply(&response(output, status).to_string()).expect("it is read")
}

pub(crate) fn call(number: u32, name: &str, arguments: &str) -> Value {
    json!({ "type": "function_call", "id": format!("fc_{number}"), "call_id": format!("call_{number}"),
        "name": name, "arguments": arguments, "status": "completed" })
}

pub(crate) fn custom_call(number: u32, name: &str, input: &str) -> Value {
    json!({ "type": "custom_tool_call", "id": format!("ctc_{number}"), "call_id": format!("call_{number}"),
        "name": name, "input": input, "status": "completed" })
}

pub(crate) fn reasoning(number: u32) -> Value {
    json!({ "type": "reasoning", "id": format!("rs_{number}"), "encrypted_content": "gAAAA",
        "summary": [{ "type": "summary_text", "text": "Two cities." }] })
}

pub(crate) fn text(number: u32, text: &str) -> Value {
    json!({ "type": "message", "id": format!("msg_{number}"), "role": "assistant", "status": "completed",
        "content": [{ "type": "output_text", "text": text, "annotations": [] }] })
}

pub(crate) fn parallel_calls() -> Value {
    json!([
        reasoning(1),
        text(1, "I look it up."),
        call(1, "get_weather", r#"{"city":"Rome"}"#),
        call(2, "get_weather", r#"{"city":"Atlantis"}"#),
    ])
}

/// The items of a request with these messages, which the provider must accept.
pub(crate) fn input(wire: &Responses, messages: &[Message]) -> Value {
    accepted(wire, &write(wire, messages))["input"].clone()
}

pub(crate) fn accepted(wire: &Responses, body: &Body) -> Value {
    let written = json(body);
    check_request(wire, &written).unwrap_or_else(|error| panic!("{error}: {written}"));
    written
}

#[tokio::test]
async fn calls_and_results_follow_the_unchanged_items_of_the_reply() {
    let chat = Conversation::new().system("Be brief.").user("Rome and Atlantis?");
    let Received::ToolCalls(pending) = chat.receive(read(&parallel_calls(), "completed")) else {
        panic!("it calls")
    };
    let chat = pending.dispatch(&registry()).await.user("Quickly!");
    let body = chat.request(&registry()).wire(Responses::new()).body().expect("it is written");
    assert!(body.report().is_empty(), "{:?}", body.report());
    let written = accepted(&Responses::new(), &body);
    assert_eq!(written["instructions"], "Be brief.");
    let output = parallel_calls();
    assert_eq!(
        written["input"],
        json!([
            { "role": "user", "content": "Rome and Atlantis?" },
            output[0], output[1], output[2], output[3],
            { "type": "function_call_output", "call_id": "call_1", "output": "Rome: sunny" },
            { "type": "function_call_output", "call_id": "call_2", "output": "Error: there is no such city" },
            { "role": "user", "content": "Quickly!" },
        ])
    );
    assert_eq!((written.get("store"), written.get("tool_choice")), (None, None));
}

#[test]
fn a_reply_has_its_model_its_usage_and_its_reason() {
    let reply = read(&parallel_calls(), "completed");
    assert_eq!((reply.finish_reason(), reply.completeness()), (Some("completed"), Completeness::Complete));
    assert_eq!((reply.text(), &*reply.reasoning()), ("I look it up.", "Two cities."));
    let origin = reply.origin().expect("it was read");
    assert_eq!((&*origin.wire, origin.model.as_deref()), ("responses", Some("gpt")));
    assert_eq!(origin.response_id.as_deref(), Some("resp_1"));
    let usage = reply.usage().expect("the response has it");
    assert_eq!((usage.input_tokens, usage.cached_input_tokens, usage.output_tokens), (100, 90, 20));
}

#[test]
fn only_a_plain_system_message_at_the_start_is_the_instructions() {
    let image = || Content::from_parts([Part::text("Be brief."), Part::image("image/png", [1])]);
    let messages = [Message::system("One"), Message::developer("Two"), Message::system("Three")];
    let written = accepted(&Responses::new(), &write(&Responses::new(), &messages));
    assert_eq!(written["instructions"], "One");
    assert_eq!(
        written["input"],
        json!([{ "role": "developer", "content": "Two" }, { "role": "system", "content": "Three" }])
    );
    let written = accepted(&Responses::new(), &write(&Responses::new(), &[Message::system(image())]));
    assert_eq!(written.get("instructions"), None);
    assert_eq!(written["input"][0]["content"][0], json!({ "type": "input_text", "text": "Be brief." }));
}

#[test]
fn text_json_images_and_files_are_parts_of_messages_and_results() {
    let parts = Content::from_parts([
        Part::text("A chart:"),
        Part::json(json!({ "points": 3 })),
        Part::image("image/png", [1, 2, 3]),
        Part::image_url("https://example.com/a.png"),
        Part::file("a.pdf", "application/pdf", [4, 5, 6]),
        Part::file_url("b.pdf", "https://example.com/b.pdf"),
    ]);
    let written = json!([
        { "type": "input_text", "text": "A chart:" },
        { "type": "input_text", "text": r#"{"points":3}"# },
        { "type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,AQID" },
        { "type": "input_image", "detail": "auto", "image_url": "https://example.com/a.png" },
        { "type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,BAUG" },
        { "type": "input_file", "file_url": "https://example.com/b.pdf" },
    ]);
    let calls = vec![ToolCall::new("a", "f", "{}"), ToolCall::new("b", "f", "{}")];
    let mut error = ToolMessage::error("b", "x");
    error.content = Content::from_parts([Part::image("image/png", [1, 2, 3])]);
    let messages = [
        Message::user(parts.clone()),
        AssistantMessage::from_tool_calls(calls).into(),
        ToolMessage::new("a", parts).into(),
        error.into(),
    ];
    let input = input(&Responses::new(), &messages);
    assert_eq!((&input[0]["content"], &input[3]["output"]), (&written, &written));
    let error = json!([{ "type": "input_text", "text": "Error: " }, written[2]]);
    assert_eq!(input[4]["output"], error, "the format has no field for errors");
}

#[test]
fn images_of_a_reply_are_dropped_and_reported() {
    let reply = AssistantMessage::from_text(Content::from_parts([
        Part::text("See:"),
        Part::image_url("https://example.com/a.png"),
    ]));
    let body = write(&Responses::new(), &[reply.into()]);
    assert_eq!(dropped(&body), ["messages[0]: dropped image"]);
    assert_eq!(json(&body)["input"], json!([{ "role": "assistant", "content": "See:" }]));
}

#[test]
fn tools_have_an_explicit_strict_and_are_flat() {
    let registry = registry();
    let parts = RequestParts::new(&[]).tools(registry.schemas());
    for is_strict in [false, true] {
        let body = Responses::new().strict(is_strict).write(&parts).expect("JSON");
        assert!(body.report().is_empty(), "{:?}", body.report());
        let tools = &json(&body)["tools"];
        for (index, name) in ["delete", "get_weather", "run_sql"].into_iter().enumerate() {
            let tool = &tools[index];
            assert_eq!((&tool["type"], &tool["name"]), (&json!("function"), &json!(name)));
            assert_eq!(tool["strict"], is_strict);
            assert_eq!(tool["parameters"]["required"].as_array().map(Vec::len), required(name, is_strict));
        }
    }
}

/// The number of required parameters: all of them if the tool is strict.
fn required(tool: &str, is_strict: bool) -> Option<usize> {
    match tool {
        "delete" if !is_strict => None,
        _ => Some(1),
    }
}

#[test]
fn a_tool_that_cannot_be_strict_is_reported() {
    let map = json!([{ "type": "function", "function": { "name": "put", "parameters": {
        "type": "object", "properties": { "map": { "type": "object", "additionalProperties": true } } } } }]);
    let tools: Vec<ToolSchema> = serde_json::from_value(map).expect("definitions");
    let body = Responses::new().strict(true).write(&RequestParts::new(&[]).tools(&tools)).expect("JSON");
    assert_eq!(json(&body)["tools"][0]["strict"], false);
    assert_eq!(body.report().not_strict_tools[0].tool, "put");
}

#[test]
fn tool_choice_allowed_tools_and_parallel_calls() {
    let registry = registry();
    let parts = RequestParts::new(&[]).tools(registry.schemas());
    let plain = Responses::new();
    let written =
        |wire: &Responses, parts: RequestParts<'_>| accepted(wire, &wire.write(&parts).expect("JSON"));
    for (choice, expected) in [
        (ToolChoice::None, json!("none")),
        (ToolChoice::Required, json!("required")),
        (ToolChoice::Tool("delete".to_owned()), json!({ "type": "function", "name": "delete" })),
    ] {
        assert_eq!(written(&plain, parts.tool_choice(&choice))["tool_choice"], expected);
    }
    let one_call = written(&plain, parts.parallel_calls(false));
    assert_eq!((one_call["parallel_tool_calls"].clone(), one_call.get("tool_choice")), (json!(false), None));

    let names = ["delete".to_owned()];
    let allowed = parts.allowed_tools(&names);
    assert_eq!(written(&plain, allowed)["tools"].as_array().map(Vec::len), Some(1));
    let native = written(&Responses::new().native_allowed_tools(true), allowed);
    assert_eq!(native["tools"].as_array().map(Vec::len), Some(3));
    let delete = json!([{ "type": "function", "name": "delete" }]);
    assert_eq!(native["tool_choice"], json!({ "type": "allowed_tools", "mode": "auto", "tools": delete }));

    let without = written(&plain, RequestParts::new(&[]).tool_choice(&ToolChoice::Required));
    assert_eq!((without.get("tools"), without.get("tool_choice")), (None, None));
}

#[tokio::test]
async fn the_last_call_of_a_truncated_reply_never_runs() {
    let mut last = call(2, "delete", "");
    last["status"] = json!("incomplete");
    let reply = read(&json!([call(1, "get_weather", r#"{"city":"Rome"}"#), last]), "incomplete");
    assert_eq!((reply.is_truncated(), reply.finish_reason()), (true, Some("max_output_tokens")));
    let results = registry().dispatch(&reply.tool_calls).await;
    assert_eq!(results[0].text(), "Rome: sunny");
    assert_eq!(results[1].error_kind(), Some("truncated"));
    let messages: Vec<Message> =
        [reply.into()].into_iter().chain(results.into_iter().map(Message::from)).collect();
    let written = input(&Responses::new(), &messages);
    assert_eq!((&written[1]["arguments"], written[1].get("id")), (&json!("{}"), None));
}

#[test]
fn calls_that_the_provider_runs_itself_go_back_and_are_not_calls() {
    let search = json!({ "type": "web_search_call", "id": "ws_1", "status": "completed",
        "action": { "type": "search", "query": "weather" } });
    let output = json!([reasoning(1), search, reasoning(2), text(1, "Sunny.")]);
    let reply = read(&output, "completed");
    assert!(reply.tool_calls.is_empty());
    assert_eq!(input(&Responses::new(), &[reply.clone().into()]), output);
    let body = write(&ChatCompletions::new(), &[reply.into()]);
    assert_eq!(
        dropped(&body),
        ["reasoning", "web_search_call", "reasoning"].map(|kind| format!("messages[0]: dropped {kind}"))
    );
}

#[test]
fn a_declined_request_is_the_final_text_and_goes_back() {
    let output = json!([{ "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{ "type": "refusal", "refusal": "This is not allowed." }] }]);
    let reply = read(&output, "completed");
    assert_eq!((reply.refusal(), reply.text()), (Some("This is not allowed."), ""));
    let Received::Answer(chat) = Conversation::new().user("?").receive(reply) else { panic!("no calls") };
    assert_eq!(chat.final_text(), "This is not allowed.");
    assert_eq!(input(&Responses::new(), chat.messages())[1], output[0]);
}

#[test]
fn an_empty_reply_and_reasoning_alone_are_left_out() {
    let messages = |output| [Message::user("One"), read(&output, "completed").into(), Message::user("Two")];
    let users = json!([{ "role": "user", "content": "One" }, { "role": "user", "content": "Two" }]);
    assert_eq!(input(&Responses::new(), &messages(json!([]))), users);
    let body = write(&Responses::new(), &messages(json!([reasoning(1)])));
    assert_eq!(dropped(&body), ["messages[1]: dropped reasoning"]);
    assert_eq!(json(&body)["input"], users);
}

#[test]
fn errors_of_the_server_and_of_other_formats_are_clear() {
    let wire = Responses::new();
    let overloaded = r#"{"error":{"type":"server_error","message":"Overloaded"}}"#;
    assert_eq!(wire.read_error(overloaded).as_deref(), Some("Overloaded"));
    let failed = r#"{"status":"failed","output":[],"error":{"code":"server_error","message":"Overloaded"}}"#;
    for (body, expected) in [
        (overloaded, "expected a reply, got an error: Overloaded"),
        (failed, "expected a reply, got an error: Overloaded"),
        (r#"{"choices":[{"message":{"content":"x"}}]}"#, "this is in the format of `chat_completions`"),
        ("<html>", "the text is not JSON"),
        ("{}", "expected a reply of the Responses API: there is no `output`"),
        (r#"{"output":"x"}"#, "expected a reply of the Responses API: invalid type: string"),
        (r#"{"output":[1]}"#, "expected a reply of the Responses API: invalid type: integer"),
        (
            r#"{"status":"in_progress","output":[]}"#,
            "expected a reply of the Responses API: the response is `in_progress`",
        ),
    ] {
        let error = wire.read_reply(body).expect_err(body).to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    let body = response(&parallel_calls(), "completed").to_string();
    let error = ChatCompletions::new().read_reply(&body).expect_err("another");
    assert!(matches!(error, WireError::OtherWire { wire: "responses", .. }), "{error}");
    assert_eq!(wire::by_name("responses").expect("it is enabled").name(), "responses");
}
