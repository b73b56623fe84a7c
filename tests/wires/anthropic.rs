//! Anthropic's wire: fixtures made from the provider's documentation.

use crate::{json, write};
use serde_json::{Value, json};
use tool_runtime::conversation::Turn;
use tool_runtime::message::{Completeness, Content, Message, Part};
use tool_runtime::stream::{Event, ReplyAssembler, StreamError};
use tool_runtime::testing;
use tool_runtime::wire::{self, Anthropic, ChatCompletions, RequestParts, Wire, WireError};
use tool_runtime::{
    AssistantMessage, Conversation, Registry, ToolCall, ToolChoice, ToolMessage, tool, tools,
};

/// Look up the weather of a city.
#[tool(read_only)]
fn get_weather(city: &str) -> Result<String, String> {
    if city == "Atlantis" { Err("there is no such city".to_owned()) } else { Ok(format!("{city}: sunny")) }
}

/// Delete the files that match, or all.
#[tool]
fn delete(matching: Option<&str>) -> String {
    format!("deleted {matching:?}")
}

fn registry() -> Registry {
    Registry::new(tools![get_weather, delete]).expect("two tools")
}

/// A reply with these blocks.
fn response(blocks: &Value, stop_reason: &str) -> String {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": blocks,
        "stop_reason": stop_reason, "stop_sequence": null,
        "usage": { "input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 20 },
    })
    .to_string()
}

fn read(blocks: &Value, stop_reason: &str) -> AssistantMessage {
    Anthropic::new().read_reply(&response(blocks, stop_reason)).expect("it is read")
}

fn parallel_calls() -> Value {
    json!([
        { "type": "thinking", "thinking": "Two cities.", "signature": "EqQBCgIYAhIM" },
        { "type": "redacted_thinking", "data": "EmwKAhgBEgy3va3pzix" },
        { "type": "text", "text": "I look it up." },
        { "type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": { "city": "Rome" } },
        { "type": "tool_use", "id": "toolu_2", "name": "get_weather", "input": { "city": "Atlantis" } },
    ])
}

#[tokio::test]
async fn parallel_results_and_errors_are_in_one_user_message_after_the_unchanged_blocks() {
    let chat = Conversation::new().system("Be brief.").user("Rome and Atlantis?");
    let Turn::Calls(pending) = chat.reply(read(&parallel_calls(), "tool_use")) else { panic!("it calls") };
    let chat = pending.dispatch(&registry()).await.user("Quickly!");
    let body = chat.request(&registry()).on(&Anthropic::new()).expect("it is written");
    assert!(body.report().is_empty(), "{:?}", body.report());
    let written = json(&body);
    assert_eq!(written["system"], json!([{ "type": "text", "text": "Be brief." }]));
    assert_eq!(
        written["messages"],
        json!([
            { "role": "user", "content": [{ "type": "text", "text": "Rome and Atlantis?" }] },
            { "role": "assistant", "content": parallel_calls() },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "toolu_1",
                  "content": [{ "type": "text", "text": "Rome: sunny" }] },
                { "type": "tool_result", "tool_use_id": "toolu_2", "is_error": true,
                  "content": [{ "type": "text", "text": "Error: there is no such city" }] },
                { "type": "text", "text": "Quickly!" },
            ]},
        ])
    );
    assert_eq!(written["tools"][1]["name"], "get_weather");
    assert_eq!(written["tools"][1]["input_schema"]["required"], json!(["city"]));
    assert_eq!(written.get("tool_choice"), None);
}

#[test]
fn a_reply_has_its_model_its_usage_and_its_reason() {
    let reply = read(&parallel_calls(), "tool_use");
    assert_eq!(reply.finish_reason(), Some("tool_use"));
    assert_eq!(reply.completeness(), Completeness::Complete);
    let origin = reply.origin().expect("it was read");
    assert_eq!((&*origin.wire, origin.model.as_deref()), ("anthropic", Some("claude")));
    let usage = reply.usage().expect("the response has it");
    assert_eq!((usage.input_tokens, usage.cached_input_tokens, usage.output_tokens), (100, 90, 20));
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
    assert_eq!(json(&body)["messages"], json!([]), "a message of thinking alone is rejected");
    assert_eq!(body.report().dropped.len(), 2);
}

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
    assert_eq!(dropped, ["messages[0]: dropped thinking", "messages[0]: dropped server_tool_use"]);
    let content = &json(&body)["messages"][0]["content"];
    assert_eq!(content[0], json!({ "type": "text", "text": "I search." }));
    assert_eq!(content[1], json!({ "type": "thinking", "thinking": "Hm.", "signature": "s" }));
    assert_eq!(content[2]["input"], json!({ "invalid_json": "[1]" }));
    assert_eq!(content.as_array().map(Vec::len), Some(3));
    testing::check_request(&Anthropic::new(), &json(&body)).expect("a server accepts it");
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
    assert_eq!(written["messages"][0]["content"][0], text("a chart")[0]);
    assert_eq!(written["messages"][1]["content"][0]["content"], text("a chart"));
    assert_eq!(written["messages"][1]["content"][1]["content"], text("Error"));
}

#[tokio::test]
async fn the_last_call_of_a_truncated_reply_never_runs() {
    let blocks = json!([
        { "type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": { "city": "Rome" } },
        { "type": "tool_use", "id": "toolu_2", "name": "delete", "input": {} },
    ]);
    for reason in ["max_tokens", "model_context_window_exceeded", "refusal"] {
        let reply = read(&blocks, reason);
        assert!(reply.is_truncated(), "{reason}");
        assert_eq!(reply.tool_calls.iter().map(ToolCall::is_truncated).collect::<Vec<_>>(), [false, true]);
        let results = registry().dispatch(&reply.tool_calls).await;
        assert_eq!(results[0].text(), "Rome: sunny");
        assert!(results[1].text().starts_with("Error: the call of `delete` was "), "{}", results[1].text());
        assert_eq!(results[1].error_kind(), Some("truncated"));
    }
    assert!(!read(&blocks, "tool_use").tool_calls[1].is_truncated());
}

#[tokio::test]
async fn calls_that_the_provider_runs_itself_are_native_and_a_paused_reply_goes_back_unchanged() {
    let blocks = json!([
        { "type": "text", "text": "I search." },
        { "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": { "query": "weather" } },
        { "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [
            { "type": "web_search_result", "url": "https://example.com", "title": "Weather",
              "encrypted_content": "EqgfCioIARgB", "page_age": null }] },
    ]);
    let paused = read(&blocks, "pause_turn");
    assert_eq!(paused.completeness(), Completeness::Paused);
    assert!(paused.tool_calls.is_empty());

    // The loop continues after a paused reply.
    let mut replies = vec![read(&json!([{ "type": "text", "text": "Sunny." }]), "end_turn"), paused];
    let mut bodies = Vec::new();
    let mut chat = Conversation::new().user("The weather?");
    let _ = chat
        .drive(&registry(), None, |request| {
            bodies.push(json(&request.on(&Anthropic::new()).expect("it is written")));
            std::future::ready(Ok::<_, ()>(replies.pop().expect("two requests")))
        })
        .await;
    assert_eq!(chat.final_text(), "Sunny.");
    assert_eq!(bodies[1]["messages"][1], json!({ "role": "assistant", "content": blocks }));
    assert!(chat.warnings().is_empty(), "{:?}", chat.warnings());
}

#[test]
fn a_declined_request_is_the_final_text_and_has_content_in_the_next_request() {
    let body = json!({
        "type": "message", "content": [], "stop_reason": "refusal",
        "stop_details": { "type": "refusal", "explanation": "This is not allowed." },
    });
    let reply = Anthropic::new().read_reply(&body.to_string()).expect("it is read");
    assert_eq!(reply.refusal(), Some("This is not allowed."));
    let Turn::Answer(chat) = Conversation::new().user("?").reply(reply) else { panic!("no calls") };
    assert_eq!(chat.final_text(), "This is not allowed.");
    let written = json(&write(&Anthropic::new(), chat.messages()));
    assert_eq!(
        written["messages"][1]["content"],
        json!([{ "type": "text", "text": "This is not allowed." }])
    );
}

#[test]
fn an_empty_reply_is_left_out() {
    let Turn::Answer(chat) = Conversation::new().user("One").reply(read(&json!([]), "end_turn")) else {
        panic!("no calls")
    };
    let written = json(&write(&Anthropic::new(), chat.user("Two").messages()));
    assert_eq!(
        written["messages"],
        json!([{ "role": "user", "content": [{ "type": "text", "text": "One" }, { "type": "text", "text": "Two" }] }])
    );
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
fn tool_choice_and_parallel_calls() {
    let registry = registry();
    let written = |choice: ToolChoice, parallel| {
        let parts = RequestParts::new(&[]).with_tools(registry.schemas());
        json(
            &Anthropic::new()
                .write(&parts.with_tool_choice(&choice).with_parallel_calls(parallel))
                .expect("JSON"),
        )
    };
    for (choice, expected) in [
        (ToolChoice::None, json!({ "type": "none" })),
        (ToolChoice::Required, json!({ "type": "any" })),
        (ToolChoice::Tool("delete".to_owned()), json!({ "type": "tool", "name": "delete" })),
    ] {
        assert_eq!(written(choice, true)["tool_choice"], expected);
    }
    let one_call = json!({ "type": "auto", "disable_parallel_tool_use": true });
    assert_eq!(written(ToolChoice::Auto, false)["tool_choice"], one_call);
    assert_eq!(written(ToolChoice::None, false)["tool_choice"], json!({ "type": "none" }));

    let names = ["delete".to_owned()];
    let parts = RequestParts::new(&[]).with_tools(registry.schemas()).with_allowed_tools(&names);
    let allowed = json(&Anthropic::new().write(&parts).expect("JSON"));
    assert_eq!(allowed["tools"].as_array().map(Vec::len), Some(1));
    let without = json(
        &Anthropic::new()
            .write(&RequestParts::new(&[]).with_tool_choice(&ToolChoice::Required))
            .expect("JSON"),
    );
    assert_eq!((without.get("tools"), without.get("tool_choice")), (None, None));
}

#[test]
fn at_most_20_strict_tools_are_sent_and_the_others_are_reported() {
    let tools: Vec<Value> = (0..22)
        .map(|number| {
            json!({ "type": "function", "function": { "name": format!("tool_{number}"), "parameters": {
                "type": "object", "properties": { "a": { "type": "integer", "minimum": 1 } }, "required": ["a"],
                "additionalProperties": number == 0 } } })
        })
        .collect();
    let tools: Vec<tool_runtime::ToolSchema> = serde_json::from_value(json!(tools)).expect("definitions");
    let body = Anthropic::new().strict(true).write(&RequestParts::new(&[]).with_tools(&tools)).expect("JSON");
    let written = json(&body);
    let strict = |index: usize| written["tools"][index]["strict"].as_bool().unwrap_or(false);
    assert_eq!((0..22).filter(|&index| strict(index)).count(), 20);
    assert!(!strict(0) && strict(1) && !strict(21));
    assert_eq!(written["tools"][1]["input_schema"]["properties"]["a"].get("minimum"), None);
    let reported: Vec<String> = body.report().not_strict.iter().map(ToString::to_string).collect();
    assert_eq!(reported.len(), 2, "{reported:?}");
    assert!(reported[0].starts_with("the tool `tool_0` is not strict: "), "{reported:?}");
    assert_eq!(reported[1], "the tool `tool_21` is not strict: a request may have at most 20 strict tools");
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
fn optional_properties_and_unions_of_strict_tools_are_limited() {
    let tool = |name: &str, properties: &Value| {
        json!({ "type": "function", "function": { "name": name, "parameters": {
            "type": "object", "properties": properties, "required": [], "additionalProperties": false } } })
    };
    let optional = |count: usize| -> Value {
        (0..count).map(|number| (format!("p{number}"), json!({ "type": "string" }))).collect()
    };
    let unions = |count: usize| -> Value {
        (0..count)
            .map(|number| {
                (format!("p{number}"), json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }))
            })
            .collect()
    };
    for (first, second, is_strict) in [
        (optional(12), optional(12), true),
        (optional(12), optional(13), false),
        (unions(8), unions(8), true),
        (unions(8), unions(9), false),
    ] {
        let tools: Vec<tool_runtime::ToolSchema> =
            serde_json::from_value(json!([tool("a", &first), tool("b", &second)])).expect("definitions");
        let body =
            Anthropic::new().strict(true).write(&RequestParts::new(&[]).with_tools(&tools)).expect("JSON");
        assert_eq!(json(&body)["tools"][1]["strict"] == true, is_strict, "{:?}", body.report());
    }
}

/// The events of a stream, one per line.
fn assembled(events: &[Value]) -> AssistantMessage {
    let mut assembler = ReplyAssembler::new().wire(Anthropic::new());
    for event in events {
        assembler.push(event.clone());
    }
    assembler.finish().expect("it is complete")
}

fn start(index: u64, block: &Value) -> Value {
    json!({ "type": "content_block_start", "index": index, "content_block": block })
}

fn delta(index: u64, delta: &Value) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": delta })
}

fn streamed() -> Vec<Value> {
    vec![
        json!({ "type": "message_start", "message": { "id": "msg_1", "type": "message", "role": "assistant",
            "model": "claude", "content": [], "stop_reason": null,
            "usage": { "input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 1 } } }),
        start(0, &json!({ "type": "thinking", "thinking": "", "signature": "" })),
        json!({ "type": "ping" }),
        delta(0, &json!({ "type": "thinking_delta", "thinking": "Two " })),
        delta(0, &json!({ "type": "thinking_delta", "thinking": "cities." })),
        delta(0, &json!({ "type": "signature_delta", "signature": "EqQBCgIYAhIM" })),
        json!({ "type": "content_block_stop", "index": 0 }),
        start(1, &json!({ "type": "redacted_thinking", "data": "EmwKAhgBEgy3va3pzix" })),
        json!({ "type": "content_block_stop", "index": 1 }),
        start(2, &json!({ "type": "text", "text": "" })),
        delta(2, &json!({ "type": "text_delta", "text": "I look " })),
        delta(2, &json!({ "type": "text_delta", "text": "it up." })),
        json!({ "type": "content_block_stop", "index": 2 }),
        start(3, &json!({ "type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {} })),
        delta(3, &json!({ "type": "input_json_delta", "partial_json": "" })),
        delta(3, &json!({ "type": "input_json_delta", "partial_json": "{\"city\":" })),
        delta(3, &json!({ "type": "input_json_delta", "partial_json": " \"Rome\"}" })),
        json!({ "type": "content_block_stop", "index": 3 }),
        start(4, &json!({ "type": "tool_use", "id": "toolu_2", "name": "get_weather", "input": {} })),
        delta(4, &json!({ "type": "input_json_delta", "partial_json": "{\"city\":\"Atlantis\"}" })),
        json!({ "type": "content_block_stop", "index": 4 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use", "stop_sequence": null },
            "usage": { "output_tokens": 20 } }),
        json!({ "type": "message_stop" }),
    ]
}

#[test]
fn a_streamed_reply_equals_the_same_reply_that_is_not_streamed() {
    let mut reply = assembled(&streamed());
    let whole = read(&parallel_calls(), "tool_use");
    assert_eq!(reply.tool_calls[0].arguments, r#"{"city": "Rome"}"#, "the text of the model");
    assert_eq!((reply.text(), reply.usage(), reply.origin()), (whole.text(), whole.usage(), whole.origin()));
    let written = |reply: &AssistantMessage| json(&write(&Anthropic::new(), &[reply.clone().into()]));
    assert_eq!(written(&reply), written(&whole));
    // Every field is equal, except the white space of the arguments and the order of keys in the items.
    reply.tool_calls[0].arguments = r#"{"city":"Rome"}"#.to_owned();
    assert_eq!(reply.tool_calls, whole.tool_calls);
    assert_eq!(reply.finish_reason(), whole.finish_reason());
    assert_eq!(reply.completeness(), whole.completeness());
}

#[test]
fn a_stream_reports_text_reasoning_and_calls_as_they_come() {
    let mut assembler = ReplyAssembler::new().wire(wire::by_name("anthropic").expect("it is enabled"));
    let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), Vec::new());
    for (at, event) in streamed().into_iter().enumerate() {
        for event in assembler.push(Anthropic::new().read_event(&event.to_string())) {
            match event {
                Event::Text(piece) => text.push_str(piece),
                Event::Reasoning(piece) => reasoning.push_str(piece),
                Event::CallComplete { index, call, .. } => calls.push((at, index, call.name.clone())),
                _ => {}
            }
        }
    }
    assert_eq!((&*text, &*reasoning), ("I look it up.", "Two cities."));
    // Each call is complete with its last piece, before the end of the reply.
    assert_eq!(calls, [(16, 0, "get_weather".to_owned()), (19, 1, "get_weather".to_owned())]);
}

#[tokio::test]
async fn read_only_tools_start_while_the_reply_is_streamed() {
    let registry = registry();
    let chunks = streamed().into_iter().map(|event| Anthropic::new().read_event(&event.to_string()));
    let (reply, results) =
        registry.dispatch_stream(futures_util::stream::iter(chunks)).await.expect("it is complete");
    assert_eq!(results[0].text(), "Rome: sunny");
    let Turn::Calls(mut pending) = Conversation::new().user("?").reply(reply) else { panic!("it calls") };
    pending.add_results(results).expect("the ids are equal");
    let chat = pending.finish().expect("each call has its result");
    let written = json(&write(&Anthropic::new(), chat.messages()));
    assert_eq!(written["messages"][1]["content"], parallel_calls());
}

#[test]
fn a_call_without_a_delta_has_no_arguments_and_a_truncated_one_never_runs() {
    let call = start(0, &json!({ "type": "tool_use", "id": "toolu_1", "name": "delete", "input": {} }));
    let stop = |reason: &str| json!({ "type": "message_delta", "delta": { "stop_reason": reason } });
    let end = json!({ "type": "message_stop" });
    let reply = assembled(&[call.clone(), stop("tool_use"), end.clone()]);
    assert_eq!((&*reply.tool_calls[0].arguments, reply.tool_calls[0].is_truncated()), ("{}", false));
    let reply = assembled(&[call, stop("max_tokens"), end]);
    assert!(reply.tool_calls[0].is_truncated() && reply.is_truncated());
}

#[tokio::test]
async fn arguments_with_the_start_of_a_block_are_used_once_and_unless_pieces_follow() {
    let registry = registry();
    let block = json!({ "type": "tool_use", "id": "a", "name": "get_weather", "input": { "city": "Rome" } });
    let stop = |reason: &str| json!({ "type": "message_delta", "delta": { "stop_reason": reason } });
    let end = json!({ "type": "message_stop" });
    let pieces = [
        delta(0, &json!({ "type": "input_json_delta", "partial_json": "{\"city\"" })),
        delta(0, &json!({ "type": "input_json_delta", "partial_json": ":\"Oslo\"}" })),
    ];
    for (pieces, city) in [(&pieces[..], "Oslo"), (&[], "Rome")] {
        let events = [&[start(0, &block)], pieces, &[stop("tool_use"), end.clone()]].concat();
        let chunks = events.iter().map(|event| Anthropic::new().read_event(&event.to_string()));
        let (reply, results) =
            registry.dispatch_stream(futures_util::stream::iter(chunks)).await.expect("it is complete");
        assert_eq!((reply.tool_calls.len(), results[0].text()), (1, &*format!("{city}: sunny")));
    }
    for pieces in [&[][..], &[delta(0, &json!({ "type": "input_json_delta", "partial_json": "{}" }))]] {
        let events = [&[start(0, &block)], pieces, &[stop("max_tokens"), end.clone()]].concat();
        assert!(assembled(&events).tool_calls[0].is_truncated());
    }
}

#[test]
fn hostile_events_and_bodies_are_errors_and_never_panics() {
    for delta in [json!("x"), json!(1), json!([]), json!(true), json!({ "type": 1 }), Value::Null] {
        for kind in ["content_block_start", "content_block_delta", "message_delta", "message_start", "error"]
        {
            let event = json!({ "type": kind, "index": 0, "delta": delta, "content_block": delta, "message": delta,
                "error": delta, "usage": delta });
            let mut assembler = ReplyAssembler::new().wire(Anthropic::new());
            assembler.push(event);
            assembler.push(json!({ "type": "message_stop" }));
            let _ = assembler.finish();
        }
        let body = json!({ "type": "message", "content": [{ "type": "text", "text": delta, "id": delta },
            { "type": "tool_use", "id": delta, "name": delta, "input": delta }, { "type": delta }] });
        let reply = Anthropic::new().read_reply(&body.to_string()).expect("odd blocks are read");
        let _ = write(&Anthropic::new(), &[reply.into()]);
    }
}

#[test]
fn text_of_a_stream_that_its_items_do_not_contain_is_sent() {
    let text = |text: &str| start(0, &json!({ "type": "text", "text": text }));
    let end = json!({ "type": "message_stop" });
    for events in [
        vec![text("one"), text("two"), end.clone()],
        vec![text("one"), delta(7, &json!({ "type": "text_delta", "text": "two" })), end],
    ] {
        let reply = assembled(&events);
        assert_eq!(reply.text(), "onetwo");
        let written = json(&write(&Anthropic::new(), &[reply.into()]));
        let blocks = written["messages"][0]["content"].as_array().expect("blocks");
        let sent: String = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        assert_eq!(sent, "onetwo");
    }
}

#[test]
fn a_declined_stream_has_its_reason_and_a_stream_without_end_is_unconfirmed() {
    let details = json!({ "type": "refusal", "explanation": "This is not allowed." });
    let declined =
        json!({ "type": "message_delta", "delta": { "stop_reason": "refusal", "stop_details": details } });
    let text = delta(0, &json!({ "type": "text_delta", "text": "Half" }));
    let reply = assembled(&[text.clone(), declined, json!({ "type": "message_stop" })]);
    assert_eq!(reply.refusal(), Some("This is not allowed."));
    assert_eq!(assembled(&[text]).completeness(), Completeness::Unconfirmed);
}

#[test]
fn an_error_in_a_stream_interrupts_the_reply() {
    let mut assembler = ReplyAssembler::new().wire(Anthropic::new());
    assembler.push(delta(0, &json!({ "type": "text_delta", "text": "Half" })));
    assembler
        .push(json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } }));
    let error = assembler.finish().expect_err("the server sent an error");
    assert!(matches!(error.cause(), StreamError::Server { message, .. } if message == "Overloaded"));
    assert_eq!(error.partial().text(), "Half");

    let mut assembler = ReplyAssembler::new().wire(Anthropic::new());
    assembler.push("event: ping");
    let error = assembler.finish().expect_err("it is no event");
    assert!(error.to_string().contains("not in the format of Anthropic's Messages API"), "{error}");
}

#[test]
fn errors_of_the_server_and_of_other_formats_are_clear() {
    let wire = Anthropic::new();
    let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    assert_eq!(wire.read_error(overloaded).as_deref(), Some("Overloaded"));
    for (body, expected) in [
        (overloaded, "expected a reply, got an error: Overloaded"),
        (r#"{"choices":[{"message":{"content":"x"}}]}"#, "this is in the format of `chat_completions`"),
        ("<html>", "the text is not JSON"),
        ("{}", "expected a reply of Anthropic's Messages API: there is no `content`"),
        (r#"{"content":"x"}"#, "expected a reply of Anthropic's Messages API: invalid type: string"),
    ] {
        let error = wire.read_reply(body).expect_err(body).to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    let error =
        ChatCompletions::new().read_reply(&response(&parallel_calls(), "tool_use")).expect_err("another");
    assert!(matches!(error, WireError::OtherWire { wire: "anthropic", .. }), "{error}");
}

#[test]
fn a_wire_is_selected_by_name() {
    assert_eq!(wire::by_name("anthropic").expect("it is enabled").name(), "anthropic");
    let error = wire::by_name("antropic").expect_err("there is none");
    assert_eq!(error.to_string(), "there is no wire `antropic`: use one of `chat_completions`, `anthropic`");
}
