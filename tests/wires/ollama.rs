//! Requests and replies of Ollama's own API: <https://docs.ollama.com/capabilities/tool-calling>.

use crate::weather_tools::registry;
use crate::{dropped, json, write};
use serde_json::{Value, json};
use tool_runtime::message::{Content, Message, Part, Usage};
use tool_runtime::session::{RunEnd, TypedEnd};
use tool_runtime::wire::{Anthropic, ChatCompletions, Ollama, RequestParts, Wire, WireError, detect};
use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, ToolChoice, ToolMessage, history, tools};
use tool_runtime_testing::{ScriptedModel, check_request};

fn wire() -> Ollama {
    Ollama::new()
}

pub(crate) fn response(message: &Value) -> Value {
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
fn written_arguments_keep_their_text_and_are_always_an_object() {
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
fn the_text_of_reasoning_goes_back_and_other_reasoning_is_reported() {
    let reply = |wire: &dyn Wire, body: Value| wire.read_reply(&body.to_string()).expect("it is a reply");
    let details = json!([{ "type": "reasoning.encrypted", "data": "c2ln" }]);
    let signed = json!({ "google": { "thought_signature": "c2ln" } });
    let function = json!({ "name": "now", "arguments": "{}" });
    let call = json!({ "id": "a", "type": "function", "function": function, "extra_content": signed });
    let message = json!({ "role": "assistant", "content": "4", "reasoning": "2 + 2", "reasoning_content": "2 + 2",
        "reasoning_details": details, "tool_calls": [call] });
    let thinking = json!({ "type": "thinking", "thinking": "Hm.", "signature": "s" });
    let anthropic = json!({ "type": "message", "content": [thinking, { "type": "text", "text": "4" }] });
    let own = json!({ "role": "assistant", "content": "4", "thinking": "Hm." });
    let history = [
        reply(&ChatCompletions::new(), json!({ "choices": [{ "message": message }] })).into(),
        ToolMessage::new("a", "12:00").into(),
        reply(&Anthropic::new(), anthropic).into(),
        Message::user("Why?"),
        reply(&wire(), response(&own)).into(),
    ];
    let sent = messages(&history);
    assert_eq!(sent[0]["thinking"], "2 + 2");
    assert_eq!(sent[2], json!({ "role": "assistant", "content": "4" }));
    assert_eq!(sent[4], own);
    let expected = [
        "messages[0]: dropped reasoning_details",
        "messages[0]: dropped extra_content",
        "messages[2]: dropped thinking",
    ];
    assert_eq!(dropped(&write(&wire(), &history)), expected);
    // It goes to no other provider.
    let dropped = dropped(&write(&ChatCompletions::new().keep_reasoning(true), &history[4..]));
    assert_eq!(dropped, ["messages[0]: dropped thinking"]);
}

#[test]
fn a_tool_choice_is_ignored_and_reported() {
    let (registry, messages) = (registry(), [Message::user("Rome?")]);
    let parts = RequestParts::new(&messages).tools(registry.schemas()).parallel_calls(false);
    let body = wire().write(&parts).expect("it is written");
    assert!(body.report().is_empty());
    let expected = json(&body);
    let fields: Vec<&String> = expected.as_object().expect("an object").keys().collect();
    assert_eq!(fields, ["messages", "tools"]);
    for choice in [ToolChoice::None, ToolChoice::Required, ToolChoice::Tool("get_weather".to_owned())] {
        let body = wire().write(&parts.tool_choice(&choice)).expect("it is written");
        assert_eq!(json(&body), expected);
        assert_eq!(body.report().to_string(), "the tool choice is ignored: the API has none");
        assert_eq!(body.report().ignored_choice, Some(choice));
    }
    let allowed = ["delete".to_owned()];
    let body = json(&wire().write(&parts.allowed_tools(&allowed)).expect("it is written"));
    assert_eq!(
        (&body["tools"][0]["function"]["name"], body["tools"].as_array().map(Vec::len)),
        (&json!("delete"), Some(1))
    );
    let body = json(&wire().write(&parts.allowed_tools(&[])).expect("it is written"));
    assert_eq!(body.get("tools"), None);
}

#[test]
fn replies_keep_the_text_of_their_arguments_and_report_how_they_ended() {
    let big = r#"{"b":123456789012345678901234567890,"a":1.0}"#;
    let body = format!(
        r#"{{"model":"m","message":{{"role":"assistant","content":"","tool_calls":[{{"id":"call_a","function":{{"index":0,"name":"now","arguments":{big}}}}},
        {{"function":{{"name":"now"}}}}]}},"done":true,"done_reason":"length","eval_count":3}}"#
    );
    let reply = wire().read_reply(&body).expect("it is a reply");
    assert_eq!((&*reply.tool_calls[0].id, &*reply.tool_calls[0].arguments), ("call_a", big));
    assert!(!reply.tool_calls[1].id.is_empty() && reply.tool_calls[1].arguments == "{}");
    assert!(reply.is_truncated());
    assert_eq!((reply.finish_reason(), reply.usage()), (Some("length"), Some(Usage::new(0, 3))));
    let origin = reply.origin().expect("it comes from a response");
    assert_eq!((&*origin.wire, origin.model.as_deref()), ("ollama", Some("m")));
}

#[test]
fn errors_and_responses_of_other_providers_are_errors() {
    let error = |body: &str| wire().read_reply(body).expect_err("it is no reply");
    let not_found = r#"{"error":"model 'qwen9' not found"}"#;
    assert!(
        matches!(error(not_found), WireError::Server { message, .. } if message == "model 'qwen9' not found")
    );
    assert_eq!(wire().read_error(not_found).as_deref(), Some("model 'qwen9' not found"));
    assert_eq!(wire().read_error("{}"), None);
    let completion = r#"{"choices":[{"message":{"role":"assistant","content":"Hi!"}}]}"#;
    assert!(error(completion).to_string().starts_with("this is in the format of `chat_completions`"));
    assert!(error(r#"{"done":true}"#).to_string().contains("there is no `message`"));
    assert!(error("Hi!").to_string().starts_with("the text is not JSON"));
    let other =
        Anthropic::new().read_reply(&response(&json!({ "role": "assistant", "content": "Hi!" })).to_string());
    assert!(other.expect_err("another format").to_string().starts_with("this is in the format of `ollama`"));
    let history = json!([{ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a" }] }]);
    let other = wire().read_messages(&history.to_string()).expect_err("another format");
    assert!(other.to_string().starts_with("this is in the format of `anthropic`"), "{other}");
    for (history, problem) in [
        (json!([{ "role": "judge", "content": "?" }]), "the role `judge`"),
        (json!([{ "content": "?" }]), "a message without `role`"),
        (json!([7]), "expected a message"),
        (json!({ "model": "m" }), "missing field `messages`"),
    ] {
        let error = wire().read_messages(&history.to_string()).expect_err("it is invalid").to_string();
        assert!(error.contains(problem) && error.contains("Ollama's API"), "{error}");
    }
}

/// Calls without ids and a result without a name, as the first versions of the API had them.
#[test]
fn a_history_without_ids_is_valid_and_has_the_same_ids_each_time() {
    let call = |name: &str| json!({ "function": { "name": name, "arguments": { "city": "Rome" } } });
    let named = |name: &str, content: &str| json!({ "role": "tool", "tool_name": name, "content": content });
    let body = json!({ "model": "m", "messages": [
        { "role": "user", "content": "?", "images": ["/9j/AQID", "AQID"] },
        { "role": "assistant", "content": "", "thinking": "Hm.", "tool_calls": [call("f"), call("g"), call("f")] },
        named("g", "1"),
        named("f", "2"),
        named("f", "Error: 3"),
        { "role": "assistant", "tool_calls": [call("f")] },
        { "role": "tool", "content": "4" },
        { "role": "assistant", "content": "Done." },
    ]});
    assert_eq!(detect(&body.to_string()), Some("ollama"));
    assert_eq!(check_request(&wire(), &body), Ok(()));
    let read = wire().read_messages(&body.to_string()).expect("it is read");
    let again = wire().read_messages(&body["messages"].to_string()).expect("it is read");
    assert_eq!(read, again);
    history::validate(&read).expect("it is valid");
    let Message::User(question) = &read[0] else { panic!("it asks") };
    let parts = question.content.parts().expect("it has images");
    let expected = [Part::text("?"), Part::image("image/jpeg", [0xff, 0xd8, 0xff, 1, 2, 3])];
    assert_eq!((&parts[..2], parts.len()), (&expected[..], 3));
    let (Message::Assistant(reply), Message::Tool(first), Message::Tool(error)) =
        (&read[1], &read[2], &read[4])
    else {
        panic!("a reply and results")
    };
    assert_eq!(reply.reasoning(), "Hm.");
    assert_eq!((&first.tool_call_id, first.tool()), (&reply.tool_calls[1].id, Some("g")));
    assert_eq!((&error.tool_call_id, error.is_error()), (&reply.tool_calls[2].id, true));

    let sent = messages(&read);
    assert_eq!(sent[0], body["messages"][0]);
    assert_eq!(wire().read_messages(&sent.to_string()).expect("it is read"), read, "the written ids stay");
    assert_eq!(dropped(&write(&wire(), &read)), [""; 0]);
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
