//! Calls that other processes run: they leave a session with their keys, and come back with their ends.

use super::{Ledger, asked, call, calling, model, results, shop, stored, text_reply};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::sleep;
use tool_runtime::conversation::{NotPendingError, PendingCalls, Received};
use tool_runtime::dispatch::{
    CallEnd, CancellationToken, Decision, HandedOutCall, ReadyCall, ToolFailure, ToolResult,
};
use tool_runtime::search::Search;
use tool_runtime::session::RunEnd;
use tool_runtime::{
    AssistantMessage, CallContext, Conversation, Registry, RegistryBuilder, RunContext, Session, ToolCall,
    ToolOutput, tool, tools,
};
use tool_runtime_testing::ScriptedModel;

/// Charges an order.
#[tool(destructive, max_calls = 2, timeout = "30s")]
async fn charge(order: u32, #[state] ledger: &Ledger, #[context] call: &CallContext) -> String {
    ledger.add(format!("charge {order} {}", call.idempotency_key().unwrap_or_default()));
    format!("order {order} is charged")
}

/// Counts the parts of an order.
#[tool(read_only)]
async fn count(order: u32, #[state] ledger: &Ledger) -> u32 {
    ledger.add("count");
    order
}

/// Prints a report.
#[tool]
fn report(order: u32) -> ToolOutput {
    ToolOutput::pending(format!("report-{order}"))
}

/// Deletes an order.
#[tool(destructive, requires_approval)]
fn delete(order: u32, #[state] ledger: &Ledger) -> String {
    ledger.add(format!("delete {order}"));
    "x".repeat(500)
}

fn builder(ledger: &Ledger) -> RegistryBuilder {
    Registry::builder().tools(tools![charge, count, report, delete]).state(ledger.clone())
}

fn bound(builder: RegistryBuilder) -> Registry {
    builder.build().expect("four tools").with(&RunContext::new().run_id("order-7"))
}

async fn run(session: &mut Session, registry: &Registry, model: &ScriptedModel) -> RunEnd {
    let run = session.run(registry).hand_out_calls();
    run.complete(|request| model.complete(request)).await.expect("it ends")
}

/// The call after it was in a queue.
fn queued(call: &HandedOutCall) -> HandedOutCall {
    let queued = serde_json::to_string(call).expect("it serializes");
    serde_json::from_str(&queued).expect("it is a call")
}

/// The ids of the calls that are handed out.
fn handed_out(session: &Session) -> Vec<String> {
    session.handed_out().into_iter().map(|call| call.id).collect()
}

/// Runs all calls that are handed out in a worker, and stores the session in between.
async fn work(session: &mut Session, registry: &Registry) {
    for call in session.handed_out() {
        let end = json!(registry.run_handed_out(&queued(&call)).await);
        let end: CallEnd = serde_json::from_value(end).expect("the end of a call");
        session.finish_handed_out(registry, &call.id, end).expect("it was handed out");
        *session = stored(session);
    }
}

#[tokio::test]
async fn a_call_has_its_key_in_a_worker_and_its_result_here() {
    let (here, there) = (Ledger::default(), Ledger::default());
    let (registry, worker) = (bound(builder(&here)), builder(&there).build().expect("four tools"));
    let model = model([calling([call("a", "charge", 7), call("b", "count", 0)]), text_reply("Done.")]);
    let mut session = asked();
    let mut events: Vec<Value> = Vec::new();
    let run = session.run(&registry).hand_out_calls().on_event(|event| events.push(json!(event)));
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("it ends"), RunEnd::NeedsResult);
    let mut session = stored(&session);
    let calls = session.handed_out();
    let [charge, _] = &calls[..] else { panic!("two calls: {calls:?}") };
    assert_eq!((charge.key.to_string().as_str(), &*charge.tool), ("order-7/0/0", "charge"));
    assert_eq!((&*charge.arguments, charge.annotations.may_repeat()), (r#"{"order":7}"#, false));
    assert_eq!(charge.policy.timeout, Some(Duration::from_secs(30)));
    assert!(!format!("{charge:?}").contains("order\":7"), "the arguments may have secrets");
    assert_eq!(session.awaiting_result().len(), 2);

    work(&mut session, &worker).await;
    let run = session.run(&registry).hand_out_calls().on_event(|event| events.push(json!(event)));
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("it ends"), RunEnd::Answered);
    assert_eq!(results(&session), ["order 7 is charged", "0"]);
    assert_eq!(
        (here.entries().len(), there.entries()),
        (0, vec!["charge 7 order-7/0/0".into(), "count".into()])
    );
    let of_call = events.iter().filter(|event| event["type"] == "call" && event["id"] == "a");
    let of_call: Vec<_> =
        of_call.map(|event| (&event["status"], &event["cause"], &event["arguments"])).collect();
    let arguments = json!(r#"{"order":7}"#);
    let expected = [(json!("started"), Value::Null), (json!("finished"), json!("ran"))];
    let expected: Vec<_> = expected.iter().map(|(status, cause)| (status, cause, &arguments)).collect();
    assert_eq!(of_call, expected, "as for a call of this process");
}

#[tokio::test]
async fn the_stages_before_the_run_are_here_and_those_around_it_in_the_worker() {
    let (here, there) = (Ledger::default(), Ledger::default());
    let hook = builder(&here).before_call(|call| {
        let decision = match (call.tool(), call.arguments().contains('9')) {
            ("charge", true) => Decision::Deny("not this one".to_owned()),
            ("charge", false) => Decision::RunWith(json!({"order": 70})),
            _ => Decision::Undecided,
        };
        async { decision }
    });
    let registry = bound(hook.around_call(|_: ReadyCall| async { ToolResult::error("not here") }));
    let worker = builder(&there).before_call(|_| async { Decision::Deny("not again".to_owned()) });
    let worker =
        worker.around_call(|call: ReadyCall| async move { call.run().await.map_text(str::to_uppercase) });
    let worker = worker.max_result_bytes(100).build().expect("four tools");
    let calls = [call("a", "charge", 7), call("b", "charge", 9), ToolCall::new("c", "charge", "{}")];
    let calls = calls.into_iter().chain([call("d", "delete", 7), call("e", "chrage", 7)]);
    let model = model([calling(calls), text_reply("Done.")]);
    let mut session = asked();
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::NeedsApproval);
    assert_eq!(handed_out(&session), ["a"], "denied, invalid and unknown calls do not leave");
    session.approve("d").expect("it waits");
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::NeedsResult);
    assert_eq!(handed_out(&session), ["a", "d"]);
    work(&mut session, &worker).await;
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::Answered);
    assert_eq!(there.entries(), ["charge 70 order-7/0/0", "delete 7"]);
    let results = results(&session);
    assert_eq!((&*results[0], &*results[1]), ("ORDER 70 IS CHARGED", "Error: not this one"));
    let kept = "X".repeat(35);
    assert_eq!(results[3], format!("{kept}\n[... 430 bytes left out ...]\n{kept}"), "100 bytes");
    let text = json!(session.messages()).to_string();
    assert!(!text.contains("70}"), "the history has the arguments of the model: {text}");
}

#[tokio::test]
async fn calls_count_once_and_take_their_turns() {
    let (here, there) = (Ledger::default(), Ledger::default());
    let registry = bound(builder(&here).ordered_effects(true));
    let worker = builder(&there).build().expect("four tools");
    let calls = ["a", "b", "c"].map(|id| call(id, "charge", 7));
    let model = model([calling(calls), text_reply("Done.")]);
    let mut session = asked();
    for id in ["a", "b"] {
        assert_eq!(run(&mut session, &registry, &model).await, RunEnd::NeedsResult);
        assert_eq!(handed_out(&session), [id], "each waits for the one before it");
        assert_eq!(run(&mut session, &registry, &model).await, RunEnd::NeedsResult, "nothing has changed");
        work(&mut session, &worker).await;
    }
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::Answered);
    assert_eq!(there.entries(), ["charge 7 order-7/0/0", "charge 7 order-7/0/1"]);
    assert!(results(&session)[2].contains("may be called only 2 times"), "{:?}", results(&session));
}

#[tokio::test]
async fn a_call_that_is_handed_out_counts_once_if_its_result_is_replayed() {
    let ledger = Ledger::default();
    let registry = bound(builder(&ledger));
    let replies = ["a", "b", "c"].map(|id| calling([call(id, "charge", 7)]));
    let model = model(replies.into_iter().chain([text_reply("Done.")]).collect::<Vec<_>>());
    let mut session = asked();
    for id in ["a", "b"] {
        assert_eq!(run(&mut session, &registry, &model).await, RunEnd::NeedsResult);
        session.replay_result(&registry, id, "charged").expect("it was handed out");
    }
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::Answered);
    assert!(results(&session)[2].contains("may be called only 2 times"), "{:?}", results(&session));
}

#[tokio::test]
async fn each_end_of_a_call_comes_back() {
    let ledger = Ledger::default();
    let registry = bound(builder(&ledger).max_result_bytes(100));
    let calls =
        [call("a", "charge", 7), call("b", "report", 7), call("c", "count", 7), call("d", "charge", 8)];
    let model = model([calling(calls), text_reply("Done.")]);
    let mut session = asked();
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::NeedsResult);
    let error =
        session.finish_handed_out(&registry, "x", ToolResult::ok("?")).expect_err("there is no such call");
    assert!(matches!(error, NotPendingError::UnknownId { .. }));
    let report = registry.run_handed_out(&session.handed_out()[1]).await;
    assert!(matches!(&report, CallEnd::NeedsResult { ticket: Some(ticket), .. } if ticket == "report-7"));

    session.finish_handed_out(&registry, "a", ToolFailure::interrupted("charge")).expect("it was handed out");
    session.finish_handed_out(&registry, "b", report).expect("it was handed out");
    session.finish_handed_out(&registry, "c", CallEnd::Interrupted).expect("it was handed out");
    session.finish_handed_out(&registry, "d", CallEnd::NotBegun).expect("it was handed out");
    assert_eq!(handed_out(&session), ["d"], "it has not begun");
    session.finish_handed_out(&registry, "d", CallEnd::Interrupted).expect("it was handed out");
    for id in ["a", "d"] {
        let error =
            session.finish_handed_out(&registry, id, ToolResult::ok("again")).expect_err("it has a result");
        assert!(matches!(error, NotPendingError::HasResult { .. }));
    }
    let error =
        session.finish_handed_out(&registry, "b", ToolResult::ok("again")).expect_err("it is not there");
    let expected = "the call `b` was not handed out: set its result with `provide_result`";
    assert_eq!(error.to_string(), expected);
    assert_eq!(session.awaiting_result()[0].ticket.as_deref(), Some("report-7"));

    let mut causes = Vec::new();
    let run =
        session.run(&registry).hand_out_calls().on_event(|event| causes.push(json!(event)["cause"].clone()));
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("it ends"), RunEnd::NeedsResult);
    assert_eq!(causes.iter().filter(|cause| *cause == "interrupted").count(), 2);
    assert_eq!(handed_out(&session), ["c"], "a call without effect leaves again");
    session.provide_result("b", "x".repeat(200)).expect("it waits");
    session.finish_handed_out(&registry, "c", "y".repeat(200)).expect("it was handed out");
    let results = results(&session);
    let interrupted = "Error: `charge` was interrupted. It may have taken effect: check whether it did.";
    assert_eq!((&*results[0], &*results[3]), (interrupted, interrupted));
    assert!(
        results[2].len() <= 200 && results[2].contains("bytes"),
        "truncated by the registry: {}",
        results[2]
    );
}

#[tokio::test]
async fn a_user_who_does_not_wait_ends_a_call_that_may_have_taken_effect() {
    let ledger = Ledger::default();
    let registry = bound(builder(&ledger));
    let calls = [call("a", "charge", 7), call("b", "count", 0)];
    let model = model([calling(calls), text_reply("Done.")]);
    let mut session = asked();
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::NeedsResult);
    let approved = session.approve("a").expect_err("its result is awaited");
    assert!(matches!(approved, NotPendingError::NeedsResult { .. }));
    session.push_user("Stop.");
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::Answered);
    let interrupted = "Error: `charge` was interrupted. It may have taken effect: check whether it did. It did not run again: \
                       skipped by user";
    assert_eq!(results(&session), [interrupted, "Error: skipped by user"]);
    let late = session.finish_handed_out(&registry, "a", ToolResult::ok("late"));
    assert!(matches!(late, Err(NotPendingError::UnknownId { .. })), "a late result concerns no other call");
}

#[tokio::test]
async fn calls_of_a_streamed_reply_leave_at_its_end() {
    let ledger = Ledger::default();
    let registry = bound(builder(&ledger));
    let model = model([calling([call("a", "count", 0), call("b", "charge", 7)]), text_reply("Done.")]);
    let mut session = asked();
    let run = session.run(&registry).hand_out_calls();
    let end = run.stream(|request| model.stream(request)).await.expect("it ends");
    assert_eq!((end, ledger.entries().len()), (RunEnd::NeedsResult, 0));
    assert_eq!(handed_out(&session), ["a", "b"]);
}

#[tokio::test]
async fn without_a_run_id_a_call_fails_and_does_not_run() {
    let (registry, ledger) = shop();
    let model = model([calling([call("a", "ship", 7)]), text_reply("Done.")]);
    let mut session = asked();
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::Answered);
    assert_eq!(results(&session), ["Error: the tool `ship` is not available now."]);
    assert_eq!(ledger.entries().len(), 0);
}

#[tokio::test]
async fn the_call_in_a_call_of_call_tool_leaves() {
    let (here, there) = (Ledger::default(), Ledger::default());
    let registry = bound(builder(&here).search(Search::new()));
    let arguments = json!({"name": "charge", "arguments": {"order": 7}}).to_string();
    let model = model([calling([ToolCall::new("a", "call_tool", arguments)]), text_reply("Done.")]);
    let mut session = asked();
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::NeedsResult);
    let call = &session.handed_out()[0];
    assert_eq!((&*call.tool, &*call.arguments), ("charge", r#"{"order":7}"#));
    work(&mut session, &builder(&there).build().expect("four tools")).await;
    assert_eq!(run(&mut session, &registry, &model).await, RunEnd::Answered);
    assert_eq!((results(&session), there.entries().len()), (vec!["order 7 is charged".to_owned()], 1));
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_is_stopped_reports_it_and_its_limits_apply() {
    let (worker, ledger) = shop();
    let key = RunContext::new().run_id("order-7").key(3, 2).expect("a run id");
    let call = HandedOutCall::new(key, "a", "ship", r#"{"order":7}"#);
    let token = CancellationToken::new();
    let stopped = worker.with(&RunContext::new().cancellation(token.clone()));
    let (end, ()) = tokio::join!(stopped.run_handed_out(&call), async {
        sleep(Duration::from_secs(1)).await;
        token.cancel();
    });
    assert!(matches!(end, CallEnd::Interrupted), "{end:?}");
    assert_eq!(ledger.entries(), ["ship 7"]);
    let end = stopped.run_handed_out(&call).await;
    assert!(matches!(end, CallEnd::NotBegun), "{end:?}");
    assert_eq!(ledger.entries().len(), 1);

    let limited = Registry::builder().tools(tools![super::ship]).state(ledger.clone());
    let limited = limited.timeout(Duration::from_secs(5)).build().expect("one tool");
    let end = limited.run_handed_out(&call).await;
    assert!(matches!(&end, CallEnd::Finished(result) if result.error_kind() == Some("timeout")), "{end:?}");
    let unknown = HandedOutCall::new(call.key.clone(), "a", "shop", "{}");
    let end = limited.run_handed_out(&unknown).await;
    assert!(
        matches!(&end, CallEnd::Finished(result) if result.error_kind() == Some("unknown_tool")),
        "{end:?}"
    );
}

#[tokio::test]
async fn pending_calls_of_a_program_with_its_own_loop_leave_as_well() {
    let ledger = Ledger::default();
    let registry = bound(builder(&ledger));
    let reply = AssistantMessage::from_tool_calls([call("a", "charge", 7), call("b", "count", 0)]);
    let Received::ToolCalls(mut pending) = Conversation::new().user("Go.").receive(reply) else {
        panic!("two calls")
    };
    pending.hand_out(&registry).await;
    let stored = serde_json::to_string(&pending).expect("it is stored");
    let mut pending: PendingCalls = serde_json::from_str(&stored).expect("it is loaded");
    for call in pending.handed_out() {
        let end = registry.run_handed_out(&call).await;
        pending.finish_handed_out(&registry, &call.id, end).expect("it was handed out");
    }
    let chat = pending.into_conversation().expect("each call has its result");
    assert_eq!(chat.messages()[2].text(), "order 7 is charged");
    assert_eq!(ledger.entries(), ["charge 7 order-7/0/0", "count"]);
}
