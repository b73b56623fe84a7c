//! The examples on each wire, alone and against a stub of a server.

use crate::process::{self, appended_messages, stderr, stdout};
use crate::streaming::starts;
use crate::stub::{self, Api, Received};
use axum::Router;
use axum::extract::{Json, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use serde_json::{Value, json};
use tool_runtime::wire::{GeminiInteractions, Ollama};
use tool_runtime_testing::check_request;

/// The output without the line that names the model.
fn transcript(example: &str, wire: &str) -> String {
    let output = process::run(example, &[], "", &[("TOOL_WIRE", wire)]);
    assert!(output.status.success(), "{example} on {wire}: {}{}", stdout(&output), stderr(&output));
    let printed = stdout(&output);
    let (first, rest) = printed.split_once('\n').expect("there are lines");
    assert!(first.starts_with("Model: a scripted model"), "{first}");
    rest.to_owned()
}

#[test]
fn the_transcript_is_the_same_on_each_wire() {
    for example in ["approval", "planner", "subagent", "weather"] {
        let expected = transcript(example, "chat_completions");
        for wire in ["anthropic", "responses", "gemini", "gemini_interactions", "bedrock", "ollama"] {
            assert_eq!(transcript(example, wire), expected, "{example} on {wire}");
        }
    }
}

#[test]
fn the_streaming_example_runs_on_each_wire() {
    for wire in ["anthropic", "responses", "gemini", "gemini_interactions", "bedrock", "ollama"] {
        let printed = transcript("streaming", wire);
        let early = starts(&printed).into_iter().filter(|(_, is_early)| *is_early).count();
        // The last call of these wires may be truncated, and waits for the end of the reply.
        let waits = ["anthropic", "gemini", "gemini_interactions", "bedrock"].contains(&wire);
        let expected = if waits { 2 } else { 3 };
        assert_eq!(early, expected, "read-only tools start early on {wire}: {printed}");
        let last = printed.lines().last().expect("there is output");
        assert!(last.contains("sunny in Beijing") && last.contains("reminder set"), "{last}");
    }
}

#[test]
fn an_unknown_wire_is_a_clear_error() {
    let output = process::run("weather", &[], "", &[("TOOL_WIRE", "gopher")]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        stderr(&output),
        "Error: there is no wire `gopher`: use one of `chat_completions`, `anthropic`, `gemini_interactions`, `responses`, `gemini`, `ollama`, `bedrock`\n"
    );
}

const ANTHROPIC: Api = Api {
    wire: "anthropic",
    variables: "ANTHROPIC",
    base: "",
    path: "/v1/messages",
    headers: &["anthropic-version", "x-api-key"],
    fields: &["model", "max_tokens"],
};

/// Thinking and two calls, then an answer.
fn messages_reply(request: &Value) -> Value {
    let call = |id: &str, city: &str| json!({"type": "tool_use", "id": id, "name": "get_weather", "input": {"city": city}});
    let blocks = if request["messages"].as_array().is_some_and(|messages| messages.len() > 1) {
        json!([{"type": "text", "text": "Two results, thank you."}])
    } else {
        json!([
            {"type": "thinking", "thinking": "Two calls.", "signature": "c2lnbmVk"},
            call("toolu_1", "Beijing"), call("toolu_2", "Atlantis"),
        ])
    };
    json!({"type": "message", "role": "assistant", "model": "stub-1", "content": blocks})
}

const RESPONSES: Api = Api {
    wire: "responses",
    variables: "OPENAI",
    base: "/v1",
    path: "/v1/responses",
    headers: &["authorization"],
    fields: &["model"],
};

/// Reasoning and two calls, then an answer.
fn response(request: &Value) -> Value {
    let call = |id: &str, arguments: &str| {
        json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": "get_weather",
            "arguments": arguments, "status": "completed"})
    };
    let output = if request["input"].as_array().is_some_and(|items| items.len() > 1) {
        json!([{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": "Two results, thank you.", "annotations": []}]}])
    } else {
        json!([
            {"type": "reasoning", "id": "rs_1", "summary": []},
            call("call_1", r#"{"city":"Beijing"}"#), call("call_2", r#"{"city":"Atlantis"}"#),
        ])
    };
    json!({"id": "resp_1", "object": "response", "model": "stub-1", "status": "completed", "output": output})
}

const GEMINI: Api = Api {
    wire: "gemini",
    variables: "GEMINI",
    base: "",
    path: "/v1beta/models/{call}",
    headers: &["x-goog-api-key"],
    fields: &["contents"],
};

/// Two calls with a signature, then an answer.
fn candidates(request: &Value) -> Value {
    let parts = if request["contents"].as_array().is_some_and(|contents| contents.len() > 1) {
        json!([{"text": "Two results, thank you."}])
    } else {
        json!([
            {"functionCall": {"name": "get_weather", "args": {"city": "Beijing"}}, "thoughtSignature": "c2lnbmVk"},
            {"functionCall": {"name": "get_weather", "args": {"city": "Atlantis"}}},
        ])
    };
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]})
}

const GEMINI_INTERACTIONS: Api = Api {
    wire: "gemini_interactions",
    variables: "GEMINI",
    base: "",
    path: "/v1beta/interactions",
    headers: &["x-goog-api-key", "api-revision"],
    fields: &["model", "input"],
};

/// A thought and two calls, then an answer.
fn interaction(request: &Value) -> Value {
    let call = |id: &str, city: &str| json!({"type": "function_call", "id": id, "name": "get_weather", "arguments": {"city": city}});
    let (status, steps) = if request["input"].as_array().is_some_and(|steps| steps.len() > 1) {
        let text = json!({"type": "text", "text": "Two results, thank you."});
        ("completed", json!([{"type": "model_output", "content": [text]}]))
    } else {
        let thought = json!({"type": "thought", "signature": "c2lnbmVk"});
        ("requires_action", json!([thought, call("call_1", "Beijing"), call("call_2", "Atlantis")]))
    };
    json!({"id": "interaction_1", "object": "interaction", "model": "stub-1", "status": status, "steps": steps,
        "usage": {"total_input_tokens": 9, "total_output_tokens": 3, "total_tokens": 12}})
}

const BEDROCK: Api = Api {
    wire: "bedrock",
    variables: "BEDROCK",
    base: "",
    path: "/model/stub-1/converse",
    headers: &["authorization"],
    fields: &["messages", "toolConfig"],
};

/// Reasoning and two calls, then an answer.
fn converse_output(request: &Value) -> Value {
    let call = |id: &str, city: &str| json!({"toolUse": {"toolUseId": id, "name": "get_weather", "input": {"city": city}}});
    let (reason, content) = if request["messages"].as_array().is_some_and(|messages| messages.len() > 1) {
        ("end_turn", json!([{"text": "Two results, thank you."}]))
    } else {
        let reasoning = json!({"reasoningText": {"text": "Two calls.", "signature": "c2lnbmVk"}});
        let calls = [call("tooluse_1", "Beijing"), call("tooluse_2", "Atlantis")];
        ("tool_use", json!([{"reasoningContent": reasoning}, calls[0], calls[1]]))
    };
    json!({"output": {"message": {"role": "assistant", "content": content}}, "stopReason": reason,
        "usage": {"inputTokens": 9, "outputTokens": 3, "totalTokens": 12}, "metrics": {"latencyMs": 7}})
}

/// Runs the example, and returns the requests of a conversation with one reply that calls.
async fn requests_on(api: Api, reply: fn(&Value) -> Value) -> Vec<Value> {
    exchange_on(api, reply).await.requests()
}

async fn exchange_on(api: Api, reply: fn(&Value) -> Value) -> Received {
    let received = Received::default();
    let output = stub::run_on(api, "weather", stub::replying(api, reply), received.clone()).await;
    assert!(output.status.success(), "{}: {}{}", api.wire, stdout(&output), stderr(&output));
    let roles: Vec<Value> =
        appended_messages(&stdout(&output)).iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "assistant"], "{}", api.wire);
    assert_eq!(received.requests().len(), 2, "{}", api.wire);
    received
}

#[tokio::test]
async fn the_example_satisfies_a_strict_server_of_anthropics_api() {
    let requests = requests_on(ANTHROPIC, messages_reply).await;
    let blocks = &messages_reply(&requests[0])["content"];
    assert_eq!(requests[1]["messages"][1]["content"], *blocks, "the blocks go back unchanged");
    let results = &requests[1]["messages"][2]["content"];
    assert_eq!(results[0]["tool_use_id"], "toolu_1");
    assert_eq!(results[1]["is_error"], true);
}

#[tokio::test]
async fn the_example_satisfies_a_strict_server_of_the_responses_api() {
    let requests = requests_on(RESPONSES, response).await;
    let items = requests[1]["input"].as_array().expect("items");
    let output = response(&requests[0])["output"].clone();
    assert_eq!(json!(items[1..4]), output, "the items go back unchanged");
    assert_eq!(items[4]["call_id"], "call_1");
    assert!(items[5]["output"].as_str().expect("text").starts_with("Error: "));
}

#[tokio::test]
async fn the_example_satisfies_a_strict_server_of_the_gemini_api() {
    let requests = requests_on(GEMINI, candidates).await;
    let content = &candidates(&requests[0])["candidates"][0]["content"];
    assert_eq!(requests[1]["contents"][1], *content, "the parts go back unchanged");
    let results = &requests[1]["contents"][2]["parts"];
    assert_eq!(results[0]["functionResponse"]["name"], "get_weather");
    assert!(results[1]["functionResponse"]["response"]["error"].is_string());
}

#[tokio::test]
async fn the_example_satisfies_a_strict_server_of_the_interactions_api() {
    let received = exchange_on(GEMINI_INTERACTIONS, interaction).await;
    let requests = received.requests();
    let steps = requests[1]["input"].as_array().expect("steps");
    assert_eq!(json!(steps[1..4]), interaction(&requests[0])["steps"], "the steps go back unchanged");
    assert_eq!((&steps[4]["call_id"], &steps[4]["name"]), (&json!("call_1"), &json!("get_weather")));
    assert_eq!(steps[5]["is_error"], true);
    assert_eq!(requests[0]["model"], "stub-1");
    assert!(received.headers().iter().all(|headers| headers["api-revision"] == "2026-05-20"));
}

#[tokio::test]
async fn the_example_satisfies_a_strict_server_of_the_converse_api() {
    let received = exchange_on(BEDROCK, converse_output).await;
    let requests = received.requests();
    let message = &converse_output(&requests[0])["output"]["message"];
    assert_eq!(requests[1]["messages"][1], *message, "the blocks go back unchanged");
    let results = &requests[1]["messages"][2]["content"];
    assert_eq!(results[0]["toolResult"]["toolUseId"], "tooluse_1");
    assert_eq!(results[1]["toolResult"]["status"], "error");
    // The API rejects both: the model is in the path.
    assert!(requests.iter().all(|request| request.get("model").is_none() && request.get("stream").is_none()));
    assert!(received.headers().iter().all(|headers| headers["authorization"] == "Bearer secret"));
}

/// The same replies as server-sent events, with text and arguments in pieces.
async fn interaction_events(
    State(received): State<Received>,
    headers: HeaderMap,
    Json(request): Json<Value>,
) -> Response {
    received.push(headers, request.clone());
    if let Err(rejected) = check_request(&GeminiInteractions::new(), &request) {
        return (StatusCode::BAD_REQUEST, Json(json!({"error": {"message": rejected.message}})))
            .into_response();
    }
    let mut whole = interaction(&request);
    let steps = std::mem::take(&mut whole["steps"]);
    let mut created = whole.clone();
    created["status"] = "in_progress".into();
    let mut events = vec![json!({"event_type": "interaction.created", "interaction": created})];
    for (index, step) in steps.as_array().expect("steps").iter().enumerate() {
        let mut start = step.clone();
        let texts = match step["type"].as_str() {
            Some("function_call") => {
                start["arguments"] = json!({});
                step["arguments"].to_string()
            }
            Some("model_output") => {
                start = json!({"type": "model_output"});
                step["content"][0]["text"].as_str().expect("text").to_owned()
            }
            _ => String::new(),
        };
        events.push(json!({"event_type": "step.start", "index": index, "step": start}));
        for piece in texts.split_inclusive([' ', ':']) {
            let delta = if step["type"] == "function_call" {
                json!({"type": "arguments_delta", "arguments": piece})
            } else {
                json!({"type": "text", "text": piece})
            };
            events.push(json!({"event_type": "step.delta", "index": index, "delta": delta}));
        }
        events.push(json!({"event_type": "step.stop", "index": index}));
    }
    events.push(json!({"event_type": "interaction.completed", "interaction": whole}));
    let data = |event: &Value| {
        format!("event: {}\ndata: {event}\n\n", event["event_type"].as_str().unwrap_or_default())
    };
    let text = events.iter().map(data).collect::<String>() + "event: done\ndata: [DONE]\n\n";
    ([("content-type", "text/event-stream")], text).into_response()
}

#[tokio::test]
async fn the_streaming_example_reads_the_events_of_the_interactions_api() {
    let received = Received::default();
    let app = Router::new().route("/v1beta/interactions", post(interaction_events));
    let output = stub::run_on(GEMINI_INTERACTIONS, "streaming", app, received.clone()).await;
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("Two results, thank you."), "{}", stdout(&output));
    assert!(received.requests().iter().all(|request| request["stream"] == true));
}

#[tokio::test]
async fn the_binary_stream_of_the_converse_api_is_a_clear_error() {
    let received = Received::default();
    let app = stub::replying(BEDROCK, converse_output);
    let output = stub::run_on(BEDROCK, "streaming", app, received.clone()).await;
    assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), stderr(&output));
    let error = "a stream on the wire bedrock consists of binary frames, which the client of the examples does not read";
    assert!(stderr(&output).contains(error), "{}", stderr(&output));
    assert_eq!(received.requests().len(), 0, "nothing is sent");
}

const OLLAMA: Api = Api {
    wire: "ollama",
    variables: "OLLAMA",
    base: "",
    path: "/api/chat",
    headers: &[],
    fields: &["model", "stream"],
};

/// Reasoning and two calls without ids, then an answer.
fn message(request: &Value) -> Value {
    let call = |city: &str| json!({"function": {"name": "get_weather", "arguments": {"city": city}}});
    let message = if request["messages"].as_array().is_some_and(|messages| messages.len() > 2) {
        json!({"role": "assistant", "content": "Two results, thank you."})
    } else {
        let calls = [call("Beijing"), call("Atlantis")];
        json!({"role": "assistant", "content": "", "thinking": "Two calls.", "tool_calls": calls})
    };
    json!({"model": "stub-1", "message": message, "done": true, "done_reason": "stop"})
}

#[tokio::test]
async fn the_example_satisfies_a_strict_server_of_ollamas_api() {
    let requests = requests_on(OLLAMA, message).await;
    assert_eq!(requests[0]["stream"], false);
    let messages = &requests[1]["messages"];
    assert_eq!(messages[2]["thinking"], "Two calls.");
    assert_eq!(messages[2]["tool_calls"][1]["function"]["arguments"], json!({"city": "Atlantis"}));
    assert_eq!(messages[3]["tool_name"], "get_weather");
    assert!(messages[4]["content"].as_str().expect("text").starts_with("Error: "));
}

/// The same replies as lines, each with a part of the message.
async fn lines(State(received): State<Received>, headers: HeaderMap, Json(request): Json<Value>) -> Response {
    received.push(headers, request.clone());
    if let Err(rejected) = check_request(&Ollama::new(), &request) {
        return (StatusCode::BAD_REQUEST, Json(json!({"error": rejected.message}))).into_response();
    }
    let mut end = message(&request);
    let whole = std::mem::replace(&mut end["message"], json!({"role": "assistant", "content": ""}));
    let fields = whole.as_object().expect("an object").iter().filter(|(field, _)| *field != "role");
    let lines = fields.map(|(field, value)| {
        let mut message = json!({"role": "assistant", "content": ""});
        message[field] = value.clone();
        json!({"message": message, "done": false})
    });
    let lines: Vec<String> = lines.chain([end]).map(|line| line.to_string()).collect();
    ([("content-type", "application/x-ndjson")], lines.join("\n")).into_response()
}

#[tokio::test]
async fn the_streaming_example_reads_the_lines_of_ollamas_api() {
    let received = Received::default();
    let app = Router::new().route("/api/chat", post(lines));
    let output = stub::run_on(OLLAMA, "streaming", app, received.clone()).await;
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("Two results, thank you."), "{}", stdout(&output));
    assert!(received.requests().iter().all(|request| request["stream"] == true));
}

#[test]
fn an_unreachable_server_is_a_clear_error() {
    let settings = [("TOOL_WIRE", "anthropic"), ("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")];
    let output = process::run("weather", &[], "", &settings);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot reach http://127.0.0.1:1/v1/messages"), "{}", stderr(&output));
}
