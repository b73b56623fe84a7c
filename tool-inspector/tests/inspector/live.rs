//! Live runs.

use crate::page::{Lines, Page};
use crate::tools::{Effects, registry};
use axum::http::{Method, StatusCode};
use serde_json::{Value, json};
use tool_runtime::{AssistantMessage, Session, ToolCall};
use tool_runtime_inspector::{Inspector, LiveRuns};
use tool_runtime_testing::ScriptedModel;

async fn follow(page: &Page, id: &str) -> Lines {
    let path = format!("/api/runs/{id}/events");
    let response =
        page.send(Method::GET, &path, &[("host", "localhost"), ("x-tool-inspector", "1")], "").await;
    assert_eq!(response.status(), StatusCode::OK);
    Lines::new(response)
}

#[tokio::test]
async fn a_page_follows_a_run_from_its_start() {
    let registry = registry(&Effects::default());
    let runs = LiveRuns::new();
    let page = Page(Inspector::new(&registry).live_runs(&runs).router());
    let recorder = runs.start("chat 7");
    let mut early = follow(&page, "1").await;

    let call = ToolCall::new("call_1", "add", r#"{"a": 1}"#);
    let model =
        ScriptedModel::new([AssistantMessage::from_tool_calls([call]), AssistantMessage::from_text("1")]);
    let mut session = Session::new().user("Add 1 and 0.");
    let run = session.run(&registry).on_event(|event| recorder.record(event));
    run.complete(|request| model.complete(request)).await.expect("the model answers").to_string();
    let first = early.next().await.expect("an event");
    assert_eq!(first["event"]["type"], "call_announced");
    assert!(first["at_ms"].as_f64().is_some());
    let listed = page.get("/api/runs").await;
    assert_eq!((&listed[0]["id"], &listed[0]["title"]), (&json!("1"), &json!("chat 7")));
    assert_eq!(listed[0]["has_ended"], false);

    drop(recorder);
    let mut lines = early.rest().await;
    lines.insert(0, first);
    assert_eq!(lines.last().map(|line| &line["event"]["type"]), Some(&json!("run_ended")));
    let finished: Vec<&Value> = lines.iter().filter(|line| line["event"]["status"] == "finished").collect();
    assert_eq!(finished.len(), 1);
    assert_eq!(follow(&page, "1").await.rest().await, lines, "a later page gets the same events");
    assert_eq!(page.get("/api/runs").await[0]["has_ended"], true);
    assert_eq!(page.error("/api/runs/2/events").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn only_the_newest_runs_are_kept() {
    let runs = LiveRuns::new();
    let page = Page(Inspector::without_tools().live_runs(&runs).router());
    let _in_progress = runs.start("run 1");
    for number in 2..=51 {
        drop(runs.start(format!("run {number}")));
    }
    let listed = page.get("/api/runs").await;
    assert_eq!(listed.as_array().map(Vec::len), Some(50));
    assert_eq!((&listed[0]["title"], &listed[49]["title"]), (&json!("run 51"), &json!("run 1")));
    for id in ["2", "x"] {
        assert_eq!(page.error(&format!("/api/runs/{id}/events")).await.1, format!("there is no run {id}"));
    }
    assert!(follow(&page, "3").await.rest().await.is_empty());
}

#[tokio::test]
async fn events_beyond_the_limit_of_memory_are_counted() {
    let registry = registry(&Effects::default());
    let runs = LiveRuns::new();
    let page = Page(Inspector::new(&registry).live_runs(&runs).router());
    let recorder = runs.start("long");
    let model = ScriptedModel::new([AssistantMessage::from_text("x".repeat(9 << 20))]);
    let mut session = Session::new().user("Write.");
    let run = session.run(&registry).on_event(|event| recorder.record(event));
    run.complete(|request| model.complete(request)).await.expect("the model answers").to_string();
    drop(recorder);
    let lines = follow(&page, "1").await.rest().await;
    assert_eq!(lines.last(), Some(&json!({"skipped": 1})), "the text is too long");
    assert_eq!(lines.len(), 3, "the end of the reply, the end of the run and the count");
}
