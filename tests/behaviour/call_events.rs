//! Events and progress of calls.

use crate::contents;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tool_runtime::conversation::Received;
use tool_runtime::dispatch::{CallEvent, CallStatus};
use tool_runtime::{
    AssistantMessage, CallContext, Conversation, Registry, RunContext, ToolCall, tool, tools,
};

/// Waits, and reports progress.
#[tool]
async fn wait(seconds: u64, #[context] call: &CallContext) -> String {
    for second in 1..=seconds {
        tokio::time::sleep(Duration::from_secs(1)).await;
        call.progress(second, seconds, format!("second {second}"));
    }
    "done".to_owned()
}

/// Returns at once.
#[tool]
async fn quick() -> u8 {
    1
}

/// Fails.
#[tool]
async fn fails() -> Result<(), String> {
    Err("no luck".to_owned())
}

/// Asks a person first.
#[tool(requires_approval)]
async fn delete(path: &str) -> String {
    format!("{path} is gone")
}

/// Keeps its context.
#[tool]
async fn keeps(#[context] call: &CallContext, #[state] kept: &Mutex<Option<CallContext>>) {
    call.progress(1, None, "before");
    kept.lock().expect("no panic").replace(call.clone());
}

fn registry() -> Registry {
    Registry::new(tools![wait, quick, fails, delete]).expect("the tools are valid")
}

type Events = Arc<Mutex<Vec<CallEvent>>>;

fn context() -> (RunContext, Events) {
    let events = Events::default();
    let listened = Arc::clone(&events);
    (RunContext::new().on_event(move |event| listened.lock().expect("no panic").push(event.clone())), events)
}

/// Each event as the id and the status.
fn statuses(events: &Events) -> Vec<String> {
    let events = events.lock().expect("no panic");
    let status = |event: &CallEvent| match &event.status {
        CallStatus::Started { .. } => "started".to_owned(),
        CallStatus::Progress { done, total, text, .. } => format!("{done} of {total:?}: {text}"),
        CallStatus::Emitted { data, .. } => format!("emitted {data}"),
        CallStatus::NeedsApproval { arguments, .. } => format!("needs approval {arguments}"),
        CallStatus::Finished { result, .. } => format!("finished {}", result.text()),
        other => format!("{other:?}"),
    };
    events.iter().map(|event| format!("{} {}", event.id, status(event))).collect()
}

#[tokio::test(start_paused = true)]
async fn the_events_of_a_quick_call_come_before_a_slow_one_ends() {
    let (context, events) = context();
    let calls = [
        ToolCall::new("slow", "wait", r#"{"seconds":2}"#),
        ToolCall::new("quick", "quick", "{}"),
        ToolCall::new("fails", "fails", "{}"),
        ToolCall::new("unknown", "quik", "{}"),
    ];
    let messages = registry().with(&context).dispatch(&calls).await;
    assert_eq!(
        statuses(&events),
        [
            "slow started",
            "quick started",
            "quick finished 1",
            "fails started",
            "fails finished Error: no luck",
            "unknown finished Error: there is no tool `quik`. Call `quick` instead: {\"name\": \"quick\", \
             \"arguments\": {}}",
            "slow 1 of Some(2): second 1",
            "slow 2 of Some(2): second 2",
            "slow finished done",
        ]
    );
    assert_eq!(messages.len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_finished_call_has_its_outcome_and_serializes_as_one_map() {
    let (context, events) = context();
    registry().with(&context).dispatch(&[ToolCall::new("a", "wait", r#"{"seconds":1}"#)]).await;
    let written = |index: usize| -> Value {
        serde_json::to_value(&events.lock().expect("no panic")[index]).expect("it is JSON")
    };
    let arguments = r#"{"seconds":1}"#;
    assert_eq!(written(0), json!({"id": "a", "tool": "wait", "status": "started", "arguments": arguments}));
    assert_eq!(
        written(1),
        json!({"id": "a", "tool": "wait", "status": "progress", "done": 1, "total": 1, "text": "second 1"})
    );
    let finished = written(2);
    assert_eq!(finished["result"], json!({"output": "done"}));
    assert_eq!(finished["outcome"]["has_begun"], true);
    assert_eq!((&finished["arguments"], &finished["cause"]), (&json!(arguments), &json!("ran")));
    assert!(finished["outcome"]["duration_ms"].as_f64().is_some_and(|time| time >= 1_000.0), "{finished}");
}

#[tokio::test]
async fn a_call_that_waits_for_approval_is_not_finished() {
    let (context, events) = context();
    let registry = registry().with(&context);
    let reply = AssistantMessage::from_tool_calls(vec![
        ToolCall::new("1", "delete", r#"{"path":"x"}"#),
        ToolCall::new("2", "quick", ""),
    ]);
    let Received::ToolCalls(mut pending) = Conversation::new().user("Delete x.").receive(reply) else {
        panic!("it calls")
    };
    let messages = registry.dispatch(pending.calls()).await;
    pending.add_results(messages).expect("they wait");
    assert_eq!(statuses(&events), [r#"1 needs approval {"path":"x"}"#, "2 started", "2 finished 1"]);
    pending.approve("1").expect("it waits");
    events.lock().expect("no panic").clear();
    pending.run(&registry).await;
    assert_eq!(statuses(&events), ["1 started", "1 finished x is gone"]);
}

#[tokio::test]
async fn progress_after_the_end_of_a_call_is_not_reported() {
    let (context, events) = context();
    let kept = Arc::<Mutex<Option<CallContext>>>::default();
    let registry =
        Registry::builder().tools(tools![keeps]).state(Arc::clone(&kept)).build().expect("one tool");
    registry.with(&context).dispatch(&[ToolCall::new("1", "keeps", "")]).await;
    let context = kept.lock().expect("no panic").take().expect("it was kept");
    context.progress(2, None, "after");
    assert_eq!(statuses(&events), ["1 started", "1 1 of None: before", "1 finished ok"]);
    // Without listeners, progress does nothing.
    CallContext::new("1", "keeps").progress(1, 2, "there are no listeners");
}

#[tokio::test]
async fn a_panic_in_a_listener_affects_nothing() {
    let (context, events) = context();
    let context = context.on_event(|_| panic!("as planned"));
    let messages = registry().with(&context).dispatch(&[ToolCall::new("1", "quick", "")]).await;
    assert_eq!(contents(&messages), ["1"]);
    assert_eq!(statuses(&events), ["1 started", "1 finished 1"]);
}

#[tokio::test]
async fn a_unit_test_of_a_tool_can_listen() {
    let (context, events) = context();
    let context = CallContext::new("1", "wait").with_run_context(context);
    assert_eq!(wait(0, &context).await, "done");
    context.progress(3, 4, "by hand");
    assert_eq!(statuses(&events), ["1 3 of Some(4): by hand"]);
}

/// Reports progress twice.
#[tool]
async fn reports(#[context] call: &CallContext) {
    call.progress(1, 2, "first");
    call.progress(2, 2, "second");
}

#[tokio::test]
async fn a_listener_may_report_progress_of_the_same_call() {
    let (context, events) = context();
    let shared = Arc::new(Mutex::new(None::<CallContext>));
    let reporter = Arc::clone(&shared);
    let context = context.on_event(move |event| {
        if let CallStatus::Progress { done: 1, .. } = event.status {
            let call = reporter.lock().expect("no panic").clone();
            call.expect("it is set").progress(7, None, "from the listener");
        }
    });
    let call = CallContext::new("1", "reports").with_run_context(context);
    shared.lock().expect("no panic").replace(call.clone());
    reports(&call).await;
    assert_eq!(
        statuses(&events),
        ["1 1 of Some(2): first", "1 7 of None: from the listener", "1 2 of Some(2): second"]
    );
    shared.lock().expect("no panic").take();
}

#[tokio::test]
async fn middleware_and_direct_calls_have_events() {
    let (context, events) = context();
    let registry = Registry::builder()
        .tools(tools![reports])
        .around_call(|call| async move {
            let _ = call.run().await;
            call.run().await
        })
        .build()
        .expect("one tool");
    let result = registry.with(&context).call("reports", ()).await;
    assert_eq!(result.text(), "ok");
    let progress = [" 1 of Some(2): first", " 2 of Some(2): second"];
    let expected = [&[" started"][..], &progress, &progress, &[" finished ok"]].concat();
    assert_eq!(statuses(&events), expected);
}

/// Data that counts how often it is serialized.
struct Row<'a>(&'a AtomicUsize);

impl serde::Serialize for Row<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.fetch_add(1, Ordering::Relaxed);
        serializer.serialize_str("row")
    }
}

/// Emits data, with progress in between, and keeps its context.
#[tool]
async fn emits(#[context] call: &CallContext, #[state] kept: &Mutex<Option<CallContext>>) {
    call.emit(json!({ "row": 1 }));
    call.progress(1, 2, "first");
    call.emit(BTreeMap::from([((1, 2), "a key that is no string")]));
    call.emit("text");
    kept.lock().expect("no panic").replace(call.clone());
}

#[tokio::test]
async fn emitted_data_arrives_in_order_until_the_call_ends() {
    let (context, events) = context();
    let kept = Arc::<Mutex<Option<CallContext>>>::default();
    let registry =
        Registry::builder().tools(tools![emits]).state(Arc::clone(&kept)).build().expect("one tool");
    registry.with(&context).dispatch(&[ToolCall::new("1", "emits", "")]).await;
    let serialized = AtomicUsize::new(0);
    let context = kept.lock().expect("no panic").take().expect("it was kept");
    context.emit(Row(&serialized));
    assert_eq!(
        statuses(&events),
        [
            "1 started",
            r#"1 emitted {"row":1}"#,
            "1 1 of Some(2): first",
            r#"1 emitted "key must be a string""#,
            r#"1 emitted "text""#,
            "1 finished ok",
        ]
    );
    let written = serde_json::to_value(&events.lock().expect("no panic")[1]).expect("it is JSON");
    assert_eq!(written, json!({"id": "1", "tool": "emits", "status": "emitted", "data": {"row": 1}}));
    // There are no listeners.
    CallContext::new("1", "emits").emit(Row(&serialized));
    assert_eq!(serialized.load(Ordering::Relaxed), 0, "data that nobody receives is not serialized");
}
