//! Gemini's wire: parts of contents and of results, and histories.

use crate::gemini::{call, read, written};
use crate::weather_tools::registry;
use crate::{json, write};
use serde::Serialize;
use serde_json::{Value, json};
use std::iter;
use tool_runtime::message::{Media, Message, Part};
use tool_runtime::wire::{ChatCompletions, Gemini, Wire, WireError};
use tool_runtime::{AssistantMessage, Registry, ToolCall, ToolMessage, history, tool, tools};

fn history_of(body: &Value) -> Vec<Message> {
    Gemini::new().read_messages(&body.to_string()).expect("it is read")
}

/// The contents that are written for this history.
fn written_back(contents: &Value) -> Value {
    written(&history_of(contents))
}

fn user(parts: &Value) -> Value {
    json!({ "role": "user", "parts": parts })
}

fn model(parts: &Value) -> Value {
    json!({ "role": "model", "parts": parts })
}

fn result(response: &Value) -> Value {
    json!({ "functionResponse": { "name": "get_weather", "response": response } })
}

fn exchange(result: &Value) -> Value {
    json!([user(&json!([{ "text": "Rome?" }])), model(&json!([call("Rome")])), user(&json!([result]))])
}

#[test]
fn images_and_files_are_written_and_read() {
    let parts = [
        Part::text("Look:"),
        Part::image("image/png", "png"),
        Part::file("a.pdf", "application/pdf", "pdf"),
        Part::image_url("https://example.com/a.png"),
        Part::text(""),
    ];
    let contents = written(&[Message::user(parts.to_vec())]);
    let expected = json!([user(&json!([
        { "text": "Look:" },
        { "inlineData": { "mimeType": "image/png", "data": "cG5n" } },
        { "inlineData": { "mimeType": "application/pdf", "data": "cGRm" } },
        { "fileData": { "fileUri": "https://example.com/a.png" } },
    ]))]);
    assert_eq!(contents, expected);
    let Message::User(message) = &history_of(&contents)[0] else { panic!("a user message") };
    let read = message.content.parts().expect("parts");
    assert_eq!(read[..2], parts[..2]);
    let Part::File { media, name: None, .. } = &read[2] else { panic!("a file without a name") };
    assert!(matches!(media, Media::Data { mime_type, .. } if mime_type == "application/pdf"));
    assert_eq!(media.bytes().as_deref(), Some(&b"pdf"[..]));
}

#[test]
fn parts_without_a_neutral_form_go_back_unchanged() {
    let parts = json!([
        { "text": "Compare." },
        { "inlineData": { "mimeType": "image/png", "data": "-_8" } },
        { "inline_data": { "mime_type": "audio/wav", "data": "UklGRg==" } },
        { "fileData": { "fileUri": "gs://bucket/kiwi.jpg", "mimeType": "image/jpeg" } },
        { "fileData": { "fileUri": "https://youtu.be/x" }, "videoMetadata": { "fps": 1 } },
        { "inlineData": { "mimeType": "image/png", "data": "<elided>" } },
        { "unknown": { "a": 1 } },
    ]);
    let contents = json!([user(&parts)]);
    let messages = history_of(&contents);
    assert_eq!(written(&messages), contents);
    let Message::User(message) = &messages[0] else { panic!("a user message") };
    let read = message.content.parts().expect("parts");
    assert_eq!(read[1], Part::image("image/png", [0xfb, 0xff]), "the alphabet of URLs");
    assert!(matches!(&read[2], Part::File { media, .. } if media.bytes().is_some()));
    assert_eq!(read[3], Part::image_url("gs://bucket/kiwi.jpg"));
    assert!(matches!(&read[5], Part::Other { kind, .. } if kind == "inlineData"));
    // Another provider gets those that it has, and a report of the others.
    let body = write(&ChatCompletions::new(), &messages);
    let dropped: Vec<&str> = body.report().dropped.iter().map(|dropped| &*dropped.kind).collect();
    assert!(dropped.contains(&"inlineData") && dropped.contains(&"unknown"), "{dropped:?}");
}

#[test]
fn results_are_read_as_text_json_or_errors_and_written_back() {
    for (response, text, is_error) in [
        (json!({ "output": "sunny" }), "sunny", false),
        (json!({ "output": { "degrees": 20 } }), r#"{"degrees":20}"#, false),
        (json!({ "error": "there is no such city" }), "there is no such city", true),
        (json!({ "result": "sunny" }), r#"{"result":"sunny"}"#, false),
        (json!({ "output": "a", "error": "b" }), r#"{"output":"a","error":"b"}"#, false),
        (json!({ "error": { "code": 1 } }), r#"{"error":{"code":1}}"#, false),
        (json!({}), "{}", false),
    ] {
        let contents = exchange(&result(&response));
        let messages = history_of(&contents);
        history::validate(&messages).expect("it is valid");
        let Message::Tool(message) = &messages[2] else { panic!("a result") };
        assert_eq!((message.text(), message.is_error()), (text, is_error));
        assert_eq!(message.tool(), Some("get_weather"));
        assert_eq!(written(&messages), contents);
    }
}

/// The temperature of a city.
#[derive(Serialize)]
struct Temperature {
    degrees: i8,
    city: String,
}

/// Measures the temperature.
#[tool]
fn get_weather(city: String) -> Temperature {
    Temperature { degrees: 20, city }
}

#[tokio::test]
async fn a_result_that_is_json_is_written_as_json_and_read_without_parts() {
    let registry = Registry::new(tools![get_weather]).expect("one tool");
    let reply = read(&json!([call("Rome")]), "STOP");
    let results = registry.dispatch(&reply.tool_calls).await;
    let messages: Vec<Message> =
        iter::once(reply.into()).chain(results.into_iter().map(Message::from)).collect();
    let contents = written(&messages);
    let part = result(&json!({ "output": { "degrees": 20, "city": "Rome" } }));
    assert_eq!(contents.as_array().and_then(|contents| contents.last()), Some(&user(&json!([part]))));
    let Some(Message::Tool(message)) = history_of(&contents).pop() else { panic!("a result") };
    assert!(message.content.is_json() && message.content.parts().is_none(), "{:?}", message.content);
    // Other formats have it as text.
    let body = json(&write(&ChatCompletions::new(), &messages));
    assert_eq!(body["messages"][1]["content"], r#"{"degrees":20,"city":"Rome"}"#);
}

#[test]
fn further_fields_of_results_go_back() {
    let mut part = result(&json!({ "output": "attached" }));
    part["functionResponse"]["parts"] =
        json!([{ "inline_data": { "mime_type": "image/png", "data": "cG5n" } }]);
    part["functionResponse"]["scheduling"] = json!("SILENT");
    part["functionResponse"]["willContinue"] = json!(false);
    let contents = exchange(&part);
    assert_eq!(written_back(&contents), contents);
}

#[tokio::test]
async fn images_of_results_are_in_the_user_content_after_them() {
    let reply = read(&json!([call("Rome"), call("Oslo")]), "STOP");
    let ids: Vec<String> = reply.tool_calls.iter().map(|call| call.id.clone()).collect();
    let image = vec![Part::text("a map"), Part::image("image/png", "png")];
    let messages: Vec<Message> = vec![
        reply.into(),
        ToolMessage::new(&ids[1], image).into(),
        ToolMessage::new(&ids[0], Part::json(json!({ "degrees": 20 }))).into(),
        Message::user("Which is it?"),
    ];
    assert_eq!(
        written(&messages),
        json!([
            model(&json!([call("Rome"), call("Oslo")])),
            user(&json!([
                result(&json!({ "output": { "degrees": 20 } })),
                result(&json!({ "output": "a map\n[image: image/png]" })),
            ])),
            user(&json!([
                { "text": "Content of the result of call 2, `get_weather`:" },
                { "inlineData": { "mimeType": "image/png", "data": "cG5n" } },
            ])),
            user(&json!([{ "text": "Which is it?" }])),
        ])
    );
}

#[test]
fn the_ids_of_a_history_are_unique_and_results_get_those_of_their_calls() {
    let with_id =
        json!({ "functionCall": { "id": "call_1", "name": "get_weather", "args": { "city": "Bonn" } } });
    let response = |output: &str| result(&json!({ "output": output }));
    let mut by_id = response("Bonn");
    by_id["functionResponse"]["id"] = json!("call_1");
    let delete = json!({ "functionCall": { "name": "delete", "args": {} } });
    let deleted = json!({ "functionResponse": { "name": "delete", "response": { "output": "deleted" } } });
    let contents = json!([
        user(&json!([{ "text": "?" }])),
        model(&json!([call("Rome"), with_id, delete, call("Oslo")])),
        user(&json!([deleted, by_id, response("Rome"), response("Oslo")])),
        model(&json!([call("Rome")])),
        user(&json!([response("Rome again")])),
    ]);
    let messages = history_of(&contents);
    history::validate(&messages).expect("it is valid");
    assert_eq!(messages, history_of(&contents), "the ids do not depend on chance");
    let results: Vec<(&str, &str)> = messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool(result) => Some((&*result.tool_call_id, result.text())),
            _ => None,
        })
        .collect();
    assert_eq!(
        results,
        [
            ("call_3", "deleted"),
            ("call_1", "Bonn"),
            ("call_2", "Rome"),
            ("call_4", "Oslo"),
            ("call_5", "Rome again")
        ]
    );
    // The results are sent in the order of the calls, and only ids that came are sent.
    let parts = written(&messages)[2]["parts"].clone();
    let outputs: Vec<&Value> = parts
        .as_array()
        .expect("parts")
        .iter()
        .map(|part| &part["functionResponse"]["response"]["output"])
        .collect();
    assert_eq!(outputs, ["Rome", "Bonn", "deleted", "Oslo"]);
    assert_eq!(
        (parts[0]["functionResponse"].get("id"), &parts[1]["functionResponse"]["id"]),
        (None, &json!("call_1"))
    );
}

#[test]
fn snake_case_roles_and_system_instructions_of_clients_are_read() {
    let body = json!({
        "system_instruction": { "role": "model", "parts": [{ "text": "Be brief.", "thought": false }] },
        "contents": [
            { "parts": [{ "text": "Rome?" }] },
            { "role": "model", "parts": [{ "function_call": { "name": "get_weather", "args": { "city": "Rome" } } }] },
            { "role": "function", "parts": [
                { "function_response": { "name": "get_weather", "response": { "output": "sunny" } } }] },
        ],
    });
    let messages = history_of(&body);
    history::validate(&messages).expect("it is valid");
    let written = json(&write(&Gemini::new(), &messages));
    assert_eq!(written["systemInstruction"]["parts"], body["system_instruction"]["parts"]);
    assert_eq!(written["contents"][1]["parts"], body["contents"][1]["parts"]);
    assert_eq!(written["contents"][2]["parts"][0], result(&json!({ "output": "sunny" })));
    let messages = history_of(&json!({ "systemInstruction": "Be brief.", "contents": [] }));
    assert_eq!(messages, [Message::system("Be brief.")]);
}

#[test]
fn empty_text_and_contents_are_left_out_and_contents_of_the_model_are_joined() {
    let signed = json!({ "text": "", "thoughtSignature": "c2ln" });
    let reply = read(&json!([{ "text": "" }, { "text": "Hi" }, signed]), "STOP");
    let empty = read(&json!([]), "STOP");
    let more = AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "delete", "[1]")]);
    let contents = written(&[
        Message::user(""),
        reply.into(),
        empty.into(),
        Message::user(vec![]),
        more.into(),
        ToolMessage::new("a", "").into(),
    ]);
    assert_eq!(
        contents,
        json!([
            model(&json!([
                { "text": "Hi" },
                signed,
                { "functionCall": { "name": "delete", "args": { "invalid_json": "[1]" } },
                  "thoughtSignature": "skip_thought_signature_validator" },
            ])),
            user(&json!([{ "functionResponse": { "name": "delete", "response": { "output": "" } } }])),
        ])
    );
}

#[test]
fn code_and_images_of_the_model_go_back_and_are_dropped_elsewhere() {
    let parts = json!([
        { "executableCode": { "language": "PYTHON", "code": "1 + 1" }, "thoughtSignature": "c2ln" },
        { "codeExecutionResult": { "outcome": "OUTCOME_OK", "output": "2" } },
        { "text": "It is 2." },
        { "inlineData": { "mimeType": "image/png", "data": "cG5n" }, "thoughtSignature": "c2ln" },
    ]);
    let reply = read(&parts, "STOP");
    assert_eq!(reply.text(), "It is 2.");
    assert_eq!(written(&[reply.clone().into()])[0]["parts"], parts);
    let body = write(&ChatCompletions::new(), &[reply.into()]);
    let dropped: Vec<&str> = body.report().dropped.iter().map(|dropped| &*dropped.kind).collect();
    assert_eq!(dropped, ["executableCode", "codeExecutionResult", "inlineData"]);
    // An image of another reply has no place.
    let drawn = AssistantMessage::from_text(vec![Part::text("Here:"), Part::image("image/png", "png")]);
    let body = write(&Gemini::new(), &[drawn.into()]);
    assert_eq!(body.report().dropped[0].kind, "image");
    assert_eq!(json(&body)["contents"][1], model(&json!([{ "text": "Here:" }])));
}

#[test]
fn histories_of_other_apis_are_recognized() {
    let text = json!([{ "role": "user", "content": "Hi" }]);
    let blocks = json!([{ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a" }] }]);
    for (body, expected) in [
        (json!({ "messages": text }), "chat_completions"),
        (json!({ "messages": blocks }), "anthropic"),
        (json!({ "input": "Hi" }), "responses"),
        (text, "chat_completions"),
        (blocks, "anthropic"),
        (json!([{ "type": "function_call", "call_id": "a", "name": "f", "arguments": "{}" }]), "responses"),
    ] {
        match Gemini::new().read_messages(&body.to_string()) {
            Err(WireError::OtherWire { wire, .. }) => assert_eq!(wire, expected, "{body}"),
            other => panic!("{body}: {other:?}"),
        }
    }
    for body in ["", "{", "{}", "1", "[1]", r#"[{"role":"user"}]"#, r#"[{"role":"robot","parts":[]}]"#] {
        Gemini::new().read_messages(body).expect_err("it is no history");
    }
}

#[test]
fn odd_values_never_panic() {
    for odd in [json!("x"), json!(1), json!([]), json!([1]), json!({}), json!(true), Value::Null] {
        let call =
            json!({ "functionCall": { "id": odd, "name": odd, "args": odd }, "thoughtSignature": odd });
        let named = json!({ "functionCall": { "id": odd, "name": "delete", "args": odd } });
        let response =
            json!({ "functionResponse": { "id": odd, "name": odd, "response": odd, "parts": odd } });
        let parts = json!([{ "text": odd, "thought": odd }, call, named, { "functionCall": odd }, response,
            { "functionResponse": odd }, { "inlineData": odd }, { "fileData": { "fileUri": odd } }]);
        for role in ["user", "model"] {
            let contents = json!([{ "role": role, "parts": parts }, user(&json!([response]))]);
            if let Ok(messages) = Gemini::new().read_messages(&contents.to_string()) {
                let _ = write(&Gemini::new(), &messages);
            }
        }
        let candidate = json!({ "content": { "parts": parts }, "finishReason": odd, "finishMessage": odd });
        let body = json!({ "candidates": [candidate], "promptFeedback": odd, "usageMetadata": odd });
        for body in [
            body,
            json!({ "candidates": odd, "error": odd }),
            json!([odd]),
            json!([[{ "message": odd }]]),
            json!([[{ "message": "x" }]]),
            json!([[odd]]),
        ] {
            if let Ok(reply) = Gemini::new().read_reply(&body.to_string()) {
                let _ = write(&Gemini::new(), &[reply.into()]);
            }
            let _ = (Gemini::new().read_event(&body.to_string()), registry());
        }
    }
}
