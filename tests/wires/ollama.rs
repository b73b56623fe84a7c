//! Requests and replies of Ollama's own API: <https://docs.ollama.com/capabilities/tool-calling>.

use crate::weather_tools::registry;
use crate::{dropped, json, write};
use serde_json::{Value, json};
use tool_runtime::message::{Content, Message, Part, Usage};
use tool_runtime::session::{RunEnd, TypedEnd};
use tool_runtime::testing::{ScriptedModel, check_request};
use tool_runtime::wire::{ChatCompletions, Wire};
use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, ToolMessage, tools};

fn wire() -> ChatCompletions {
    ChatCompletions::new().ollama_api(true)
}

fn response(message: &Value) -> Value {
    json!({ "model": "qwen3", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": true,
        "done_reason": "stop", "prompt_eval_count": 9, "eval_count": 3 })
}

/// The messages of a request, which the server accepts.
fn messages(messages: &[Message]) -> Value {
    let body = json(&write(&wire(), messages));
    assert_eq!(check_request(&wire(), &body), Ok(()));
    body["messages"].clone()
}

#[tokio::test]
async fn a_session_sends_the_form_of_the_documentation() {
    let call = |name: &str, arguments: Value| json!({ "function": { "name": name, "arguments": arguments } });
    let arguments = json!({ "city": "Rome" });
    let calls = [call("get_weather", arguments.clone()), call("get wether", json!({}))];
    let first = json!({ "role": "assistant", "content": "", "thinking": "Hm.", "tool_calls": calls });
    let answer = json!({ "role": "assistant", "content": "It is sunny." });
    let model = ScriptedModel::new([response(&first), response(&answer)]).wire(wire());
    let mut session = Session::new().system("Be brief.").user("Rome?");
    let end =
        session.run(&registry()).complete(|request| model.complete(request)).await.expect("it is valid");
    assert_eq!((end, session.final_text()), (RunEnd::Answered, "It is sunny."));
    let reply = session.messages().iter().find_map(|message| match message {
        Message::Assistant(reply) => Some(reply),
        _ => None,
    });
    let reply = reply.expect("there is a reply");
    assert_eq!((&*reply.reasoning(), reply.usage()), ("Hm.", Some(Usage::new(9, 3))));

    let request = &model.requests()[1];
    assert_eq!(request["tools"][1]["function"]["name"], "get_weather");
    let sent = request["messages"].as_array().expect("messages");
    let ids = reply_ids(&sent[2]);
    assert_eq!(sent[0], json!({ "role": "system", "content": "Be brief." }));
    let written = |id: &Value, function: Value| json!({ "id": id, "type": "function", "function": function });
    let calls = [
        written(ids[0], json!({ "name": "get_weather", "arguments": arguments })),
        written(ids[1], json!({ "name": "get_wether", "arguments": {} })),
    ];
    assert_eq!(
        sent[2],
        json!({ "role": "assistant", "content": "", "thinking": "Hm.", "tool_calls": calls }),
    );
    assert_eq!(
        sent[3],
        json!({ "role": "tool", "tool_name": "get_weather", "tool_call_id": ids[0], "content": "Rome: sunny" }),
    );
    assert_eq!(sent[4]["tool_name"], "get_wether", "the written name of its call");
    assert!(sent[4]["content"].as_str().is_some_and(|text| text.starts_with("Error: ")), "{}", sent[4]);
    assert_eq!(sent.len(), 5);
}

fn reply_ids(reply: &Value) -> Vec<&Value> {
    reply["tool_calls"].as_array().expect("calls").iter().map(|call| &call["id"]).collect()
}

#[test]
fn images_are_in_a_list_of_their_own_and_other_media_is_reported() {
    let image = Part::image("image/png", [1, 2, 3]);
    let content = Content::from_parts([
        Part::text("What is this?"),
        image.clone(),
        Part::image_url("https://a.b/c.png"),
    ]);
    let calls = vec![ToolCall::new("a", "draw", "{}"), ToolCall::new("b", "draw", "{}")];
    let drawn = Content::from_parts([Part::text("drawn"), image]);
    let history = [
        Message::user(content),
        AssistantMessage::from_tool_calls(calls).into(),
        ToolMessage::new("a", drawn.clone()).into(),
        ToolMessage::new("b", drawn).into(),
        Message::developer("Be brief."),
    ];
    let sent = messages(&history);
    assert_eq!(sent[0], json!({ "role": "user", "content": "What is this?", "images": ["AQID"] }));
    let result = json!({ "role": "tool", "tool_name": "draw", "tool_call_id": "a", "content": "drawn\n[image: image/png]" });
    assert_eq!(sent[2], result);
    assert_eq!((&sent[4]["role"], &sent[4]["images"]), (&json!("user"), &json!(["AQID", "AQID"])));
    assert_eq!(sent[5], json!({ "role": "system", "content": "Be brief." }));
    assert_eq!(dropped(&write(&wire(), &history)), ["messages[0]: dropped image"]);
}

#[test]
fn arguments_keep_their_text_and_are_always_an_object() {
    let big = r#"{"number":123456789012345678901234567890,"text":"é\u0000"}"#;
    let calls = [("a", big), ("b", "not JSON"), ("c", ""), ("d", " {\"x\": 1} ")];
    let calls = calls.map(|(id, arguments)| ToolCall::new(id, "now", arguments));
    let results = calls.clone().map(|call| ToolMessage::new(call.id, "12:00").into());
    let history = [vec![AssistantMessage::from_tool_calls(calls.to_vec()).into()], results.to_vec()].concat();
    let text = serde_json::to_string(&write(&wire(), &history)).expect("it is JSON");
    assert!(text.contains(&format!(r#""arguments":{big}"#)), "{text}");
    assert!(text.contains(r#""arguments":{"invalid_json":"not JSON"}"#), "{text}");
    assert!(text.contains(r#""arguments":{}"#) && text.contains(r#""arguments":{"x": 1}"#), "{text}");
    messages(&history);
}

#[test]
fn only_reasoning_of_this_format_goes_back() {
    let reply = |wire: &dyn Wire, body: Value| wire.read_reply(&body.to_string()).expect("it is a reply");
    let other_api =
        json!({ "choices": [{ "message": { "role": "assistant", "content": "4", "reasoning": "2 + 2" } }] });
    let thinking = json!({ "type": "thinking", "thinking": "Hm.", "signature": "s" });
    let anthropic = json!({ "type": "message", "content": [thinking, { "type": "text", "text": "4" }] });
    let history = [
        reply(&wire(), other_api).into(),
        Message::user("Why?"),
        reply(&tool_runtime::wire::Anthropic::new(), anthropic).into(),
    ];
    let sent = messages(&history);
    assert_eq!(sent[0], json!({ "role": "assistant", "content": "4", "thinking": "2 + 2" }));
    assert_eq!(sent[2], json!({ "role": "assistant", "content": "4" }));
    assert_eq!(dropped(&write(&wire(), &history)), ["messages[2]: dropped thinking"]);
}

#[tokio::test]
async fn a_typed_answer_is_a_format() {
    let answer = json!({ "role": "assistant", "content": "[1, 2]" });
    let model = ScriptedModel::new([response(&answer)]).wire(wire());
    let registry = Registry::new(tools![]).expect("no tools");
    let mut session = Session::new().user("Count to two.");
    let run = session.run(&registry).wire(wire()).answer_as::<Vec<u8>>();
    let end = run.complete(|request| model.complete(request)).await.expect("it is valid");
    assert!(matches!(end, TypedEnd::Answered(numbers) if numbers == [1, 2]));
    let request = &model.requests()[0];
    assert!(request["format"].is_object() && request.get("response_format").is_none(), "{request}");
}

#[test]
fn a_request_in_another_form_is_rejected() {
    let call = |arguments: Value| {
        json!({ "role": "assistant", "content": "", "tool_calls": [
        { "id": "a", "type": "function", "function": { "name": "now", "arguments": arguments } }] })
    };
    let result = json!({ "role": "tool", "tool_name": "now", "tool_call_id": "a", "content": "12:00" });
    let nameless = json!({ "role": "tool", "tool_call_id": "a", "content": "12:00" });
    let rejection = |messages: Value| {
        let rejected = check_request(&wire(), &json!({ "messages": messages }));
        rejected.expect_err("the request is invalid").message
    };
    let field = "Go struct field ChatRequest.messages.tool_calls.function.arguments";
    assert_eq!(
        rejection(json!([call(json!("{}")), result])),
        format!("json: cannot unmarshal string into {field} of type api.ToolCallFunctionArguments"),
    );
    assert_eq!(
        rejection(json!([{ "role": "user", "content": [{ "type": "text", "text": "?" }] }])),
        "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string",
    );
    assert_eq!(rejection(json!([call(json!({})), nameless])), "Field required");
    assert!(rejection(json!([call(json!({}))])).contains("did not have response messages: a"));
    assert_eq!(check_request(&wire(), &json!({ "messages": [call(json!({})), result] })), Ok(()));
}
