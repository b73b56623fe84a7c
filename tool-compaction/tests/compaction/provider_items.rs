//! Replies that belong together for their provider.

use super::{bytes, compact, session, texts};
use serde_json::{Value, json};
use tool_runtime::message::{Completeness, Message};
use tool_runtime::wire::{Anthropic, Responses, Wire};
use tool_runtime::{AssistantMessage, ToolMessage};
use tool_runtime_compaction::{Compaction, estimated_tokens};

fn anthropic(stop_reason: &str, content: &Value) -> AssistantMessage {
    let body = json!({"type": "message", "role": "assistant", "model": "a", "id": "msg_1", "content": content, "stop_reason": stop_reason});
    Anthropic::new().read_reply(&body.to_string()).expect("it is a reply")
}

fn responses(id: &str, output: &Value) -> AssistantMessage {
    let body = json!({"id": id, "object": "response", "status": "completed", "model": "a", "output": output});
    Responses::new().read_reply(&body.to_string()).expect("it is a reply")
}

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

/// The texts that are left of a task with these replies and tool messages, of which the newest reply stays.
async fn left(replies: Vec<Message>) -> Vec<String> {
    let mut session = session([Message::user("task")].into_iter().chain(replies).collect());
    let _ = compact(&mut Compaction::above(10, bytes).down_to(1).keep_replies(1), &mut session).await;
    texts(&session).into_iter().map(str::to_owned).collect()
}

const REMOVED: &str = "Earlier messages were removed.";

#[tokio::test]
async fn a_paused_reply_stays_with_the_next_one() {
    let paused = anthropic("pause_turn", &text("searching for a long time"));
    assert_eq!(paused.completeness(), Completeness::Paused);
    let other = anthropic("end_turn", &text("a text that is longer than the notice"));
    let last = anthropic("end_turn", &text("found"));
    let left = left(vec![other.into(), paused.into(), last.into()]).await;
    assert_eq!(left, ["task", REMOVED, "searching for a long time", "found"]);
}

#[tokio::test]
async fn a_program_stays_with_the_replies_that_it_calls_tools_in() {
    let other = anthropic("end_turn", &text("a text that is longer than the notice"));
    let caller = json!({"type": "code_execution_20250825", "tool_id": "srvtoolu_1"});
    let call =
        |id: &str| json!({"type": "tool_use", "id": id, "name": "look", "input": {}, "caller": caller});
    let first = anthropic(
        "tool_use",
        &json!([
            {"type": "text", "text": "running"},
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": {"code": "look()"}},
            call("toolu_1"),
        ]),
    );
    let second = anthropic("tool_use", &json!([call("toolu_2")]));
    let third = anthropic(
        "end_turn",
        &json!([
            {"type": "code_execution_tool_result", "tool_use_id": "srvtoolu_1", "content": {"type": "code_execution_result", "stdout": "", "stderr": "", "return_code": 0, "content": []}},
            {"type": "text", "text": "done"},
        ]),
    );
    let left = left(vec![
        other.into(),
        first.into(),
        ToolMessage::new("toolu_1", "one").into(),
        second.into(),
        ToolMessage::new("toolu_2", "two").into(),
        third.into(),
    ])
    .await;
    assert_eq!(left, ["task", REMOVED, "running", "one", "", "two", "done"]);
}

#[tokio::test]
async fn complete_calls_of_the_provider_join_nothing() {
    let search = |id: &str, found: &str| {
        anthropic(
            "end_turn",
            &json!([
                {"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": "a"}},
                {"type": "web_search_tool_result", "tool_use_id": id, "content": []},
                {"type": "text", "text": found},
            ]),
        )
    };
    let replies =
        ["a long text of the first", "second", "third"].map(|text| Message::from(search(text, text)));
    assert_eq!(left(replies.to_vec()).await, ["task", REMOVED, "third"]);
}

#[tokio::test]
async fn an_approval_stays_with_the_call_that_it_approves() {
    let message = |text: &str| json!({"type": "message", "id": "msg", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": text, "annotations": []}]});
    let other = responses("resp_0", &json!([message("a text that is longer than the notice")]));
    let asks = responses(
        "resp_1",
        &json!([{"type": "mcp_approval_request", "id": "mcpr_1", "server_label": "shop", "name": "buy", "arguments": "{}"}]),
    );
    let id = asks.tool_calls[0].id.clone();
    let last = responses(
        "resp_2",
        &json!([
            {"type": "mcp_call", "id": "mcp_1", "approval_request_id": "mcpr_1", "server_label": "shop", "name": "buy", "arguments": "{}", "output": "bought"},
            message("done"),
        ]),
    );
    let left =
        left(vec![other.into(), asks.into(), ToolMessage::new(id, "approved").into(), last.into()]).await;
    assert_eq!(left, ["task", REMOVED, "", "approved", "done"]);
}

#[tokio::test]
async fn results_whose_format_an_api_defines_stay() {
    let shell = json!({"type": "shell", "environment": {"type": "local"}});
    let wire = Responses::new().client_tool(shell, "run_commands");
    let read = |id: &str, item: &Value| {
        let body =
            json!({"id": id, "object": "response", "status": "completed", "model": "a", "output": [item]});
        wire.read_reply(&body.to_string()).expect("it is a reply")
    };
    let replies = [
        read(
            "resp_1",
            &json!({"type": "shell_call", "id": "sh_1", "call_id": "call_1", "action": {"commands": ["ls"]}, "status": "completed"}),
        ),
        read(
            "resp_2",
            &json!({"type": "mcp_approval_request", "id": "mcpr_1", "server_label": "shop", "name": "buy", "arguments": "{}"}),
        ),
        read(
            "resp_3",
            &json!({"type": "function_call", "id": "fc_1", "call_id": "call_3", "name": "look", "arguments": "{}", "status": "completed"}),
        ),
    ];
    let output =
        json!([{"stdout": "x".repeat(1_000), "stderr": "", "outcome": {"type": "exit", "exit_code": 1}}]);
    let mut messages = vec![Message::user("task")];
    for reply in replies {
        let id = reply.tool_calls[0].id.clone();
        messages.extend([reply.into(), ToolMessage::new(id, output.to_string()).into()]);
    }
    messages.push(Message::assistant("done"));
    let mut session = session(messages);
    let mut compaction = Compaction::above(3_000, bytes).down_to(2_500).keep_replies(1);
    let trimmed = compact(&mut compaction, &mut session).await.expect("the session is too long");
    assert_eq!((trimmed.truncated.len(), trimmed.removed.len()), (1, 0));
    assert_eq!(texts(&session)[2], output.to_string());
    assert_eq!(texts(&session)[4], output.to_string());
    assert!(texts(&session)[6].starts_with("[result of 1,"));
}

#[test]
fn a_generated_image_counts_like_an_image() {
    let image = "iVBORw0KGgo/+AAA".repeat(65_536);
    for result in [image.clone(), format!("data:image/png;base64,{image}==")] {
        let item =
            json!({"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": result});
        let tokens = estimated_tokens(&responses("resp_1", &json!([item])).into());
        assert!((1_500..1_600).contains(&tokens), "{tokens}");
    }
    let text = "word ".repeat(10_000);
    let message = json!({"type": "message", "id": "msg", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": text, "annotations": []}]});
    assert!(estimated_tokens(&responses("resp_1", &json!([message])).into()) > 12_500);
}
