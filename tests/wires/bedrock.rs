//! The wire of Bedrock's Converse API: fixtures made from its documentation and from public reports.

use crate::weather_tools::registry;
use crate::{dropped, json, write};
use serde_json::{Value, json};
use tool_runtime::conversation::Received;
use tool_runtime::message::{Completeness, Content, Message, Part};
use tool_runtime::wire::{self, Anthropic, Bedrock, ChatCompletions, RequestParts, Wire, WireError};
use tool_runtime::{AssistantMessage, Conversation, ToolCall, ToolChoice, ToolMessage, history};
use tool_runtime_testing::check_request;

pub(crate) fn response(content: &Value, stop_reason: &str) -> Value {
    json!({
        "output": { "message": { "role": "assistant", "content": content } },
        "stopReason": stop_reason,
        "usage": { "inputTokens": 10, "outputTokens": 5, "totalTokens": 122, "cacheReadInputTokens": 100,
            "cacheWriteInputTokens": 7 },
        "metrics": { "latencyMs": 3 },
    })
}

fn read(content: &Value, stop_reason: &str) -> AssistantMessage {
    Bedrock::new().read_reply(&response(content, stop_reason).to_string()).expect("it is read")
}

fn call(id: &str, city: &str) -> Value {
    json!({ "toolUse": { "toolUseId": id, "name": "get_weather", "input": { "city": city } } })
}

fn thought() -> Value {
    json!({ "reasoningContent": { "reasoningText": { "text": "Two cities.", "signature": "c2ln" } } })
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": [{ "text": text }] })
}

#[tokio::test]
async fn results_are_in_one_user_message_after_the_unchanged_blocks() {
    let blocks = json!([
        thought(),
        { "reasoningContent": { "redactedContent": "cmVkYWN0ZWQ=" } },
        { "text": "I look it up." },
        { "toolUse": { "toolUseId": "s1", "name": "nova_grounding", "input": {}, "type": "server_tool_use" } },
        call("tooluse_1", "Rome"),
        call("tooluse_2", "Atlantis"),
    ]);
    let chat = Conversation::new().system("Be brief.").user("Rome and Atlantis?");
    let Received::ToolCalls(pending) = chat.receive(read(&blocks, "tool_use")) else { panic!("it calls") };
    let chat = pending.dispatch(&registry()).await.user("Quickly!");
    let body = chat.request(&registry()).wire(Bedrock::new()).body().expect("it is written");
    assert!(body.report().is_empty(), "{:?}", body.report());
    let written = json(&body);
    assert_eq!(check_request(&Bedrock::new(), &written), Ok(()));
    assert_eq!(written["system"], json!([{ "text": "Be brief." }]));
    assert_eq!(
        written["messages"],
        json!([
            user("Rome and Atlantis?"),
            { "role": "assistant", "content": blocks },
            { "role": "user", "content": [
                { "toolResult": { "toolUseId": "tooluse_1", "content": [{ "text": "Rome: sunny" }] } },
                { "toolResult": { "toolUseId": "tooluse_2", "status": "error",
                    "content": [{ "text": "Error: there is no such city" }] } },
                { "text": "Quickly!" },
            ]},
        ])
    );
    let config = &written["toolConfig"];
    assert_eq!(config["tools"][1]["toolSpec"]["name"], "get_weather");
    assert_eq!(config["tools"][1]["toolSpec"]["inputSchema"]["json"]["required"], json!(["city"]));
    assert_eq!(config.get("toolChoice"), None);
    assert_eq!(written.get("tools"), None);
}

#[test]
fn a_reply_has_its_text_its_reasoning_its_usage_and_its_reason() {
    let cited = json!({ "citationsContent": { "content": [{ "text": "It is " }, { "text": "green." }], "citations": [] } });
    let reply = read(&json!([thought(), { "text": "Hm. " }, cited]), "end_turn");
    assert_eq!((reply.text(), &*reply.reasoning()), ("Hm. It is green.", "Two cities."));
    assert_eq!((reply.finish_reason(), reply.completeness()), (Some("end_turn"), Completeness::Complete));
    assert_eq!(reply.origin().map(|origin| &*origin.wire), Some("bedrock"));
    let usage = reply.usage().expect("the response has it");
    assert_eq!((usage.input_tokens, usage.cached_input_tokens, usage.output_tokens), (117, 100, 5));
    let written = json(&write(&Bedrock::new(), &[Message::user("?"), reply.into()]));
    assert_eq!(written["messages"][1]["content"], json!([thought(), { "text": "Hm. " }, cited]));
}

#[test]
fn the_last_call_of_a_truncated_reply_does_not_run() {
    let reply = read(&json!([call("t1", "Rome"), call("t2", "Par")]), "max_tokens");
    assert_eq!(reply.completeness(), Completeness::Truncated);
    let truncated: Vec<bool> = reply.tool_calls.iter().map(ToolCall::is_truncated).collect();
    assert_eq!(truncated, [false, true]);
    for reason in
        ["guardrail_intervened", "content_filtered", "model_context_window_exceeded", "malformed_tool_use"]
    {
        assert!(read(&json!([{ "text": "a" }]), reason).is_truncated(), "{reason}");
    }
}

#[test]
fn the_choice_of_tools_is_in_the_configuration() {
    let registry = registry();
    let with = |choice: ToolChoice| {
        let messages = [Message::user("?")];
        let parts = RequestParts::new(&messages).tools(registry.schemas()).tool_choice(&choice);
        let body = Bedrock::new().write(&parts).expect("it is written");
        (json(&body)["toolConfig"]["toolChoice"].clone(), body.report().to_string())
    };
    let nothing = String::new;
    assert_eq!(with(ToolChoice::Auto), (Value::Null, nothing()));
    assert_eq!(with(ToolChoice::Required), (json!({ "any": {} }), nothing()));
    let named = json!({ "tool": { "name": "get_weather" } });
    assert_eq!(with(ToolChoice::Tool("get_weather".to_owned())), (named, nothing()));
    // The API cannot forbid calls.
    let ignored = "the tool choice is ignored: the API has none".to_owned();
    assert_eq!(with(ToolChoice::None), (Value::Null, ignored));
}

// langgenius/dify#7328
#[test]
fn a_request_without_tools_has_the_names_of_the_tools_that_were_called() {
    let reply = read(&json!([call("t1", "Rome"), call("t2", "Oslo")]), "tool_use");
    let results = ["t1", "t2"].map(|id| Message::from(ToolMessage::new(id, "sunny")));
    let messages = [&[Message::user("?"), reply.into()], &results[..]].concat();
    let written = json(&write(&Bedrock::new(), &messages));
    assert_eq!(check_request(&Bedrock::new(), &written), Ok(()));
    let spec = json!({ "name": "get_weather", "inputSchema": { "json": { "type": "object" } } });
    assert_eq!(written["toolConfig"], json!({ "tools": [{ "toolSpec": spec }] }));
    assert_eq!(json(&write(&Bedrock::new(), &[Message::user("?")])).get("toolConfig"), None);
}

#[test]
fn ids_and_names_have_the_characters_and_the_length_that_the_api_takes() {
    let calls =
        ["a b", &"long".repeat(20), "functions.f:0", ""].map(|id| ToolCall::new(id, "get weather", "{}"));
    let mut reply = AssistantMessage::from_tool_calls(calls);
    reply.tool_calls[3].id = "ok".to_owned();
    let results = reply.tool_calls.iter().map(|call| Message::from(ToolMessage::new(&call.id, "1")));
    let messages: Vec<Message> =
        [Message::user("?"), reply.clone().into()].into_iter().chain(results).collect();
    let written = json(&write(&Bedrock::new(), &messages));
    assert_eq!(check_request(&Bedrock::new(), &written), Ok(()));
    let (calls, results) = (&written["messages"][1]["content"], &written["messages"][2]["content"]);
    for position in 0..4 {
        assert_eq!(calls[position]["toolUse"]["toolUseId"], results[position]["toolResult"]["toolUseId"]);
    }
    assert_eq!(calls[2]["toolUse"]["toolUseId"], "functions.f:0");
    assert_eq!(calls[0]["toolUse"]["name"], "get_weather");
}

#[test]
fn a_repeated_id_is_another_one_in_the_second_reply() {
    let turn = || {
        let reply = read(&json!([call("t1", "Rome")]), "tool_use");
        [Message::user("?"), reply.into(), ToolMessage::new("t1", "sunny").into()]
    };
    let written = json(&write(&Bedrock::new(), &[turn(), turn()].concat()));
    assert_eq!(check_request(&Bedrock::new(), &written), Ok(()));
    let id = |message: usize| written["messages"][message]["content"][0].clone();
    assert_eq!(id(1)["toolUse"]["toolUseId"], "t1");
    assert_ne!(id(3)["toolUse"]["toolUseId"], "t1");
    assert_eq!(id(3)["toolUse"]["toolUseId"], id(4)["toolResult"]["toolUseId"]);
}

#[test]
fn images_and_documents_have_a_format_and_different_names() {
    let image = Part::image("image/png", [0x89, b'P', b'N', b'G']);
    let file = |name: &str, mime_type: &str| Part::file(name, mime_type, "data");
    let content = Content::from_parts([
        image.clone(),
        file("Bericht_2026  final?.pdf", "application/pdf"),
        file("notes", "text/x-rust"),
        file("notes", "text/csv; charset=utf-8"),
        file("song", "audio/mp3"),
        Part::image_url("s3://bucket/a.JPG"),
        Part::image_url("https://example.com/a.png"),
    ]);
    let body = write(&Bedrock::new(), &[Message::user(content)]);
    let written = json(&body);
    assert_eq!(check_request(&Bedrock::new(), &written), Ok(()));
    let document = |format: &str, name: &str| json!({ "document": { "format": format, "name": name, "source": { "bytes": "ZGF0YQ==" } } });
    assert_eq!(
        written["messages"][0]["content"],
        json!([
            { "image": { "format": "png", "source": { "bytes": "iVBORw==" } } },
            document("pdf", "Bericht-2026 final--pdf"),
            document("txt", "notes"),
            document("csv", "notes 2"),
            { "image": { "format": "jpeg", "source": { "s3Location": { "uri": "s3://bucket/a.JPG" } } } },
            // A text block must be included when using documents.
            { "text": "." },
        ])
    );
    assert_eq!(dropped(&body), ["messages[0]: dropped file", "messages[0]: dropped image"]);
    let result = Content::from_parts([Part::text("a chart"), image]);
    let reply = read(&json!([call("t1", "Rome")]), "tool_use");
    let messages = [Message::user("?"), reply.into(), ToolMessage::new("t1", result).into()];
    let written = json(&write(&Bedrock::new(), &messages));
    let content = &written["messages"][2]["content"][0]["toolResult"]["content"];
    assert_eq!(content[1]["image"]["format"], "png");
}

#[test]
fn what_the_api_rejects_is_left_out() {
    let unsigned = json!({ "reasoningContent": { "reasoningText": { "text": "Hm." } } });
    let reply = read(&json!([unsigned, { "text": " " }, { "text": "a" }, thought()]), "end_turn");
    let messages = [reply.into(), Message::user(" "), Message::user("b"), Message::user("c")];
    let body = write(&Bedrock::new(), &messages);
    let written = json(&body);
    assert_eq!(check_request(&Bedrock::new(), &written), Ok(()));
    let joined = json!({ "role": "user", "content": [{ "text": "b" }, { "text": "c" }] });
    let expected = json!([user("."), { "role": "assistant", "content": [{ "text": "a" }] }, joined]);
    assert_eq!(written["messages"], expected);
    assert_eq!(dropped(&body), ["messages[0]: dropped reasoning", "messages[0]: dropped reasoning"]);
    // An error has a content, and another result need not.
    let reply = read(&json!([call("t1", "Rome"), call("t2", "Oslo")]), "tool_use");
    let mut failed = ToolMessage::error("t1", "");
    failed.content = "".into();
    let messages = [Message::user("?"), reply.into(), failed.into(), ToolMessage::new("t2", "").into()];
    let written = json(&write(&Bedrock::new(), &messages));
    assert_eq!(check_request(&Bedrock::new(), &written), Ok(()));
    let results = &written["messages"][2]["content"];
    assert_eq!(results[0]["toolResult"]["content"], json!([{ "text": "Error" }]));
    assert_eq!(results[1]["toolResult"]["content"], json!([]));
}

#[test]
fn a_history_with_blocks_of_the_api_goes_back_as_it_came() {
    let cache_point = json!({ "cachePoint": { "type": "default", "ttl": "1h" } });
    let document =
        json!({ "document": { "format": "txt", "name": "a", "source": { "text": "b" }, "context": "c" } });
    let history = json!({
        "system": [{ "text": "Be brief." }, cache_point],
        "messages": [
            { "role": "user", "content": [{ "text": "?" }, document, cache_point] },
            { "role": "assistant", "content": [thought(), call("t1", "Rome"), call("t2", "Oslo")] },
            { "role": "user", "content": [
                { "toolResult": { "toolUseId": "t2", "content": [{ "json": { "a": [1, 2] } }], "status": "success" } },
                { "toolResult": { "toolUseId": "t1", "content": [{ "text": "b" }], "status": "error" } },
                { "video": { "format": "mp4", "source": { "bytes": "AAAA" } } },
                cache_point,
            ] },
        ],
    });
    let messages = Bedrock::new().read_messages(&history.to_string()).expect("it is read");
    history::validate(&messages).expect("it is valid");
    let Message::Tool(result) = &messages[3] else { panic!("a result") };
    assert_eq!(
        (result.text(), result.tool(), result.is_error()),
        (r#"{"a":[1,2]}"#, Some("get_weather"), false)
    );
    let body = write(&Bedrock::new(), &messages);
    assert!(body.report().is_empty(), "{:?}", body.report());
    assert_eq!(json(&body)["system"], history["system"]);
    assert_eq!(json(&body)["messages"], history["messages"]);
}

// Recorded responses have this type, which requests must not have.
#[test]
fn a_call_without_a_name_goes_back_with_the_name_that_the_tools_have() {
    for name in [Value::Null, json!(7), json!("")] {
        let reply = read(
            &json!([{ "text": "", "toolUse": { "toolUseId": "t1", "name": name, "input": {} } }]),
            "tool_use",
        );
        let messages = [Message::user("?"), reply.into(), ToolMessage::new("t1", "sunny").into()];
        let written = json(&write(&Bedrock::new(), &messages));
        let call = &written["messages"][1]["content"][0]["toolUse"];
        assert!(call["name"].as_str().is_some_and(|name| !name.is_empty()), "{written}");
        assert_eq!(call["name"], written["toolConfig"]["tools"][0]["toolSpec"]["name"]);
    }
}

#[test]
fn a_call_with_a_type_goes_back_without_it() {
    let mut typed = call("t1", "Rome");
    typed["toolUse"]["type"] = json!("tool_use");
    let reply = read(&json!([typed]), "tool_use");
    let messages = [Message::user("?"), reply.into(), ToolMessage::new("t1", "sunny").into()];
    assert_eq!(
        json(&write(&Bedrock::new(), &messages))["messages"][1]["content"],
        json!([call("t1", "Rome")])
    );
}

#[test]
fn an_image_that_was_read_is_corrected_or_left_out_next_to_other_blocks() {
    for (bytes, expected) in [
        ("/9j/4AAQ", json!({ "image": { "format": "jpeg", "source": { "bytes": "/9j/4AAQ" } } })),
        (
            "AAAAHGZ0eXBhdmlm",
            json!({ "text": "[image: image/avif, which cannot be sent: the provider takes image/jpeg, image/png, image/gif, image/webp]" }),
        ),
    ] {
        let image = json!({ "image": { "format": "png", "source": { "bytes": bytes } } });
        let cache_point = json!({ "cachePoint": { "type": "default" } });
        let history = json!([{ "role": "user", "content": [{ "text": "?" }, image, cache_point] }]);
        let messages = Bedrock::new().read_messages(&history.to_string()).expect("it is read");
        let written = json(&write(&Bedrock::new(), &messages));
        assert_eq!(written["messages"][0]["content"], json!([{ "text": "?" }, expected, cache_point]));
    }
}

#[test]
fn errors_and_texts_of_other_apis_are_clear() {
    let error = r#"{"message":"The provided model identifier is invalid."}"#;
    assert_eq!(
        Bedrock::new().read_error(error).as_deref(),
        Some("The provided model identifier is invalid.")
    );
    let read = Bedrock::new().read_reply(error).expect_err("an error").to_string();
    assert_eq!(read, "expected a reply, got an error: The provided model identifier is invalid.");
    let wrong = Bedrock::new().read_reply("{}").expect_err("no reply").to_string();
    assert_eq!(wrong, "expected a reply of Amazon's Converse API: there is no `output.message` in {}");
    let chat = r#"{"choices":[{"message":{"role":"assistant","content":"a"}}]}"#;
    assert!(matches!(
        Bedrock::new().read_reply(chat),
        Err(WireError::OtherWire { wire: "chat_completions", .. })
    ));
    let own = response(&json!([{ "text": "a" }]), "end_turn").to_string();
    for other in [&Anthropic::new() as &dyn Wire, &ChatCompletions::new()] {
        let error = other.read_reply(&own).expect_err("another format").to_string();
        assert!(error.ends_with("read it with the wire `bedrock` (feature `bedrock`)"), "{error}");
    }
    let role = r#"{"messages":[{"role":"robot","content":[{"text":"a"}]}]}"#;
    let error = Bedrock::new().read_messages(role).expect_err("a role").to_string();
    assert!(error.ends_with("the role `robot`"), "{error}");
    assert_eq!(wire::by_name("bedrock").expect("its feature is enabled").name(), "bedrock");
}
