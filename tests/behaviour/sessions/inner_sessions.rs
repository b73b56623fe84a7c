//! Sessions inside tools: their events, cancellation, limits and run context.

use super::{asked, call, calling, model, results, shop, text_reply};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tool_runtime::dispatch::CancellationToken;
use tool_runtime::session::RunEnd;
use tool_runtime::{CallContext, Registry, RunContext, Session, ToolCall, tool, tools};
use tool_runtime_testing::ScriptedModel;

/// The model of the inner sessions, and the session of the newest call.
struct Inner {
    model: ScriptedModel,
    session: Mutex<Session>,
}

/// Asks an inner session, which has the tools of the shop.
#[tool(max_calls = 1)]
async fn delegate(#[state] inner: &Inner, #[context] call: &CallContext) -> Result<String, String> {
    let (registry, _) = shop();
    let mut session = asked();
    let run = session
        .run(&registry.with(&call.child_run_context()))
        .max_replies(4)
        .on_event(|event| call.emit(event));
    let ended = run.complete(|request| inner.model.complete(request)).await;
    let answer = session.final_text().to_owned();
    *inner.session.lock().expect("no panic") = session;
    match ended {
        Ok(RunEnd::Answered) => Ok(answer),
        Ok(end) => Err(format!("there is no answer: {end}")),
        Err(error) => Err(error.to_string()),
    }
}

fn delegating(inner: impl Into<Vec<tool_runtime_testing::ScriptedReply>>) -> (Registry, Arc<Inner>) {
    let inner = Arc::new(Inner { model: model(inner), session: Mutex::default() });
    let registry = Registry::builder().tools(tools![delegate]).state(Arc::clone(&inner));
    (registry.build().expect("one tool"), inner)
}

/// Two calls in one reply, then an answer.
fn two_finds() -> [tool_runtime_testing::ScriptedReply; 2] {
    [calling([call("a", "find", 7), call("b", "find", 8)]), text_reply("Both are there.")]
}

fn delegate_call() -> ToolCall {
    ToolCall::new("x", "delegate", "{}")
}

#[tokio::test]
async fn the_events_of_an_inner_session_are_under_its_call() {
    let (registry, _) = delegating(two_finds());
    let model = model([calling([delegate_call()]), text_reply("Done.")]);
    let (mut session, mut outer, mut inner) = (asked(), Vec::new(), Vec::new());
    let run = session.run(&registry).on_event(|event| {
        let event = serde_json::to_value(event).expect("it serializes");
        if event["status"] == "emitted" {
            assert_eq!((&event["id"], &event["tool"]), (&json!("x"), &json!("delegate")));
            inner.push(name(&event["data"]));
        } else {
            outer.push(name(&event));
        }
    });
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
    let announced =
        |id: &str| ["call_announced", "call_arguments", "call_complete"].map(|kind| format!("{kind} {id}"));
    let calls = ["started a", "finished a", "started b", "finished b"].map(str::to_owned);
    let expected: Vec<String> =
        [&announced("a")[..], &announced("b"), &["reply_finished ".to_owned()], &calls]
            .into_iter()
            .flatten()
            .cloned()
            .chain(["text ", "reply_finished ", "run_ended "].map(str::to_owned))
            .collect();
    assert_eq!(inner, expected);
    let of_call = ["call_announced x", "call_arguments x", "call_complete x", "reply_finished "];
    let expected =
        [&of_call[..], &["started x", "finished x", "text ", "reply_finished ", "run_ended "]].concat();
    assert_eq!(outer, expected);
    assert_eq!(results(&session), ["Both are there."]);
}

/// The name of an event, and the id of its call.
fn name(event: &Value) -> String {
    let name = event["status"].as_str().or(event["type"].as_str()).expect("a name");
    format!("{name} {}", event["id"].as_str().unwrap_or_default())
}

#[tokio::test]
async fn calls_of_an_inner_session_do_not_count_in_the_outer_one() {
    let (registry, inner) = delegating(two_finds());
    let model = model([calling([delegate_call()]), text_reply("Done.")]);
    let mut session = asked();
    let run = session.run(&registry).max_calls(1).max_replies(2);
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
    let inner = inner.session.lock().expect("no panic").clone();
    assert_eq!(results(&inner), ["order 7", "order 8"]);
}

#[tokio::test]
async fn an_inner_session_has_its_own_limits() {
    let replies: Vec<_> = (0..9).map(|n| calling([call(&n.to_string(), "find", n)])).collect();
    let (registry, inner) = delegating(replies);
    let model = model([calling([delegate_call()]), text_reply("Done.")]);
    let mut session = asked();
    let run = session.run(&registry);
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
    assert_eq!(results(&session), ["Error: there is no answer: the limit of replies is reached"]);
    assert_eq!(results(&inner.session.lock().expect("no panic")).len(), 4);
}

#[tokio::test]
async fn an_inner_session_does_not_have_the_listeners_and_limits_of_the_run() {
    let (registry, inner) = delegating(two_finds());
    let heard = Arc::<Mutex<Vec<String>>>::default();
    let listener = Arc::clone(&heard);
    let context = RunContext::new()
        .allowed_tools(["delegate"])
        .on_event(move |event| listener.lock().expect("no panic").push(event.id.clone()));
    let model = model([calling([delegate_call()]), text_reply("Done.")]);
    let mut session = asked();
    let run = session.run(&registry.with(&context));
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
    assert_eq!(
        results(&inner.session.lock().expect("no panic")),
        ["order 7", "order 8"],
        "all tools are allowed"
    );
    let heard = heard.lock().expect("no panic");
    assert!(!heard.is_empty() && heard.iter().all(|id| id == "x"), "only events of the call: {heard:?}");
}

#[tokio::test(start_paused = true)]
async fn an_inner_session_is_cancelled_with_the_outer_run() {
    // The inner tool waits for an hour.
    let (registry, inner) = delegating([calling([call("a", "ship", 7)])]);
    let token = CancellationToken::new();
    let registry = registry.with(&RunContext::new().cancellation(token.clone()));
    let model = model([calling([delegate_call()])]);
    let (mut session, mut ends) = (asked(), Vec::new());
    let run = session.run(&registry).on_event(|event| {
        let event = serde_json::to_value(event).expect("it serializes");
        if event["data"]["type"] == "run_ended" {
            ends.push(event["data"]["end"].clone());
        }
    });
    let run = run.complete(|request| model.complete(request));
    let cancel = async {
        sleep(Duration::from_secs(1)).await;
        token.cancel();
    };
    let (end, ()) = tokio::join!(timeout(Duration::from_secs(2), run), cancel);
    assert_eq!(end.expect("it ends at once").expect("valid"), RunEnd::Cancelled);
    assert_eq!(ends, ["cancelled"], "the inner run ends, and is not only dropped");
    // The tool returned when the token woke it, so its call has a result.
    assert_eq!(results(&session), ["Error: there is no answer: the run was cancelled"]);
    let inner = inner.session.lock().expect("no panic").clone();
    assert!(inner.pending().is_some(), "the inner call has no result");
}

#[tokio::test(start_paused = true)]
async fn an_inner_session_ends_at_the_time_limit_of_its_call() {
    let registry = Registry::builder().tools(tools![delegate]).timeout(Duration::from_secs(5));
    let inner = Inner { model: model([calling([call("a", "search", 7)])]), session: Mutex::default() };
    let registry = registry.state(inner).build().expect("one tool");
    let model = model([calling([delegate_call()]), text_reply("Done.")]);
    let mut session = asked();
    let run = session.run(&registry).complete(|request| model.complete(request));
    let end = timeout(Duration::from_secs(6), run).await.expect("it ends in time").expect("valid");
    assert_eq!(end, RunEnd::Answered);
    assert!(results(&session)[0].starts_with("Error: the tool `delegate` did not finish within 5 s"));
}
