//! Calls of the page.

use crate::page::{Lines, Page, error};
use crate::tools::{Effects, registry};
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tool_runtime::ToolCall;
use tool_runtime_inspector::Inspector;

fn page(effects: &Effects) -> Page {
    Page(Inspector::new(&registry(effects)).router())
}

fn proposed(tool: &str, arguments: &str) -> Value {
    json!({"tool": tool, "arguments": arguments})
}

async fn run(lines: &mut Lines) -> String {
    lines.next_of_type("begun").await["run"].as_str().expect("an id").to_owned()
}

/// Whatever a model sends, the page shows the message of a dispatch.
#[tokio::test]
async fn the_result_is_the_message_that_a_model_reads() {
    let effects = Effects::default();
    let (page, registry) = (page(&effects), registry(&effects));
    for (tool, arguments) in [
        ("add", r#"{"a": 1, "b": 2}"#),
        ("add", r#"{"a": "one"}"#),
        ("add", r#"{"a": 1, "b": 2"#),
        ("add", ""),
        ("add", "null"),
        ("sum", r#"{"a": 1}"#),
        ("", "{}"),
        ("crash", "{}"),
        ("\u{202e}", "\0"),
    ] {
        let line = page.call(&proposed(tool, arguments)).await.next_of_type("result").await;
        let dispatched = registry.dispatch(&[ToolCall::new("call_1", tool, arguments)]).await;
        assert_eq!(
            line["message"],
            serde_json::to_value(&dispatched[0]).expect("JSON"),
            "{tool} {arguments}"
        );
        assert_eq!(line["text"], dispatched[0].text(), "{tool} {arguments}");
        assert_eq!(line["error_kind"].as_str(), dispatched[0].error_kind(), "{tool} {arguments}");
        assert_eq!(line["is_error"], dispatched[0].is_error(), "{tool} {arguments}");
    }
    let line = page.call(&proposed("add", r#"{"a": 1}"#)).await.next_of_type("result").await;
    assert_eq!((&line["tokens"], &line["text"]), (&json!(1), &json!("1")));
    let crash = page.call(&proposed("crash", "{}")).await.rest().await;
    assert!(!json!(crash).to_string().contains("a secret"), "the text of a panic stays in the program");
}

#[tokio::test]
async fn a_call_with_effects_runs_only_after_it_is_confirmed() {
    let effects = Effects::default();
    let page = page(&effects);
    let mut call = proposed("order", r#"{"size": "S"}"#);
    let lines = page.call(&call).await.rest().await;
    assert_eq!(lines.last().map(|line| &line["type"]), Some(&json!("needs_confirmation")));
    assert_eq!(effects.orders.load(Ordering::SeqCst), 0);

    call["confirmed"] = json!(true);
    let lines = page.call(&call).await.rest().await;
    assert_eq!(lines.last().map(|line| &line["text"]), Some(&json!("ordered in size M, with a key: true")));
    assert_eq!(effects.orders.load(Ordering::SeqCst), 1);
    let all = json!(lines).to_string();
    assert!(!all.contains("sk-secret"), "arguments of a hook stay in the program: {all}");
}

#[tokio::test]
async fn a_person_approves_or_denies_a_call() {
    let page = page(&Effects::default());
    let call = json!({"tool": "pay", "arguments": r#"{"amount": 5}"#, "confirmed": true});
    for (decision, text, kind) in [
        (json!({"id": "call_1", "decision": "approve"}), "paid 5", Value::Null),
        (
            json!({"id": "call_1", "decision": "deny", "reason": "too much"}),
            "Error: too much",
            json!("denied"),
        ),
    ] {
        let mut lines = page.call(&call).await;
        let run = run(&mut lines).await;
        let waiting = lines.next_of_type("approval").await;
        assert_eq!(waiting["call"]["arguments"], r#"{"amount": 5}"#);
        let path = format!("/api/calls/{run}/decision");
        assert_eq!(page.post(&path, &decision).await.status(), StatusCode::NO_CONTENT);
        let result = lines.next_of_type("result").await;
        assert_eq!((&result["text"], &result["error_kind"]), (&json!(text), &kind));
        let (status, text) = error(page.post(&path, &decision).await).await;
        assert_eq!((status, &*text), (StatusCode::CONFLICT, "no call waits for this decision"));
    }
}

#[tokio::test]
async fn a_question_is_answered_on_the_page() {
    let page = page(&Effects::default());
    for (answer, text) in [
        (json!({"action": "accept", "content": {"size": "L"}}), "\"L\""),
        (json!({"action": "decline"}), "Declined"),
        (json!({"action": "cancel"}), "Cancelled"),
    ] {
        let mut lines = page.call(&proposed("ask_size", "{}")).await;
        let run = run(&mut lines).await;
        let question = lines.next_of_type("question").await["question"].clone();
        assert_eq!((&question["text"], &question["tool"]), (&json!("Which size?"), &json!("ask_size")));
        let body = json!({"id": question["id"], "answer": answer});
        let response = page.post(&format!("/api/calls/{run}/answer"), &body).await;
        assert_eq!(response.status(), StatusCode::NO_CONTENT);
        assert_eq!(lines.next_of_type("result").await["text"], text);
    }
}

#[tokio::test]
async fn a_result_from_elsewhere_is_given_on_the_page() {
    let page = page(&Effects::default());
    let mut lines = page.call(&proposed("start_job", "{}")).await;
    let run = run(&mut lines).await;
    assert_eq!(lines.next_of_type("needs_result").await["call"]["ticket"], "job 7");
    let result = json!({"id": "call_1", "text": "the disk is full", "is_error": true});
    let response = page.post(&format!("/api/calls/{run}/result"), &result).await;
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
    let result = lines.next_of_type("result").await;
    assert_eq!((&result["text"], &result["is_error"]), (&json!("Error: the disk is full"), &json!(true)));
}

#[tokio::test]
async fn progress_arrives_in_order() {
    let page = page(&Effects::default());
    let lines = page.call(&proposed("count", r#"{"steps": 300, "bytes": 0}"#)).await.rest().await;
    let done = lines.iter().filter_map(|line| line["event"]["done"].as_u64());
    assert_eq!(done.collect::<Vec<_>>(), (1..=300).collect::<Vec<_>>());
    let last = lines.last().expect("a result");
    assert_eq!((&last["text"], &last["skipped_events"]), (&json!("300"), &json!(0)));
}

/// A tool must not wait for a page that does not read, and its events must not fill the memory.
#[tokio::test]
async fn events_that_the_page_does_not_read_are_counted() {
    let page = page(&Effects::default());
    for (arguments, text) in [
        // Many small events, and few large ones: the first limit is a number of lines, the second one of bytes.
        (r#"{"steps": 50000, "bytes": 0}"#, "50000"),
        (r#"{"steps": 40, "bytes": 1000000}"#, "40"),
    ] {
        // The tool does not yield, so nothing is read before it has ended.
        let mut lines = page.call(&proposed("count", arguments)).await;
        let result = lines.next_of_type("result").await;
        let skipped = result["skipped_events"].as_u64().expect("a number");
        assert!(skipped >= 20, "{arguments}: {skipped}");
        assert_eq!(result["text"], text);
    }
}

#[tokio::test]
async fn a_decision_of_another_kind_is_a_conflict_and_changes_nothing() {
    let page = page(&Effects::default());
    let approval = json!({"id": "call_1", "decision": "approve"});
    let result = json!({"id": "call_1", "text": "done"});
    let answer = |id: &Value| json!({"id": id, "answer": {"action": "decline"}});

    let mut lines =
        page.call(&json!({"tool": "pay", "arguments": r#"{"amount": 5}"#, "confirmed": true})).await;
    let path = format!("/api/calls/{}", run(&mut lines).await);
    lines.next_of_type("approval").await;
    for (kind, body) in [("result", &result), ("answer", &answer(&json!("call_1")))] {
        let response = page.post(&format!("{path}/{kind}"), body).await;
        assert_eq!(response.status(), StatusCode::CONFLICT, "{kind}");
    }
    assert_eq!(page.post(&format!("{path}/decision"), &approval).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(lines.next_of_type("result").await["text"], "paid 5");

    let mut lines = page.call(&proposed("ask_size", "{}")).await;
    let path = format!("/api/calls/{}", run(&mut lines).await);
    let id = lines.next_of_type("question").await["question"]["id"].clone();
    let approval = json!({"id": id, "decision": "approve"});
    assert_eq!(page.post(&format!("{path}/decision"), &approval).await.status(), StatusCode::CONFLICT);
    assert_eq!(page.post(&format!("{path}/answer"), &answer(&id)).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(lines.next_of_type("result").await["text"], "Declined");
}

/// A tool with two inner calls that wait: the first decision takes effect before the second.
#[tokio::test]
async fn each_decision_takes_effect_at_once() {
    let page = page(&Effects::default());
    let mut lines = page.call(&json!({"tool": "pay_twice", "arguments": "{}", "confirmed": true})).await;
    let path = format!("/api/calls/{}/decision", run(&mut lines).await);
    let (one, two) = (lines.next_of_type("approval").await, lines.next_of_type("approval").await);
    assert_eq!(
        (&one["call"]["outer_call"], &two["call"]["outer_call"]),
        (&json!("call_1"), &json!("call_1"))
    );

    let approve = json!({"id": one["call"]["id"], "decision": "approve"});
    assert_eq!(page.post(&path, &approve).await.status(), StatusCode::NO_CONTENT);
    loop {
        let event = lines.next_of_type("event").await["event"].clone();
        if event["id"] == one["call"]["id"] && event["status"] == "finished" {
            break;
        }
    }
    let deny = json!({"id": two["call"]["id"], "decision": "deny", "reason": "once is enough"});
    assert_eq!(page.post(&path, &deny).await.status(), StatusCode::NO_CONTENT);
    let result = lines.next_of_type("result").await;
    assert_eq!(result["text"], "paid 1; Error: once is enough");
}

/// The time of the approval is no duration of the tool.
#[tokio::test]
async fn a_call_that_does_not_run_has_no_duration() {
    let page = page(&Effects::default());
    let unknown = page.call(&proposed("sum", "{}")).await.next_of_type("result").await;
    assert_eq!(unknown["duration_ms"], Value::Null);
    let add = page.call(&proposed("add", r#"{"a": 1}"#)).await.next_of_type("result").await;
    assert!(add["duration_ms"].as_f64().is_some(), "{add}");
}

#[tokio::test]
async fn a_hundred_calls_run_at_the_same_time() {
    let page = page(&Effects::default());
    let mut open = Vec::new();
    for _ in 0..100 {
        open.push(page.call(&proposed("wait", "{}")).await);
    }
    let (status, text) = error(page.post("/api/calls", &proposed("add", "{}")).await).await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(text, "100 calls of the page are in progress: stop one of them");
    open.pop();
    while page.post("/api/calls", &proposed("add", "{}")).await.status() != StatusCode::OK {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_call_is_cancelled_if_the_page_is_closed() {
    let effects = Effects::default();
    let page = page(&effects);
    let mut lines = page.call(&proposed("wait", "{}")).await;
    let run = run(&mut lines).await;
    assert_eq!(lines.next_of_type("event").await["event"]["status"], "started");
    drop(lines);
    while effects.dropped.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let decision = json!({"id": "call_1", "decision": "approve"});
    let response = page.post(&format!("/api/calls/{run}/decision"), &decision).await;
    assert_eq!(response.status(), StatusCode::CONFLICT);
}

#[tokio::test]
async fn a_request_that_is_not_a_call_is_rejected() {
    let page = page(&Effects::default());
    let (status, text) = error(page.post("/api/calls", &json!({"tool": "add"})).await).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(text.contains("missing field `arguments`"), "{text}");
}
