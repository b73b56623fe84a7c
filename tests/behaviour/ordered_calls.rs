//! The order of the calls of a reply: `ordered_effects` and exclusive tools.

use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tool_runtime::conversation::Received;
use tool_runtime::dispatch::{CallStatus, CancellationToken};
use tool_runtime::search::Search;
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::{
    AssistantMessage, Conversation, DynamicTool, Registry, RegistryBuilder, RunContext, Session, ToolCall,
    tool, tools,
};
use tool_runtime_testing::{ScriptedModel, ScriptedReply};

/// The steps of the tools, in their order.
#[derive(Clone, Default)]
struct Steps(Arc<Mutex<Vec<String>>>);

impl Steps {
    fn add(&self, step: impl Into<String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(step.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Changes a file.
#[tool(requires_approval)]
async fn edit(path: &str, #[state] steps: &Steps) -> String {
    steps.add(format!("edit {path}"));
    tokio::time::sleep(Duration::from_millis(50)).await;
    steps.add(format!("{path} is edited"));
    "edited".to_owned()
}

/// Runs the tests.
#[tool(read_only)]
async fn run_tests(#[state] steps: &Steps) -> &'static str {
    steps.add("run_tests");
    "all tests passed"
}

/// Reads a file.
#[tool(read_only)]
async fn read(path: &str, #[state] steps: &Steps) -> String {
    steps.add(format!("read {path}"));
    tokio::time::sleep(Duration::from_millis(50)).await;
    format!("text of {path}")
}

/// Writes a file.
#[tool]
async fn write(path: &str, #[state] steps: &Steps) -> Result<(), String> {
    steps.add(format!("write {path}"));
    tokio::time::sleep(Duration::from_millis(50)).await;
    steps.add(format!("{path} is written"));
    if path == "full" { Err("no space left".to_owned()) } else { Ok(()) }
}

/// Changes the branch.
#[tool(exclusive, read_only)]
async fn checkout(branch: &str, #[state] steps: &Steps) {
    tokio::time::sleep(Duration::from_millis(50)).await;
    steps.add(format!("checkout {branch}"));
}

fn builder(steps: &Steps) -> RegistryBuilder {
    Registry::builder().tools(tools![edit, run_tests, read, write, checkout]).state(steps.clone())
}

fn ordered(steps: &Steps) -> Registry {
    builder(steps).ordered_effects(true).build().expect("five tools")
}

fn calls<const N: usize>(calls: [(&str, Value); N]) -> Vec<ToolCall> {
    let calls = calls.into_iter().zip('a'..);
    calls.map(|((tool, arguments), id)| ToolCall::new(id.to_string(), tool, arguments.to_string())).collect()
}

#[tokio::test(start_paused = true)]
async fn effects_keep_their_order_and_reads_between_them_run_concurrently() {
    let steps = Steps::default();
    let path = |path: &str| json!({ "path": path });
    let calls = calls([
        ("read", path("1")),
        ("read", path("2")),
        ("write", path("3")),
        ("write", path("full")),
        ("read", path("4")),
        ("read", path("5")),
    ]);
    let started = Instant::now();
    let messages = ordered(&steps).dispatch(&calls).await;
    assert_eq!(
        steps.take(),
        ["read 1", "read 2", "write 3", "3 is written", "write full", "full is written", "read 4", "read 5"]
    );
    // Two reads, a write, a write that fails, and two reads.
    assert_eq!(started.elapsed().as_millis(), 200);
    let texts: Vec<_> = messages.iter().map(|message| message.text().to_owned()).collect();
    assert_eq!(texts[3..], ["Error: no space left", "text of 4", "text of 5"]);

    let _ = builder(&steps).build().expect("five tools").dispatch(&calls).await;
    assert_eq!(started.elapsed().as_millis(), 250, "without the setting, all of them run at once");
}

#[tokio::test(start_paused = true)]
async fn an_exclusive_tool_runs_alone_without_the_setting() {
    let steps = Steps::default();
    let calls = calls([
        ("write", json!({"path": "1"})),
        ("write", json!({"path": "2"})),
        ("checkout", json!({"branch": "main"})),
        ("run_tests", json!({})),
    ]);
    let registry = builder(&steps).build().expect("five tools");
    assert!(registry.tool("checkout").is_some_and(|tool| tool.policy.exclusive));
    registry.dispatch(&calls).await;
    let expected = ["write 1", "write 2", "1 is written", "2 is written", "checkout main", "run_tests"];
    assert_eq!(steps.take(), expected);

    let dynamic = DynamicTool::new("restart", "Restarts.", Value::Null, |_| async { Ok::<_, String>(()) });
    let registry = builder(&steps).dynamic(dynamic.exclusive()).build().expect("six tools");
    assert!(registry.tool("restart").is_some_and(|tool| tool.policy.exclusive));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_its_turn_holds_no_permit_and_no_time_limit() {
    let steps = Steps::default();
    let registry =
        builder(&steps).ordered_effects(true).max_concurrency(1).timeout(Duration::from_millis(60));
    let registry = registry.build().expect("five tools");
    let path = |path: &str| json!({ "path": path });
    let calls =
        calls([("write", path("1")), ("write", path("2")), ("write", path("3")), ("read", path("4"))]);
    let messages = registry.dispatch(&calls).await;
    assert!(messages.iter().all(|message| !message.is_error()), "{messages:?}");
    assert_eq!(steps.take().last().map(String::as_str), Some("read 4"));
}

#[tokio::test]
async fn a_dispatch_names_the_call_for_which_others_wait() {
    let steps = Steps::default();
    let elsewhere = DynamicTool::external("deploy", "Deploys.", Value::Null);
    let registry = builder(&steps).ordered_effects(true).dynamic(elsewhere).build().expect("six tools");
    let path = json!({"path": "1"});
    for first in [("edit", path.clone()), ("deploy", json!({}))] {
        let calls = calls([("read", path.clone()), first, ("run_tests", json!({})), ("write", path.clone())]);
        let messages = registry.dispatch(&calls).await;
        let expected = |tool: &str, id: &str| {
            format!(
                "Error: `{tool}` was not run: the call `{id}` before it has no result yet. Call `{tool}` again after that result."
            )
        };
        assert_eq!(messages[2].content, expected("run_tests", "b"));
        // A call waits for all earlier ones.
        assert_eq!(messages[3].content, expected("write", "b"));
        assert_eq!(messages[3].error_kind(), Some("needs_call"));
        assert_eq!(steps.take(), ["read 1"]);
    }
}

#[tokio::test]
async fn a_call_that_failed_or_was_denied_has_ended() {
    let steps = Steps::default();
    let deny = |call: tool_runtime::dispatch::ProposedCall| async move {
        use tool_runtime::dispatch::Decision;
        if call.tool() == "edit" { Decision::Deny("not now".to_owned()) } else { Decision::Undecided }
    };
    let registry = builder(&steps).ordered_effects(true).before_call(deny).build().expect("five tools");
    let path = json!({"path": "1"});
    let calls =
        calls([("edit", path.clone()), ("edit", json!({})), ("write", path), ("run_tests", json!({}))]);
    registry.dispatch(&calls).await;
    assert_eq!(steps.take(), ["write 1", "1 is written", "run_tests"]);
}

/// A person decides about the edit of a coding agent, which calls `run_tests` in the same reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Approved,
    Edited,
    Denied,
}

fn agent() -> ScriptedModel {
    let calls = calls([("edit", json!({"path": "main.rs"})), ("run_tests", json!({}))]);
    ScriptedModel::new([
        ScriptedReply::from(AssistantMessage::from_tool_calls(calls)),
        AssistantMessage::from_text("Done.").into(),
    ])
}

async fn run(session: &mut Session, registry: &Registry, model: &ScriptedModel, is_streamed: bool) -> RunEnd {
    let run = session.run(registry);
    if is_streamed {
        run.stream(|request| model.stream(request)).await.expect("valid")
    } else {
        run.complete(|request| model.complete(request)).await.expect("valid")
    }
}

#[tokio::test(start_paused = true)]
async fn the_tests_of_a_coding_agent_run_after_its_edit() {
    for verdict in [Verdict::Approved, Verdict::Edited, Verdict::Denied] {
        for is_streamed in [false, true] {
            let (steps, model) = (Steps::default(), agent());
            let registry = ordered(&steps);
            let mut session = Session::new().user("Fix it.");
            assert_eq!(run(&mut session, &registry, &model, is_streamed).await, RunEnd::NeedsApproval);
            assert_eq!(steps.take(), Vec::<String>::new(), "{verdict:?} {is_streamed}");

            let stored = serde_json::to_string(&session).expect("it is written");
            let mut session: Session = serde_json::from_str(&stored).expect("it is read");
            match verdict {
                Verdict::Approved => session.approve("a").expect("it waits"),
                Verdict::Edited => session.approve_with("a", json!({"path": "lib.rs"})).expect("it waits"),
                Verdict::Denied => session.deny("a", "not this file").expect("it waits"),
            }
            assert_eq!(run(&mut session, &registry, &model, is_streamed).await, RunEnd::Answered);
            let expected: &[&str] = match verdict {
                Verdict::Approved => &["edit main.rs", "main.rs is edited", "run_tests"],
                Verdict::Edited => &["edit lib.rs", "lib.rs is edited", "run_tests"],
                Verdict::Denied => &["run_tests"],
            };
            assert_eq!(steps.take(), expected, "{verdict:?} {is_streamed}");
        }
    }
}

/// A crash in the middle of the edit: the next process knows that it may have taken effect, and runs the tests then.
#[tokio::test(start_paused = true)]
async fn after_a_crash_the_tests_run_after_the_interrupted_edit() {
    let (steps, model) = (Steps::default(), agent());
    let registry = ordered(&steps);
    let mut session = Session::new().user("Fix it.");
    assert_eq!(run(&mut session, &registry, &model, false).await, RunEnd::NeedsApproval);
    session.approve("a").expect("it waits");
    let claimed = serde_json::to_string(&session.claim()).expect("it is written");
    let killed = tokio::time::timeout(Duration::from_millis(20), run(&mut session, &registry, &model, false));
    assert!(killed.await.is_err());
    assert_eq!(steps.take(), ["edit main.rs"]);

    let mut session: Session = serde_json::from_str(&claimed).expect("it is read");
    assert_eq!(run(&mut session, &registry, &model, false).await, RunEnd::Answered);
    assert_eq!(steps.take(), ["run_tests"]);
    let results: Vec<_> = session.messages()[2..4].iter().map(|message| message.text().to_owned()).collect();
    assert_eq!(results[0], "Error: `edit` was interrupted. It may have taken effect: check whether it did.");
    assert_eq!(results[1], "all tests passed");
}

#[tokio::test(start_paused = true)]
async fn a_session_reports_the_call_for_which_another_one_waits() {
    let (steps, model) = (Steps::default(), agent());
    let registry = ordered(&steps);
    let (mut session, mut waits) = (Session::new().user("Fix it."), Vec::new());
    let run = session.run(&registry).on_event(|event| {
        if let Event::Call(call) = event {
            if let CallStatus::NeedsCall { call: earlier, .. } = &call.status {
                waits.push((call.id.clone(), earlier.clone()));
            }
        }
    });
    let end = run.complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!((end, waits), (RunEnd::NeedsApproval, vec![("b".to_owned(), "a".to_owned())]));
}

#[tokio::test(start_paused = true)]
async fn in_a_stream_reads_start_early_only_before_a_barrier() {
    let steps = Steps::default();
    let path = |path: &str| json!({ "path": path });
    let calls = calls([("read", path("1")), ("write", path("2")), ("read", path("3"))]);
    let reply = ScriptedReply::from(AssistantMessage::from_tool_calls(calls));
    let model = ScriptedModel::new([
        reply.with_chunk_delay(Duration::from_millis(20)),
        AssistantMessage::from_text("Done.").into(),
    ]);
    let registry = builder(&steps).ordered_effects(true).start_all_while_streaming(true).build();
    let (mut session, recorded) = (Session::new().user("Go."), steps.clone());
    let registry = registry.expect("five tools");
    let run = session.run(&registry).on_event(move |event| {
        if let Event::ReplyFinished { number: 0, .. } = event {
            recorded.add("end of the reply");
        }
    });
    let end = run.stream(|request| model.stream(request)).await.expect("valid");
    assert_eq!(end, RunEnd::Answered);
    assert_eq!(steps.take(), ["read 1", "end of the reply", "write 2", "2 is written", "read 3"]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_barrier_and_the_calls_after_it_run_in_the_next_run() {
    let steps = Steps::default();
    let registry = ordered(&steps);
    let calls =
        calls([("read", json!({"path": "1"})), ("write", json!({"path": "2"})), ("run_tests", json!({}))]);
    let model = ScriptedModel::new([
        ScriptedReply::from(AssistantMessage::from_tool_calls(calls)),
        AssistantMessage::from_text("Done.").into(),
    ]);
    let token = CancellationToken::new();
    let bound = registry.with(&RunContext::new().cancellation(token.clone()));
    let mut session = Session::new().user("Go.");
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        token.cancel();
    };
    let (end, ()) = tokio::join!(run(&mut session, &bound, &model, false), cancel);
    assert_eq!((end, steps.take()), (RunEnd::Cancelled, vec!["read 1".to_owned()]));
    assert_eq!(run(&mut session, &registry, &model, false).await, RunEnd::Answered);
    assert_eq!(steps.take(), ["read 1", "write 2", "2 is written", "run_tests"]);
}

/// Writes alone.
#[tool(exclusive)]
async fn publish(path: &str, #[state] steps: &Steps) {
    steps.add(format!("publish {path}"));
    tokio::time::sleep(Duration::from_millis(20)).await;
    steps.add(format!("{path} is published"));
}

/// A person makes a call of `call_tool`, whose arguments the model did not complete, a call of an exclusive tool.
#[tokio::test(start_paused = true)]
async fn an_edited_call_runs_in_its_order() {
    let steps = Steps::default();
    let registry =
        Registry::builder().tools(tools![publish, read]).state(steps.clone()).search(Search::new());
    let registry = registry.build().expect("two tools");
    let calls = [
        ToolCall::new("a", "read", r#"{"path":"1"}"#),
        ToolCall::new("b", "call_tool", r#"{"name":"publi"#),
        ToolCall::new("c", "read", r#"{"path":"2"}"#),
    ];
    let reply = AssistantMessage::from_tool_calls(calls);
    let Received::ToolCalls(mut pending) = Conversation::new().user("Go.").receive(reply) else {
        panic!("calls")
    };
    pending.approve_with("b", json!({"name": "publish", "arguments": {"path": "x"}})).expect("it waits");
    pending.run(&registry).await;
    assert_eq!(steps.take(), ["read 1", "publish x", "x is published", "read 2"]);
}

/// The results of a dispatch keep all calls pending that only wait.
#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_another_stays_pending_with_the_results_of_a_dispatch() {
    let steps = Steps::default();
    let registry = ordered(&steps);
    let reply =
        AssistantMessage::from_tool_calls(calls([("edit", json!({"path": "1"})), ("run_tests", json!({}))]));
    let results = registry.dispatch(&reply.tool_calls).await;
    let Received::ToolCalls(mut pending) = Conversation::new().user("Go.").receive(reply) else {
        panic!("calls")
    };
    pending.add_results(results).expect("they are pending");
    pending.approve("a").expect("it waits");
    pending.run(&registry).await;
    assert_eq!(steps.take(), ["edit 1", "1 is edited", "run_tests"]);
}

/// Middleware may return the error of another registry: the call has ended with it.
#[tokio::test(start_paused = true)]
async fn a_call_whose_middleware_fails_has_ended() {
    let steps = Steps::default();
    let elsewhere = DynamicTool::external("write", "Writes elsewhere.", Value::Null);
    let other = Registry::builder().dynamic(elsewhere).build().expect("one tool");
    let registry = builder(&steps).ordered_effects(true).around_call(move |call| {
        let other = other.clone();
        async move {
            match call.tool() {
                "write" => other.call("write", json!({})).await,
                _ => call.run().await,
            }
        }
    });
    let calls = calls([("write", json!({"path": "1"})), ("run_tests", json!({}))]);
    let model = ScriptedModel::new([
        ScriptedReply::from(AssistantMessage::from_tool_calls(calls)),
        AssistantMessage::from_text("Done.").into(),
    ]);
    let (mut session, registry) = (Session::new().user("Go."), registry.build().expect("five tools"));
    assert_eq!(run(&mut session, &registry, &model, false).await, RunEnd::Answered);
    assert_eq!(steps.take(), ["run_tests"]);
}
