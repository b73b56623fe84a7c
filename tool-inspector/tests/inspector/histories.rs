//! Histories as timelines.

use crate::page::{Page, error, json};
use crate::tools::{Effects, registry};
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::fs;
use tool_runtime::message::{Message, Prices, Usage};
use tool_runtime::wire::{self, RequestParts};
use tool_runtime::{AssistantMessage, Session, ToolCall, ToolMessage, message};
use tool_runtime_inspector::{Inspector, SessionFolder};
use tool_runtime_testing::ScriptedModel;

async fn open(history: &str, query: &str) -> Value {
    json(Page(Inspector::without_tools().router()).open(history, query).await, StatusCode::OK).await
}

fn messages() -> Vec<Message> {
    let calls =
        [ToolCall::new("call_1", "add", r#"{"a":1}"#), ToolCall::new("call_2", "add", r#"{"a":"one"}"#)];
    vec![
        Message::user("Add."),
        AssistantMessage::from_tool_calls(calls).into(),
        // In another order than their calls.
        ToolMessage::error("call_2", "invalid arguments").into(),
        ToolMessage::new("call_1", "1").into(),
        Message::assistant("1"),
    ]
}

#[tokio::test]
async fn a_request_of_each_wire_is_the_same_timeline() {
    for name in
        ["chat_completions", "anthropic", "responses", "gemini", "gemini_interactions", "bedrock", "ollama"]
    {
        let wire = wire::by_name(name).expect("a wire");
        let body = wire.write(&RequestParts::new(&messages())).expect("a body");
        let timeline = open(&serde_json::to_string(&body).expect("JSON"), "").await;
        assert_eq!((&timeline["kind"], &timeline["wire"]), (&json!("request"), &json!(name)), "{timeline}");
        assert_eq!(timeline["violations"], json!([]), "{name}");
        let messages = timeline["messages"].as_array().expect("a list");
        let roles: Vec<_> = messages.iter().map(|message| &message["role"]).collect();
        assert_eq!(roles, ["user", "assistant", "assistant"], "{name}");
        let calls = &messages[1]["calls"];
        assert_eq!((&calls[0]["name"], &calls[0]["result"]["text"]), (&json!("add"), &json!("1")), "{name}");
        assert_eq!(calls[0]["status"], "ok", "{name}");
        assert_eq!(calls[1]["result"]["text"], "Error: invalid arguments", "{name}");
    }
}

#[tokio::test]
async fn a_stored_session_shows_what_waits_and_what_was_repeated() {
    let registry = registry(&Effects::default());
    let add = |id: &str, arguments: &str| ToolCall::new(id, "add", arguments);
    let mut cached = Usage::new(200, 10);
    cached.cached_input_tokens = 90;
    let model = ScriptedModel::new([
        AssistantMessage::from_tool_calls([add("a", r#"{"a":"one"}"#)]).with_usage(Usage::new(100, 10)),
        AssistantMessage::from_tool_calls([
            add("b", r#"{"a":1}"#),
            ToolCall::new("c", "pay", r#"{"amount":5}"#),
            ToolCall::new("d", "start_job", "{}"),
        ])
        .with_usage(cached),
    ]);
    let mut session = Session::new().user("Pay.");
    let run = session.run(&registry).complete(|request| model.complete(request)).await;
    assert_eq!(run.expect("it waits").to_string(), "calls need an approval");
    let text = serde_json::to_string(&session).expect("JSON");

    let timeline = open(&text, "?input=10&output=100&cached_input=1").await;
    assert_eq!(timeline["kind"], "session");
    assert_eq!(timeline["usage"]["input_tokens"], 300);
    // 210 * 10 + 90 * 1 + 20 * 100, for a million
    assert!((timeline["cost"].as_f64().expect("a price") - 0.004_19).abs() < 1e-9, "{timeline}");
    let failed = &timeline["messages"][1]["calls"][0];
    assert_eq!(
        (&failed["status"], &failed["result"]["error_kind"]),
        (&json!("error"), &json!("invalid_arguments"))
    );
    let pending = &timeline["messages"][2];
    assert_eq!(pending["cache"], json!({"kept": 90, "of": 100}));
    let statuses: Vec<_> =
        pending["calls"].as_array().expect("calls").iter().map(|call| &call["status"]).collect();
    assert_eq!(statuses, ["ok", "needs_approval", "needs_result"]);
    assert_eq!(pending["calls"][0]["retry_of"], json!({"index": 1, "position": 0}));
    assert_eq!(timeline["waiting"]["approvals"][0]["id"], "c");
    assert_eq!(timeline["waiting"]["results"][0]["ticket"], "job 7");

    session.approve("c").expect("it waits");
    let timeline = open(&serde_json::to_string(&session).expect("JSON"), "").await;
    assert_eq!(timeline["messages"][2]["calls"][1]["approval"], "approved");
    assert_eq!(timeline["cost"], Value::Null);
    let claimed = serde_json::to_string(&session.claim()).expect("JSON");
    assert_eq!(open(&claimed, "").await["claimed"], true);
}

#[tokio::test]
async fn a_broken_rule_is_marked_with_its_providers() {
    let call = |id: &str| ToolCall::new(id, "now", "{}");
    let long_id = "call_".repeat(9);
    let messages: Vec<Message> = vec![
        Message::user("What time is it?"),
        AssistantMessage::from_tool_calls([call("call_1")]).into(),
        Message::user("Hello?"),
        ToolMessage::new("call_9", "12:00").into(),
        AssistantMessage::from_tool_calls([call(&long_id)]).into(),
        ToolMessage::new(&long_id, "12:00").into(),
    ];
    let text = serde_json::to_string(&json!({"messages": messages})).expect("JSON");
    let timeline = open(&text, "").await;
    let found: Vec<_> = timeline["violations"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (one["index"].as_u64(), one["rule"].as_str(), one["is_possible"].as_bool()))
        .collect();
    assert_eq!(
        found,
        [
            (Some(1), Some("missing_result"), Some(false)),
            (Some(3), Some("orphan_result"), Some(false)),
            (Some(4), Some("long_id"), Some(true)),
        ],
    );
    let missing = &timeline["violations"][0];
    assert_eq!(missing["text"], "a tool call without a tool message");
    assert!(missing["rejected_by"].as_array().is_some_and(|providers| providers.contains(&json!("OpenAI"))));
    assert_eq!(missing["quoted"]["by"], "OpenAI");
    assert_eq!(timeline["messages"][1]["calls"][0]["status"], "missing");
    assert_eq!(timeline["messages"][3]["tool_call_id"], "call_9");
}

#[tokio::test]
async fn images_are_shown_unless_they_could_run_a_script() {
    let image = |kind: &str, data: &str| json!({"type": "image_url", "image_url": {"url": format!("data:{kind};base64,{data}")}});
    let message = json!({"role": "user", "content": [
        {"type": "text", "text": "Look."}, image("image/png", "AAAA"), image("image/svg+xml", "AAAA"),
    ]});
    let timeline = open(&json!({"messages": [message]}).to_string(), "").await;
    let parts = &timeline["messages"][0]["parts"];
    assert_eq!(parts[0]["data_url"], "data:image/png;base64,AAAA");
    assert_eq!((&parts[1]["mime_type"], &parts[1]["data_url"]), (&json!("image/svg+xml"), &Value::Null));
}

/// The developer looks for the mistakes of the model.
#[tokio::test]
async fn arguments_are_those_of_the_text() {
    let input = r#"{"b":1.0,"a":12345678901234567890123,"a":1}"#;
    let history = format!(
        r#"{{"system":"x","messages":[{{"role":"assistant","content":[{{"type":"tool_use","id":"toolu_1","name":"add","input":{input}}}]}}]}}"#
    );
    let timeline = open(&history, "").await;
    assert_eq!(timeline["wire"], "anthropic");
    let arguments = timeline["messages"][1]["calls"][0]["arguments"].as_str().expect("a text");
    assert!(arguments.starts_with(r#"{"b":1.0,"a":12345678901234567890123"#), "{arguments}");
}

#[tokio::test]
async fn a_text_that_cannot_be_read_has_a_reason() {
    let page = Page(Inspector::without_tools().router());
    let (status, text) = error(page.open("{}", "").await).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(text.starts_with("the text is neither a stored session"), "{text}");
    let anthropic = r#"[{"role":"user","content":[{"type":"tool_result","tool_use_id":7}]}]"#;
    let (_, text) = error(page.open(anthropic, "").await).await;
    assert!(
        text.starts_with("the text looks like messages of the wire `anthropic`, but cannot be read"),
        "{text}"
    );
    for query in ["?input=x", "?input=NaN", "?output=inf", "?input=-1&output=1"] {
        let (status, text) = error(page.open("[]", query).await).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{query}: {text}");
    }
}

#[tokio::test]
async fn the_sessions_of_a_folder_are_listed_and_opened() {
    let folder = std::env::temp_dir().join(format!("inspector_sessions_{}", std::process::id()));
    fs::create_dir_all(&folder).expect("the folder is writable");
    let inspector = Inspector::without_tools().sessions(SessionFolder::new(&folder));
    let page = Page(inspector.prices(Prices::per_million(1.0, 1.0)).router());
    assert_eq!(page.get("/api/sessions").await, json!([]));

    let reply = AssistantMessage::from_text("Hi!").with_usage(Usage::new(1_000_000, 0));
    let mut stored = Vec::new();
    let list: Vec<Message> = vec![Message::user("Hello!"), reply.into()];
    message::stored::serialize(&list, &mut serde_json::Serializer::new(&mut stored)).expect("JSON");
    fs::write(folder.join("chat 7.json"), stored).expect("the folder is writable");
    fs::write(folder.join("notes.txt"), "").expect("the folder is writable");
    let listed = page.get("/api/sessions").await;
    assert_eq!((listed.as_array().map(Vec::len), &listed[0]["id"]), (Some(1), &json!("chat 7.json")));
    let timeline = page.get("/api/sessions/chat%207.json").await;
    assert_eq!((&timeline["kind"], &timeline["cost"]), (&json!("messages"), &json!(1.0)));
    for id in ["notes.txt", "..%2Fsecret.json", "%2Fetc%2Fpasswd", "other.json"] {
        assert_eq!(page.error(&format!("/api/sessions/{id}")).await.0, StatusCode::NOT_FOUND, "{id}");
    }
    fs::remove_dir_all(&folder).expect("it exists");
    let (status, text) = page.error("/api/sessions").await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(text.starts_with("the sessions cannot be listed: "), "{text}");
}
