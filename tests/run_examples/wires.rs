//! The examples on Anthropic's wire, alone and against a stub of a server.

use crate::process::{self, appended_messages, stderr, stdout};
use crate::stub::{self, Received};
use serde_json::{Value, json};

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
    for example in ["approval", "planner", "weather"] {
        assert_eq!(transcript(example, "anthropic"), transcript(example, "chat_completions"), "{example}");
    }
}

#[test]
fn the_streaming_example_runs_on_anthropics_wire() {
    let printed = transcript("streaming", "anthropic");
    assert!(printed.contains(" before the reply ended"), "read-only tools start early: {printed}");
    let last = printed.lines().last().expect("there is output");
    assert!(last.contains("sunny in Beijing") && last.contains("reminder set"), "{last}");
}

#[test]
fn an_unknown_wire_is_a_clear_error() {
    let output = process::run("weather", &[], "", &[("TOOL_WIRE", "gopher")]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        stderr(&output),
        "Error: there is no wire `gopher`: use one of `chat_completions`, `anthropic`\n"
    );
}

/// Thinking and two calls, then an answer.
fn blocks(request: &Value) -> Value {
    let is_call = |message: &&Value| message["role"] == "assistant";
    if request["messages"].as_array().expect("the request is valid").iter().any(|message| is_call(&message)) {
        return json!([{"type": "text", "text": "Two results, thank you."}]);
    }
    let call = |id: &str, city: &str| json!({"type": "tool_use", "id": id, "name": "get_weather", "input": {"city": city}});
    json!([
        {"type": "thinking", "thinking": "Two calls.", "signature": "c2lnbmVk"},
        call("toolu_1", "Beijing"), call("toolu_2", "Atlantis"),
    ])
}

#[tokio::test]
async fn the_example_satisfies_a_strict_server_of_anthropics_api() {
    let received = Received::default();
    let output = stub::run_against_messages("weather", stub::messages(blocks), received.clone()).await;
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let requests = received.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(received.headers()[1]["x-api-key"], "secret");
    assert_eq!(received.headers()[1]["anthropic-version"], "2023-06-01");
    assert_eq!(requests[1]["messages"][1]["content"], blocks(&requests[0]), "the blocks go back unchanged");
    let results = &requests[1]["messages"][2]["content"];
    assert_eq!(results[0]["tool_use_id"], "toolu_1");
    assert_eq!(results[1]["is_error"], true);
    let roles: Vec<Value> =
        appended_messages(&stdout(&output)).iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "assistant"]);
}

#[test]
fn an_unreachable_server_is_a_clear_error() {
    let settings = [("TOOL_WIRE", "anthropic"), ("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")];
    let output = process::run("weather", &[], "", &settings);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot reach http://127.0.0.1:1/v1/messages"), "{}", stderr(&output));
}
