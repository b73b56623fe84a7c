//! Gemini's wire: fixtures made from the provider's documentation.

use crate::weather_tools::registry;
use crate::{json, write};
use serde_json::{Value, json};
use tool_runtime::conversation::Received;
use tool_runtime::message::{Completeness, Message};
use tool_runtime::wire::{self, Anthropic, ChatCompletions, Gemini, RequestParts, Wire, WireError};
use tool_runtime::{
    AssistantMessage, Conversation, DynamicTool, Registry, ToolCall, ToolChoice, ToolMessage,
};
use tool_runtime_testing::check_request;

fn response(parts: &Value, finish_reason: &str) -> Value {
    json!({
        "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": finish_reason }],
        "usageMetadata": { "promptTokenCount": 100, "toolUsePromptTokenCount": 7, "cachedContentTokenCount": 90,
            "candidatesTokenCount": 20, "thoughtsTokenCount": 5 },
        "modelVersion": "gemini-3", "responseId": "r1",
    })
}

pub(crate) fn read(parts: &Value, finish_reason: &str) -> AssistantMessage {
    Gemini::new().read_reply(&response(parts, finish_reason).to_string()).expect("it is read")
}

pub(crate) fn call(city: &str) -> Value {
    json!({ "functionCall": { "name": "get_weather", "args": { "city": city } } })
}

pub(crate) fn parallel_calls() -> Value {
    let mut signed = call("Rome");
    signed["thoughtSignature"] = json!("c2lnbmF0dXJl");
    json!([
        { "text": "Two cities.", "thought": true },
        { "text": "I look it up." },
        signed,
        call("Atlantis"),
    ])
}

/// The text of the user that a conversation gets if it starts with a reply.
fn start() -> Value {
    json!({ "role": "user", "parts": [{ "text": "." }] })
}

/// The contents of a request, from the first message on.
pub(crate) fn written(messages: &[Message]) -> Value {
    let mut body = json(&write(&Gemini::new(), messages));
    let contents = body["contents"].as_array_mut().expect("contents");
    if contents.first() == Some(&start()) {
        contents.remove(0);
    }
    body["contents"].clone()
}

#[test]
fn a_conversation_that_starts_with_a_reply_gets_a_text_of_the_user() {
    let reply = read(&json!([call("Rome")]), "STOP");
    let id = reply.tool_calls[0].id.clone();
    let messages = [reply.into(), ToolMessage::new(id, "sunny").into()];
    let contents = json(&write(&Gemini::new(), &messages))["contents"].clone();
    assert_eq!(contents[0], start());
    assert_eq!(contents[1], json!({ "role": "model", "parts": [call("Rome")] }));
}

#[tokio::test]
async fn parallel_results_and_errors_are_one_user_content_after_the_unchanged_parts() {
    let chat = Conversation::new().system("Be brief.").user("Rome and Atlantis?");
    let Received::ToolCalls(pending) = chat.receive(read(&parallel_calls(), "STOP")) else {
        panic!("it calls")
    };
    let chat = pending.dispatch(&registry()).await.user("Quickly!");
    let body = chat.request(&registry()).wire(Gemini::new()).body().expect("it is written");
    assert!(body.report().is_empty(), "{:?}", body.report());
    let written = json(&body);
    assert_eq!(check_request(&Gemini::new(), &written), Ok(()));
    assert_eq!(written["systemInstruction"], json!({ "parts": [{ "text": "Be brief." }] }));
    assert_eq!(
        written["contents"],
        json!([
            { "role": "user", "parts": [{ "text": "Rome and Atlantis?" }] },
            { "role": "model", "parts": parallel_calls() },
            { "role": "user", "parts": [
                { "functionResponse": { "name": "get_weather", "response": { "output": "Rome: sunny" } } },
                { "functionResponse": { "name": "get_weather",
                    "response": { "error": "Error: there is no such city" } } },
            ]},
            { "role": "user", "parts": [{ "text": "Quickly!" }] },
        ])
    );
    let declaration = &written["tools"][0]["functionDeclarations"][1];
    assert_eq!(declaration["name"], "get_weather");
    assert_eq!(declaration["parametersJsonSchema"]["required"], json!(["city"]));
    assert_eq!(written.get("toolConfig"), None);
}

#[test]
fn a_reply_has_its_model_its_usage_its_reasoning_and_its_reason() {
    let reply = read(&parallel_calls(), "STOP");
    assert_eq!((reply.text(), &*reply.reasoning()), ("I look it up.", "Two cities."));
    assert_eq!((reply.finish_reason(), reply.completeness()), (Some("STOP"), Completeness::Complete));
    let origin = reply.origin().expect("it was read");
    assert_eq!((&*origin.wire, origin.model.as_deref()), ("gemini", Some("gemini-3")));
    let usage = reply.usage().expect("the response has it");
    assert_eq!((usage.input_tokens, usage.cached_input_tokens, usage.output_tokens), (107, 90, 25));
}

#[test]
fn ids_that_came_are_sent_and_others_are_not() {
    let parts = json!([
        { "functionCall": { "id": "abc", "name": "get_weather", "args": { "city": "Rome" } } },
        call("Oslo"),
        call("Bonn"),
    ]);
    let reply = read(&parts, "STOP");
    let ids: Vec<&str> = reply.tool_calls.iter().map(|call| &*call.id).collect();
    assert_eq!((ids[0], ids[1] == ids[2], ids.contains(&"")), ("abc", false, false));
    assert_eq!(reply, read(&parts, "STOP"), "generated ids depend on the id of the response");
    // Results in another order are sent in the order of the calls.
    let result = |index: usize| tool_runtime::ToolMessage::new(ids[index], format!("result {index}")).into();
    let contents = written(&[reply.clone().into(), result(2), result(0), result(1)]);
    let response = |id: Option<&str>, output: &str| {
        let mut response = json!({ "name": "get_weather", "response": { "output": output } });
        if let Some(id) = id {
            response["id"] = json!(id);
        }
        json!({ "functionResponse": response })
    };
    assert_eq!(
        contents,
        json!([
            { "role": "model", "parts": parts },
            { "role": "user", "parts": [
                response(Some("abc"), "result 0"), response(None, "result 1"), response(None, "result 2")] },
        ])
    );
    // A call with changed arguments keeps the id of the provider.
    let mut changed = reply;
    changed.tool_calls[0].arguments = "{}".to_owned();
    let contents = written(&[changed.into()]);
    assert_eq!(
        contents[0]["parts"][0],
        json!({ "functionCall": { "id": "abc", "name": "get_weather", "args": {} },
            "thoughtSignature": "skip_thought_signature_validator" })
    );
    assert_eq!(contents[0]["parts"][1], call("Oslo"));
}

#[test]
fn the_first_call_of_another_provider_has_the_signature_for_such_calls() {
    let calls =
        vec![ToolCall::new("a", "get_weather", r#"{"city":"Rome"}"#), ToolCall::new("b", "delete", "")];
    let results = ["a", "b"].map(|id| tool_runtime::ToolMessage::new(id, "x").into());
    let [first, second]: [Message; 2] = results;
    let contents = written(&[AssistantMessage::from_tool_calls(calls).into(), second, first]);
    let mut signed = call("Rome");
    signed["thoughtSignature"] = json!("skip_thought_signature_validator");
    assert_eq!(
        contents,
        json!([
            { "role": "model", "parts": [signed, { "functionCall": { "name": "delete", "args": {} } }] },
            { "role": "user", "parts": [
                { "functionResponse": { "name": "get_weather", "response": { "output": "x" } } },
                { "functionResponse": { "name": "delete", "response": { "output": "x" } } },
            ]},
        ])
    );
    // A part of the model does not change, even without a signature.
    assert_eq!(written(&[read(&json!([call("Rome")]), "STOP").into()])[0]["parts"], json!([call("Rome")]));
}

#[tokio::test]
async fn the_last_call_of_a_truncated_reply_never_runs() {
    let parts = json!([call("Rome"), { "functionCall": { "name": "delete", "args": {} } }]);
    for reason in ["MAX_TOKENS", "SAFETY", "MALFORMED_FUNCTION_CALL", "NEW_REASON"] {
        let reply = read(&parts, reason);
        assert!(reply.is_truncated(), "{reason}");
        let results = registry().dispatch(&reply.tool_calls).await;
        assert_eq!(results[0].text(), "Rome: sunny");
        assert_eq!(results[1].error_kind(), Some("truncated"), "{reason}");
    }
    assert!(!read(&parts, "STOP").tool_calls[1].is_truncated());
}

#[tokio::test]
async fn a_call_of_an_undeclared_tool_gets_an_error() {
    let parts = json!([{ "functionCall": { "name": "find.files", "args": {} }, "thoughtSignature": "c2ln" }]);
    let mut body = response(&parts, "UNEXPECTED_TOOL_CALL");
    body["candidates"][0]["finishMessage"] = json!("Model tried to call an undeclared function");
    let reply = Gemini::new().read_reply(&body.to_string()).expect("it is read");
    assert_eq!(reply.completeness(), Completeness::Complete);
    let message = json!("Model tried to call an undeclared function");
    assert_eq!(reply.extra("finishMessage"), Some(&message));
    let Received::ToolCalls(pending) = Conversation::new().user("?").receive(reply) else {
        panic!("it calls")
    };
    let chat = pending.dispatch(&registry()).await;
    let contents = written(chat.messages());
    // The name of the result is that of the call, which goes back unchanged.
    assert_eq!(contents[1]["parts"], parts);
    assert_eq!(contents[2]["parts"][0]["functionResponse"]["name"], "find.files");
    assert!(contents[2]["parts"][0]["functionResponse"]["response"]["error"].is_string());
    // Without calls, there is nothing to continue with.
    assert!(read(&json!([]), "UNEXPECTED_TOOL_CALL").is_truncated());
}

#[test]
fn a_blocked_request_has_its_reason() {
    let body = json!({ "promptFeedback": { "blockReason": "PROHIBITED_CONTENT" }, "usageMetadata": { "promptTokenCount": 3 } });
    let reply = Gemini::new().read_reply(&body.to_string()).expect("it is read");
    assert_eq!(reply.refusal(), Some("the request was blocked: PROHIBITED_CONTENT"));
    assert!(reply.is_truncated());
    assert_eq!(reply.usage().expect("it has usage").input_tokens, 3);
    let contents = written(&[reply.into()]);
    assert_eq!(contents[0]["parts"], json!([{ "text": "the request was blocked: PROHIBITED_CONTENT" }]));
}

#[test]
fn numbers_of_the_enumeration_and_snake_case_are_read() {
    let body = json!({
        "candidates": [
            { "content": { "parts": [{ "function_call": { "name": "delete", "args": null }, "thought_signature": "c2ln" }] },
              "finish_reason": 1, "finish_message": "m" },
            { "content": { "parts": [{ "text": "another candidate" }] }, "index": 1 },
        ],
        "usage_metadata": { "prompt_token_count": 1, "candidates_token_count": 2 },
        "model_version": "m", "response_id": "r",
    });
    let mut body = body;
    let reply = Gemini::new().read_reply(&body.to_string()).expect("it is read");
    assert_eq!((reply.finish_reason(), reply.completeness()), (Some("STOP"), Completeness::Complete));
    assert_eq!((&*reply.tool_calls[0].arguments, reply.text()), ("{}", ""));
    assert_eq!(reply.usage().map(|usage| usage.total_tokens()), Some(3));
    assert_eq!(reply.origin().and_then(|origin| origin.model.as_deref()), Some("m"));
    body["candidates"][0]["finish_reason"] = json!(2);
    let reply = Gemini::new().read_reply(&body.to_string()).expect("it is read");
    assert_eq!((reply.finish_reason(), reply.is_truncated()), (Some("MAX_TOKENS"), true));
}

#[test]
fn tool_choices_and_allowed_tools_are_written() {
    let registry = registry();
    let names = ["delete".to_owned()];
    let parts = || RequestParts::new(&[]).tools(registry.schemas());
    let config = |wire: Gemini, parts: RequestParts<'_>| {
        json(&wire.write(&parts).expect("it is written"))["toolConfig"].clone()
    };
    let calling = |mode: Value| json!({ "functionCallingConfig": mode });
    for (choice, expected) in [
        (ToolChoice::None, json!({ "mode": "NONE" })),
        (ToolChoice::Required, json!({ "mode": "ANY" })),
        (ToolChoice::Tool("delete".into()), json!({ "mode": "ANY", "allowedFunctionNames": ["delete"] })),
    ] {
        assert_eq!(config(Gemini::new(), parts().tool_choice(&choice)), calling(expected.clone()));
        assert_eq!(config(Gemini::new().strict(true), parts().tool_choice(&choice)), calling(expected));
    }
    assert_eq!(config(Gemini::new(), parts()), Value::Null);
    assert_eq!(config(Gemini::new().strict(true), parts()), calling(json!({ "mode": "VALIDATED" })));
    let body = json(&Gemini::new().write(&parts().allowed_tools(&names)).expect("it is written"));
    let declarations = body["tools"][0]["functionDeclarations"].as_array().expect("one entry");
    assert_eq!((declarations.len(), &declarations[0]["name"]), (1, &json!("delete")));
    let body = json(&Gemini::new().strict(true).write(&RequestParts::new(&[])).expect("it is written"));
    assert_eq!((body.get("tools"), body.get("toolConfig")), (None, None));
}

#[tokio::test]
async fn names_that_the_api_rejects_get_a_prefix() {
    let tool = |name: &str| DynamicTool::new(name, "Runs.", json!({}), |_| async { Ok::<_, String>("ran") });
    let registry =
        Registry::builder().dynamic(tool("2fa")).dynamic(tool("n_2fa")).build().expect("two tools");
    let choice = ToolChoice::Tool("2fa".into());
    let parts = RequestParts::new(&[]).tools(registry.schemas()).tool_choice(&choice);
    let body = json(&Gemini::new().write(&parts).expect("it is written"));
    let declarations = &body["tools"][0]["functionDeclarations"];
    assert_eq!((&declarations[0]["name"], &declarations[1]["name"]), (&json!("n_2fa"), &json!("n_n_2fa")));
    assert_eq!(body["toolConfig"]["functionCallingConfig"]["allowedFunctionNames"], json!(["n_2fa"]));

    let parts = json!([{ "functionCall": { "name": "n_2fa", "args": {} } }]);
    let reply = read(&parts, "STOP");
    assert_eq!(reply.tool_calls[0].name, "2fa");
    let Received::ToolCalls(pending) = Conversation::new().user("?").receive(reply.clone()) else {
        panic!("it calls")
    };
    let chat = pending.dispatch(&registry).await;
    let contents = written(chat.messages());
    assert_eq!(contents[1]["parts"], parts);
    assert_eq!(contents[2]["parts"][0]["functionResponse"]["name"], "n_2fa");
    let history = Gemini::new().read_messages(&contents.to_string()).expect("it is read");
    assert!(matches!(&history[2], Message::Tool(result) if result.tool() == Some("2fa")));
    // A call that is written anew has the same name.
    let foreign = AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "2fa", "{}")]);
    assert_eq!(written(&[foreign.into()])[0]["parts"][0]["functionCall"]["name"], "n_2fa");
}

#[test]
fn a_recursive_schema_has_its_cycle_in_an_optional_property() {
    let schema = json!({
        "type": "object",
        "properties": { "tree": { "$ref": "#/$defs/Tree", "description": "The tree." } },
        "required": ["tree"],
        "$defs": { "Tree": {
            "type": "object",
            "properties": { "label": { "type": "string" }, "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } } },
            "required": ["label", "children"],
        } },
    });
    let tool = DynamicTool::new("take", "", schema, |_| async { Ok::<_, String>(()) });
    let registry = Registry::builder().dynamic(tool).build().expect("a tool");
    let parts = RequestParts::new(&[]).tools(registry.schemas());
    let body = json(&Gemini::new().write(&parts).expect("it is written"));
    let schema = &body["tools"][0]["functionDeclarations"][0]["parametersJsonSchema"];
    assert_eq!(schema["required"], json!(["tree"]));
    assert_eq!(schema["$defs"]["Tree"]["required"], json!(["label"]));
    assert_eq!(
        schema["properties"]["tree"],
        json!({ "anyOf": [{ "$ref": "#/$defs/Tree" }], "description": "The tree." })
    );
}

#[test]
fn errors_and_other_formats_are_recognized() {
    let error =
        json!({ "error": { "code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT" } });
    for body in [error.clone(), json!([error])] {
        assert_eq!(Gemini::new().read_error(&body.to_string()).as_deref(), Some("API key not valid."));
        let error = Gemini::new().read_reply(&body.to_string()).expect_err("it is an error");
        assert!(
            matches!(&error, WireError::Server { message, .. } if message == "API key not valid."),
            "{error}"
        );
    }
    assert_eq!(Gemini::new().read_error("busy"), None);
    let other = |body: Value| match Gemini::new().read_reply(&body.to_string()) {
        Err(WireError::OtherWire { wire, .. }) => wire,
        other => panic!("{other:?}"),
    };
    assert_eq!(other(json!({ "choices": [] })), "chat_completions");
    assert_eq!(other(json!({ "type": "message", "content": [], "stop_reason": "end_turn" })), "anthropic");
    assert_eq!(other(json!({ "object": "response", "output": [] })), "responses");
    for body in ["", "{", "[]", "{}", "1", r#"{"candidates":[]}"#, r#"[{"candidates":[]}]"#] {
        Gemini::new().read_reply(body).expect_err("it is no reply");
    }
    let body = response(&json!([]), "STOP").to_string();
    let error = ChatCompletions::new().read_reply(&body).expect_err("another format");
    assert_eq!(
        error.to_string(),
        "this is in the format of `gemini`: read it with the wire `gemini` (feature `gemini`)"
    );
}

#[test]
fn a_reply_of_another_provider_is_sent_without_its_items() {
    let body = json!({ "type": "message", "stop_reason": "tool_use", "content": [
        { "type": "thinking", "thinking": "Hm.", "signature": "c2ln" },
        { "type": "text", "text": "I look." },
        { "type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": { "city": "Rome" } }] });
    let reply = Anthropic::new().read_reply(&body.to_string()).expect("it is read");
    let body = write(&Gemini::new(), &[reply.into()]);
    let dropped: Vec<String> = body.report().dropped.iter().map(ToString::to_string).collect();
    assert_eq!(dropped, ["messages[0]: dropped thinking"]);
    let parts = &json(&body)["contents"][1]["parts"];
    assert_eq!(parts[0], json!({ "text": "I look." }));
    assert_eq!(parts[1]["functionCall"]["args"], json!({ "city": "Rome" }));
    // And the other way.
    let reply = read(&parallel_calls(), "STOP");
    let body = write(&Anthropic::new(), &[reply.into()]);
    let dropped: Vec<String> = body.report().dropped.iter().map(ToString::to_string).collect();
    assert_eq!(dropped, ["messages[0]: dropped reasoning"]);
    assert_eq!(json(&body)["messages"][0]["content"][1]["input"], json!({ "city": "Rome" }));
}

#[test]
fn the_wire_is_selected_by_name() {
    assert_eq!(wire::by_name("gemini").expect("it is enabled").name(), "gemini");
}
