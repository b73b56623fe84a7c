//! The wire of Gemini's Interactions API: fixtures made from its documentation and the types of `google-genai`.

use crate::weather_tools::registry;
use crate::{dropped, json, write};
use serde_json::{Value, json};
use tool_runtime::conversation::Received;
use tool_runtime::message::{Completeness, Content, Message, Part};
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire::{self, Gemini, GeminiInteractions, RequestParts, Wire, WireError};
use tool_runtime::{AssistantMessage, Conversation, ToolCall, ToolChoice, ToolMessage, history};
use tool_runtime_testing::check_request;

fn interaction(steps: &Value, status: &str) -> Value {
    json!({
        "id": "v1_abc", "object": "interaction", "model": "gemini-3", "status": status, "steps": steps,
        "usage": { "total_input_tokens": 100, "total_tool_use_tokens": 7, "total_cached_tokens": 90,
            "total_output_tokens": 20, "total_thought_tokens": 5, "total_tokens": 132 },
    })
}

fn read(steps: &Value, status: &str) -> AssistantMessage {
    GeminiInteractions::new().read_reply(&interaction(steps, status).to_string()).expect("it is read")
}

fn call(id: &str, city: &str) -> Value {
    json!({ "type": "function_call", "id": id, "name": "get_weather", "arguments": { "city": city } })
}

fn thought() -> Value {
    json!({ "type": "thought", "signature": "c2ln", "summary": [{ "type": "text", "text": "Two cities." }] })
}

fn output(text: &str) -> Value {
    json!({ "type": "model_output", "content": [{ "type": "text", "text": text }] })
}

fn user(text: &str) -> Value {
    json!({ "type": "user_input", "content": [{ "type": "text", "text": text }] })
}

fn search() -> [Value; 2] {
    [
        json!({ "type": "google_search_call", "id": "s1", "arguments": { "queries": ["Rome"] }, "signature": "c2" }),
        json!({ "type": "google_search_result", "call_id": "s1", "result": [{ "search_suggestions": "x" }] }),
    ]
}

fn steps() -> Value {
    let [search, found] = search();
    json!([thought(), search, found, output("I look it up."), call("a1", "Rome"), call("a2", "Atlantis")])
}

async fn answered() -> Conversation {
    let chat = Conversation::new().system("Be brief.").user("Rome and Atlantis?");
    let Received::ToolCalls(pending) = chat.receive(read(&steps(), "requires_action")) else {
        panic!("it calls")
    };
    pending.dispatch(&registry()).await
}

fn results() -> [Value; 2] {
    [
        json!({ "type": "function_result", "call_id": "a1", "name": "get_weather", "result": "Rome: sunny" }),
        json!({ "type": "function_result", "call_id": "a2", "name": "get_weather",
            "result": "Error: there is no such city", "is_error": true }),
    ]
}

#[tokio::test]
async fn results_are_steps_after_the_unchanged_steps_of_the_reply() {
    let chat = answered().await.user("Quickly!");
    let wire = GeminiInteractions::new().store(false);
    let body = chat.request(&registry()).wire(wire.clone()).body().expect("it is written");
    assert!(body.report().is_empty(), "{:?}", body.report());
    let written = json(&body);
    assert_eq!(check_request(&wire, &written), Ok(()));
    assert_eq!((&written["system_instruction"], &written["store"]), (&json!("Be brief."), &json!(false)));
    let steps = steps();
    let steps = steps.as_array().expect("steps");
    let expected = [&[user("Rome and Atlantis?")], &**steps, &results(), &[user("Quickly!")]];
    assert_eq!(written["input"], json!(expected.concat()));
    let tool = &written["tools"][1];
    assert_eq!((&tool["type"], &tool["name"]), (&json!("function"), &json!("get_weather")));
    assert_eq!(tool["parameters"]["required"], json!(["city"]));
    assert_eq!(written.get("generation_config"), None);
}

#[tokio::test]
async fn a_stored_interaction_is_continued_with_what_is_new() {
    let wire = GeminiInteractions::new().previous_interaction(true);
    let first = Conversation::new().system("Be brief.").user("Rome?");
    let body = json(&first.request(&registry()).wire(wire.clone()).body().expect("it is written"));
    assert_eq!((body.get("previous_interaction_id"), body.get("store")), (None, None));
    let chat = answered().await;
    let body = json(&chat.request(&registry()).wire(wire.clone()).body().expect("it is written"));
    assert_eq!(check_request(&wire, &body), Ok(()));
    assert_eq!(body["previous_interaction_id"], "v1_abc");
    assert_eq!(body["system_instruction"], "Be brief.");
    assert_eq!(body["input"], json!(results()));
    assert_eq!(body["tools"].as_array().map(Vec::len), Some(2));
    // Nothing is stored to continue.
    let body = json(&chat.request(&registry()).wire(wire.store(false)).body().expect("it is written"));
    assert_eq!(body.get("previous_interaction_id"), None);
    assert_eq!(body["input"].as_array().map(Vec::len), Some(9));
}

#[test]
fn a_reply_has_its_text_its_reasoning_its_usage_and_its_status() {
    let reply = read(&steps(), "requires_action");
    assert_eq!((reply.text(), &*reply.reasoning()), ("I look it up.", "Two cities."));
    assert_eq!(
        (reply.finish_reason(), reply.completeness()),
        (Some("requires_action"), Completeness::Complete)
    );
    let origin = reply.origin().expect("it was read");
    assert_eq!((&*origin.wire, origin.model.as_deref()), ("gemini_interactions", Some("gemini-3")));
    assert_eq!(origin.response_id.as_deref(), Some("v1_abc"));
    let usage = reply.usage().expect("the interaction has it");
    assert_eq!((usage.input_tokens, usage.cached_input_tokens, usage.output_tokens), (107, 90, 25));
    assert_eq!(reply.tool_calls.iter().map(|call| &*call.id).collect::<Vec<_>>(), ["a1", "a2"]);
    // A retrieved interaction has its input too.
    let retrieved = json!([user("?"), thought(), output("a")]);
    assert_eq!(read(&retrieved, "completed").text(), "a");
}

#[test]
fn the_last_call_of_a_truncated_reply_does_not_run() {
    for status in ["incomplete", "budget_exceeded", "cancelled"] {
        let reply = read(&json!([thought(), call("a1", "Rome"), call("a2", "Par")]), status);
        let truncated: Vec<bool> = reply.tool_calls.iter().map(ToolCall::is_truncated).collect();
        assert_eq!((reply.is_truncated(), &*truncated), (true, &[false, true][..]), "{status}");
    }
    let blocked = json!([{ "type": "model_output", "error": { "code": 3, "message": "It is blocked." } }]);
    assert_eq!(read(&blocked, "incomplete").refusal(), Some("It is blocked."));
}

// The API rejects a call without a thought before it in its reply; genai's tests against the API found this.
#[test]
fn a_foreign_reply_gets_a_thought_before_its_first_call() {
    let calls = ["c1", "c2"].map(|id| ToolCall::new(id, "2fa", "{}"));
    let mut reply = AssistantMessage::from_tool_calls(calls);
    reply.content = Some("One moment.".into());
    let results = ["c1", "c2"].map(|id| ToolMessage::new(id, "1").with_tool("2fa").into());
    let messages = [&[Message::user("?"), reply.into()], &results[..]].concat();
    let written = json(&write(&GeminiInteractions::new(), &messages));
    assert_eq!(check_request(&GeminiInteractions::new(), &written), Ok(()));
    let call = |id: &str| json!({ "type": "function_call", "id": id, "name": "n_2fa", "arguments": {} });
    let result =
        |id: &str| json!({ "type": "function_result", "call_id": id, "name": "n_2fa", "result": "1" });
    let skipped = json!({ "type": "thought", "signature": "skip_thought_signature_validator" });
    assert_eq!(
        written["input"],
        json!([
            user("?"),
            output("One moment."),
            skipped,
            call("c1"),
            call("c2"),
            result("c1"),
            result("c2")
        ])
    );
    let read = GeminiInteractions::new().read_messages(&written.to_string()).expect("it is read");
    let Message::Assistant(reply) = &read[1] else { panic!("a reply") };
    assert_eq!(reply.tool_calls[0].name, "2fa");
}

#[test]
fn results_are_texts_objects_and_contents() {
    let contents = [
        Content::from(r#"{"b":1,"a":[2]}"#),
        Content::from_parts([
            Part::json(json!({ "b": 1 })),
            Part::image("image/png", [0x89, b'P', b'N', b'G']),
        ]),
        Content::from(""),
    ];
    let ids = ["a1", "a2", "a3"];
    let reply =
        read(&json!([thought(), call("a1", "x"), call("a2", "y"), call("a3", "z")]), "requires_action");
    let results = ids.iter().zip(contents).map(|(id, content)| Message::from(ToolMessage::new(*id, content)));
    let messages: Vec<Message> = [Message::user("?"), reply.into()].into_iter().chain(results).collect();
    let body = write(&GeminiInteractions::new(), &messages);
    let written = json(&body);
    assert_eq!(check_request(&GeminiInteractions::new(), &written), Ok(()));
    let result = |index: usize| written["input"][index]["result"].clone();
    assert_eq!(result(5), r#"{"b":1,"a":[2]}"#);
    assert_eq!(
        result(6),
        json!([{ "type": "text", "text": r#"{"b":1}"# }, { "type": "image", "mime_type": "image/png", "data": "iVBORw==" }])
    );
    assert_eq!(result(7), "");
}

#[test]
fn the_choice_of_tools_is_in_the_generation_config() {
    let registry = registry();
    let with = |wire: GeminiInteractions, choice: ToolChoice| {
        let messages = [Message::user("?")];
        let parts = RequestParts::new(&messages).tools(registry.schemas()).tool_choice(&choice);
        let body = wire.write(&parts).expect("it is written");
        // Settings of the program do not replace it.
        let body = body.with("generation_config", json!({ "max_output_tokens": 9 }));
        let written = json(&body);
        assert_eq!(written["generation_config"]["max_output_tokens"], 9);
        written["generation_config"]["tool_choice"].clone()
    };
    let wire = GeminiInteractions::new;
    assert_eq!(with(wire(), ToolChoice::Auto), Value::Null);
    assert_eq!(with(wire().strict(true), ToolChoice::Auto), "validated");
    assert_eq!(with(wire(), ToolChoice::None), "none");
    assert_eq!(with(wire(), ToolChoice::Required), "any");
    let named = json!({ "allowed_tools": { "mode": "any", "tools": ["get_weather"] } });
    assert_eq!(with(wire(), ToolChoice::Tool("get_weather".to_owned())), named);
}

#[test]
fn a_history_goes_back_as_it_came() {
    let [search, found] = search();
    let input = json!([
        { "type": "user_input", "content": [
            { "type": "text", "text": "?" },
            { "type": "image", "uri": "https://example.com/a.png", "mime_type": "image/png", "resolution": "high" },
            { "type": "document", "mime_type": "application/pdf", "data": "AAAA" },
        ] },
        thought(), search, found, call("a1", "Rome"), call("a2", "Oslo"),
        { "type": "function_result", "call_id": "a2", "name": "get_weather", "result": { "b": 1, "a": 2 } },
        { "type": "function_result", "call_id": "a1", "name": "get_weather", "result": [{ "type": "text", "text": "x" }],
            "is_error": false },
        output("Sunny."),
        user("Thanks."),
    ]);
    let request = json!({ "model": "m", "system_instruction": "Be brief.", "input": input });
    let messages = GeminiInteractions::new().read_messages(&request.to_string()).expect("it is read");
    history::validate(&messages).expect("it is valid");
    assert_eq!(messages.len(), 7);
    let body = write(&GeminiInteractions::new(), &messages);
    assert!(body.report().is_empty(), "{:?}", body.report());
    assert_eq!(json(&body)["input"], input);
    assert_eq!(json(&body)["system_instruction"], "Be brief.");
    for text in [
        r#"{"input":"Hello!"}"#,
        r#"{"input":{"type":"text","text":"Hello!"}}"#,
        r#"[{"type":"text","text":"Hello!"}]"#,
    ] {
        let messages = GeminiInteractions::new().read_messages(text).expect("it is read");
        assert_eq!((messages.len(), messages[0].text()), (1, "Hello!"), "{text}");
    }
}

#[test]
fn errors_and_texts_of_other_apis_are_clear() {
    let wire = GeminiInteractions::new();
    let failed =
        json!({ "id": "v1", "status": "failed", "errors": [{ "code": "internal", "message": "It broke." }] });
    let error = wire.read_reply(&failed.to_string()).expect_err("it failed").to_string();
    assert_eq!(error, "expected a reply, got an error: It broke.");
    let waiting = json!({ "id": "v1", "status": "in_progress" });
    let error = wire.read_reply(&waiting.to_string()).expect_err("it is not complete").to_string();
    assert!(error.ends_with("the interaction is `in_progress`: retrieve it when it is complete"), "{error}");
    let earlier = json!({ "id": "v1", "status": "completed", "outputs": [] });
    let error = wire.read_reply(&earlier.to_string()).expect_err("another revision").to_string();
    assert!(error.ends_with("send the header `Api-Revision: 2026-05-20`"), "{error}");
    let rejected = r#"{"error":{"code":400,"message":"Invalid value","status":"INVALID_ARGUMENT"}}"#;
    assert_eq!(wire.read_error(rejected).as_deref(), Some("Invalid value"));
    let own = interaction(&steps(), "completed").to_string();
    assert!(matches!(
        Gemini::new().read_reply(&own),
        Err(WireError::OtherWire { wire: "gemini_interactions", .. })
    ));
    let history = json!([user("?"), output("a")]).to_string();
    assert_eq!(wire::detect(&history), Some("gemini_interactions"));
    let request = json!({ "system_instruction": "Be brief.", "input": "Hello!" }).to_string();
    assert_eq!(wire::detect(&request), Some("gemini_interactions"));
    let responses =
        json!({ "input": [{ "type": "message", "role": "user", "content": "Hello!" }] }).to_string();
    assert_eq!(wire::detect(&responses), Some("responses"));
    let result = json!([{ "type": "function_result", "name": "f", "result": "1" }]).to_string();
    let error = wire.read_messages(&result).expect_err("no id").to_string();
    assert!(error.ends_with("a `function_result` without `call_id`"), "{error}");
}

fn delta(index: u64, delta: &Value) -> Value {
    json!({ "event_type": "step.delta", "index": index, "delta": delta })
}

fn events() -> Vec<Value> {
    let start =
        |index: u64, step: &Value| json!({ "event_type": "step.start", "index": index, "step": step });
    let stop = |index: u64| json!({ "event_type": "step.stop", "index": index });
    let text = |text: &str| json!({ "type": "text", "text": text });
    let call =
        |id: &str, name: &str| json!({ "type": "function_call", "id": id, "name": name, "arguments": {} });
    let arguments = |text: &str| json!({ "type": "arguments_delta", "arguments": text });
    let [mut searched, mut found] = search();
    searched["arguments"] = json!({});
    found["result"] = json!([]);
    vec![
        json!({ "event_type": "interaction.created",
            "interaction": { "id": "v1_abc", "status": "in_progress", "model": "gemini-3" } }),
        json!({ "event_type": "interaction.status_update", "interaction_id": "v1_abc", "status": "in_progress" }),
        start(0, &json!({ "type": "thought" })),
        delta(0, &json!({ "type": "thought_summary", "content": text("Two cities.") })),
        delta(0, &json!({ "type": "thought_signature", "signature": "c2ln" })),
        stop(0),
        start(1, &searched),
        delta(
            1,
            &json!({ "type": "google_search_call", "arguments": { "queries": ["Rome"] }, "signature": "c2" }),
        ),
        stop(1),
        start(2, &found),
        delta(2, &json!({ "type": "google_search_result", "result": [{ "search_suggestions": "x" }] })),
        stop(2),
        start(3, &json!({ "type": "model_output", "content": [text("I ")] })),
        delta(3, &text("look ")),
        delta(3, &text("it up.")),
        delta(3, &json!({ "type": "text_annotation_delta", "annotations": [] })),
        stop(3),
        start(4, &call("a1", "get_weather")),
        delta(4, &arguments("{\"city\"")),
        delta(4, &arguments(":\"Rome\"}")),
        stop(4),
        start(5, &call("a2", "n_2fa")),
        stop(5),
        json!({ "event_type": "interaction.completed", "interaction": { "id": "v1_abc", "status": "requires_action",
            "usage": { "total_input_tokens": 11, "total_output_tokens": 90, "total_thought_tokens": 245 } } }),
    ]
}

fn assemble(events: &[Value]) -> ReplyAssembler {
    let mut assembler = ReplyAssembler::new().wire(GeminiInteractions::new());
    for event in events {
        assembler.push(event.to_string());
    }
    assembler
}

#[test]
fn a_stream_gives_the_reply_of_the_whole_interaction() {
    let reply = assemble(&events()).into_reply().expect("it is complete");
    assert_eq!((reply.text(), &*reply.reasoning()), ("I look it up.", "Two cities."));
    let calls: Vec<_> =
        reply.tool_calls.iter().map(|call| (&*call.id, &*call.name, &*call.arguments)).collect();
    assert_eq!(calls, [("a1", "get_weather", r#"{"city":"Rome"}"#), ("a2", "2fa", "{}")]);
    assert_eq!(reply.finish_reason(), Some("requires_action"));
    assert!(!reply.is_truncated());
    let usage = reply.usage().expect("the interaction has it");
    assert_eq!((usage.input_tokens, usage.output_tokens), (11, 335));
    assert_eq!(reply.origin().and_then(|origin| origin.response_id.as_deref()), Some("v1_abc"));
    let results = ["a1", "a2"].map(|id| ToolMessage::new(id, "1").into());
    let messages = [&[Message::user("?"), reply.into()], &results[..]].concat();
    let [search, found] = search();
    let mut second = call("a2", "");
    (second["name"], second["arguments"]) = (json!("n_2fa"), json!({}));
    let expected = json!([thought(), search, found, output("I look it up."), call("a1", "Rome"), second]);
    let written = json(&write(&GeminiInteractions::new(), &messages));
    assert_eq!(json!(written["input"].as_array().expect("steps")[1..7]), expected);
    assert_eq!(check_request(&GeminiInteractions::new(), &written), Ok(()));
}

#[test]
fn texts_and_images_of_a_stream_keep_their_order() {
    let image = json!({ "type": "image", "mime_type": "image/png", "data": "AAAA" });
    let mut events = events();
    events.splice(14..14, [delta(3, &image)]);
    let reply = assemble(&events).into_reply().expect("it is complete");
    let body = write(&GeminiInteractions::new(), &[Message::user("?"), reply.into()]);
    let written = json(&body)["input"].clone();
    let image = json!({ "type": "model_output", "content": [image] });
    assert_eq!(
        json!(written.as_array().expect("steps")[4..7]),
        json!([output("I look "), image, output("it up.")])
    );
    assert_eq!(dropped(&body), [""; 0]);
}

#[test]
fn an_image_with_further_fields_is_corrected_or_left_out() {
    for (data, expected) in [
        (
            "/9j/4AAQ",
            json!({ "type": "image", "mime_type": "image/jpeg", "data": "/9j/4AAQ", "resolution": "low" }),
        ),
        (
            "AAAAHGZ0eXBhdmlm",
            json!({ "type": "text", "text": "[image: image/avif, which cannot be sent: the provider takes image/jpeg, image/png, \
                image/webp, image/heic, image/heif, image/gif, image/bmp, image/tiff]" }),
        ),
    ] {
        let image = json!({ "type": "image", "mime_type": "image/png", "data": data, "resolution": "low" });
        let history = json!([{ "type": "user_input", "content": [image] }]);
        let messages = GeminiInteractions::new().read_messages(&history.to_string()).expect("it is read");
        assert_eq!(
            json(&write(&GeminiInteractions::new(), &messages))["input"][0]["content"],
            json!([expected])
        );
    }
}

#[test]
fn a_failed_interaction_is_an_error() {
    let mut interaction = interaction(&json!([output("a")]), "failed");
    interaction["errors"] = json!([{ "code": 13, "message": "internal" }]);
    let error = GeminiInteractions::new().read_reply(&interaction.to_string()).expect_err("it failed");
    assert!(error.to_string().contains("internal"), "{error}");
    let mut events = events();
    *events.last_mut().expect("an event") =
        json!({ "event_type": "interaction.completed", "interaction": interaction });
    let error = assemble(&events).into_reply().expect_err("it failed");
    assert!(error.to_string().contains("internal"), "{error}");
}

#[test]
fn errors_and_truncation_of_a_stream() {
    let mut interrupted = events()[..14].to_vec();
    interrupted.push(json!({ "event_type": "error", "error": { "code": "resource_exhausted", "message": "Retry in 3s." } }));
    let error = assemble(&interrupted).into_reply().expect_err("it is interrupted");
    assert!(error.to_string().contains("Retry in 3s."), "{error}");
    assert_eq!(error.partial.text(), "I look ");
    let mut truncated = events();
    if let Some(last) = truncated.last_mut() {
        last["interaction"]["status"] = json!("incomplete");
    }
    let reply = assemble(&truncated).into_reply().expect("it has an end");
    assert_eq!(reply.tool_calls.iter().map(ToolCall::is_truncated).collect::<Vec<_>>(), [false, true]);
}
