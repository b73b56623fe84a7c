//! Anthropic's wire: fixtures made from the provider's documentation.

use crate::weather_tools::registry;
use crate::{json, write};
use serde_json::{Value, json};
use tool_runtime::conversation::Received;
use tool_runtime::message::Completeness;
use tool_runtime::wire::{self, Anthropic, ChatCompletions, RequestParts, Wire, WireError};
use tool_runtime::{AssistantMessage, Conversation, Session, ToolCall, ToolChoice};

/// A reply with these blocks.
fn response(blocks: &Value, stop_reason: &str) -> String {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": blocks,
        "stop_reason": stop_reason, "stop_sequence": null,
        "usage": { "input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 20 },
    })
    .to_string()
}

pub(crate) fn read(blocks: &Value, stop_reason: &str) -> AssistantMessage {
    Anthropic::new().read_reply(&response(blocks, stop_reason)).expect("it is read")
}

pub(crate) fn parallel_calls() -> Value {
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
    let Received::ToolCalls(pending) = chat.receive(read(&parallel_calls(), "tool_use")) else {
        panic!("it calls")
    };
    let chat = pending.dispatch(&registry()).await.user("Quickly!");
    let body = chat.request(&registry()).wire(Anthropic::new()).body().expect("it is written");
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
    let mut session = Session::new().user("The weather?");
    let _ = session
        .run(&registry())
        .complete(|request| {
            bodies.push(json(&request.wire(Anthropic::new()).body().expect("it is written")));
            std::future::ready(Ok::<_, ()>(replies.pop().expect("two requests")))
        })
        .await;
    assert_eq!(session.final_text(), "Sunny.");
    assert_eq!(bodies[1]["messages"][1], json!({ "role": "assistant", "content": blocks }));
    assert!(session.warnings().is_empty(), "{:?}", session.warnings());
}

#[test]
fn a_declined_request_is_the_final_text_and_has_content_in_the_next_request() {
    let body = json!({
        "type": "message", "content": [], "stop_reason": "refusal",
        "stop_details": { "type": "refusal", "explanation": "This is not allowed." },
    });
    let reply = Anthropic::new().read_reply(&body.to_string()).expect("it is read");
    assert_eq!(reply.refusal(), Some("This is not allowed."));
    let Received::Answer(chat) = Conversation::new().user("?").receive(reply) else { panic!("no calls") };
    assert_eq!(chat.final_text(), "This is not allowed.");
    let written = json(&write(&Anthropic::new(), chat.messages()));
    assert_eq!(
        written["messages"][1]["content"],
        json!([{ "type": "text", "text": "This is not allowed." }])
    );
}

#[test]
fn an_empty_reply_is_left_out() {
    let Received::Answer(chat) = Conversation::new().user("One").receive(read(&json!([]), "end_turn")) else {
        panic!("no calls")
    };
    let written = json(&write(&Anthropic::new(), chat.user("Two").messages()));
    assert_eq!(
        written["messages"],
        json!([{ "role": "user", "content": [{ "type": "text", "text": "One" }, { "type": "text", "text": "Two" }] }])
    );
}

#[test]
fn tool_choice_and_parallel_calls() {
    let registry = registry();
    let written = |choice: ToolChoice, parallel| {
        let parts = RequestParts::new(&[]).tools(registry.schemas());
        json(&Anthropic::new().write(&parts.tool_choice(&choice).parallel_calls(parallel)).expect("JSON"))
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
    let parts = RequestParts::new(&[]).tools(registry.schemas()).allowed_tools(&names);
    let allowed = json(&Anthropic::new().write(&parts).expect("JSON"));
    assert_eq!(allowed["tools"].as_array().map(Vec::len), Some(1));
    let without = json(
        &Anthropic::new().write(&RequestParts::new(&[]).tool_choice(&ToolChoice::Required)).expect("JSON"),
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
    let body = Anthropic::new().strict(true).write(&RequestParts::new(&[]).tools(&tools)).expect("JSON");
    let written = json(&body);
    let strict = |index: usize| written["tools"][index]["strict"].as_bool().unwrap_or(false);
    assert_eq!((0..22).filter(|&index| strict(index)).count(), 20);
    assert!(!strict(0) && strict(1) && !strict(21));
    assert_eq!(written["tools"][1]["input_schema"]["properties"]["a"].get("minimum"), None);
    let reported: Vec<String> = body.report().not_strict_tools.iter().map(ToString::to_string).collect();
    assert_eq!(reported.len(), 2, "{reported:?}");
    assert!(reported[0].starts_with("the tool `tool_0` is not strict: "), "{reported:?}");
    assert_eq!(reported[1], "the tool `tool_21` is not strict: a request may have at most 20 strict tools");
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
        let body = Anthropic::new().strict(true).write(&RequestParts::new(&[]).tools(&tools)).expect("JSON");
        assert_eq!(json(&body)["tools"][1]["strict"] == true, is_strict, "{:?}", body.report());
    }
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
    assert_eq!(
        error.to_string(),
        "there is no wire `antropic`: use one of `chat_completions`, `anthropic`, \
         `gemini_interactions`, `responses`, `gemini`, `ollama`, `bedrock`"
    );
}
