//! Cases that random scripts have found.

use futures_util::stream;
use serde_json::json;
use std::convert::Infallible;
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tool_runtime::session::{RunEnd, RunError};
use tool_runtime::wire::Anthropic;
use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, tool, tools};

/// Ends at once.
#[tool]
fn act() {}

/// Ends after a minute.
#[tool]
async fn work() {
    sleep(Duration::from_secs(60)).await;
}

/// Reads secrets.
#[tool(read_only, requires_approval)]
fn peek(name: &str) -> String {
    name.to_owned()
}

fn reply(tools: &[&str]) -> AssistantMessage {
    AssistantMessage::from_tool_calls(tools.iter().map(|tool| ToolCall::new(*tool, *tool, "{}")))
}

#[tokio::test(start_paused = true)]
async fn the_revision_grows_in_a_run_that_is_dropped() {
    let registry = Registry::new(tools![act, work]).expect("two tools");
    let mut session = Session::new().user("Go!");
    let complete = |_| async { Ok::<_, Infallible>(reply(&["act", "work"])) };
    let end = session.run(&registry).max_calls(0).complete(complete).await;
    assert_eq!(end.expect("it ends"), RunEnd::CallLimit);
    let before = session.revision();
    let run = session.run(&registry).complete(complete);
    assert!(timeout(Duration::from_secs(1), run).await.is_err());
    assert!(session.pending().is_some_and(|pending| pending.result_of("act").is_some()));
    assert!(session.revision() > before, "a result was added");
}

#[tokio::test]
async fn the_revision_grows_with_a_warning() {
    let registry = Registry::new(tools![act]).expect("one tool");
    let mut session = Session::new().user("Go!");
    let before = session.revision();
    let run = session.run(&registry).map_request(|request| {
        request.allowed_tools(Vec::<String>::new()).tool_choice(tool_runtime::ToolChoice::Required)
    });
    let end = run.complete(|_| async { Err::<AssistantMessage, _>("unreachable") }).await;
    assert!(matches!(end, Err(RunError::Client("unreachable"))));
    assert_eq!(session.warnings().len(), 1);
    assert!(session.revision() > before, "a warning was added");
}

#[tokio::test]
async fn nobody_is_asked_about_a_truncated_call() {
    let registry = Registry::new(tools![peek]).expect("one tool");
    let mut session = Session::new().user("Go!");
    let call = [
        json!({ "type": "message_start", "message": { "model": "m", "content": [] } }),
        json!({ "type": "content_block_start", "index": 0,
            "content_block": { "type": "tool_use", "id": "1", "name": "peek", "input": {} } }),
        json!({ "type": "content_block_delta", "index": 0,
            "delta": { "type": "input_json_delta", "partial_json": "{\"name\":\"a\"}" } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "max_tokens" } }),
        json!({ "type": "message_stop" }),
    ];
    let answer = [
        json!({ "type": "message_start", "message": { "model": "m", "content": [] } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "Well." } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }),
        json!({ "type": "message_stop" }),
    ];
    let mut replies = vec![answer.to_vec(), call.to_vec()];
    let run = session.run(&registry).wire(Anthropic::new()).stream(|_| {
        let events = replies.pop().unwrap_or_default();
        async { Ok::<_, Infallible>(stream::iter(events)) }
    });
    assert_eq!(run.await.expect("the streams are complete"), RunEnd::Answered);
    assert!(session.messages()[2].text().contains("the reply was truncated"), "{:?}", session.messages());
}
