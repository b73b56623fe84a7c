//! A tool that runs again: its calls do not run again, and must be the same.

use super::{Effects, Scripted, awaiting, inner, registry, registry_over, result, stored};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tool_runtime::conversation::{InnerCallError, InnerCallFuture};
use tool_runtime::dispatch::{CancellationToken, ReadyCall};
use tool_runtime::session::RunEnd;
use tool_runtime::{BuildError, CallContext, Registry, RunContext, Session, tool, tools};

/// The registry of the inner tools, and the calls of each run of the tool.
struct Runs {
    inner: Registry,
    calls: [Vec<Value>; 2],
    number: AtomicUsize,
}

/// Makes the calls of its run, together, and returns their texts and errors.
#[tool(resumable)]
async fn change_calls(#[state] runs: &Runs, #[context] call: &CallContext) -> Vec<String> {
    let number = runs.number.fetch_add(1, Ordering::Relaxed).min(1);
    let made = runs.calls[number].iter().map(|made| {
        let tool = made["tool"].as_str().expect("a name");
        call.inner_call(&runs.inner, tool, &made["arguments"])
    });
    let results = futures_util::future::join_all(made).await;
    results
        .into_iter()
        .map(|result| result.map_or_else(|error| error.to_string(), |result| super::text(&result)))
        .collect()
}

/// The effects, and the result of a tool whose second run makes these calls in place of those of the first run.
async fn second_run(first: Vec<Value>, second: Vec<Value>) -> Result<(Vec<String>, String), BuildError> {
    let effects = Effects::default();
    let inner =
        Registry::builder().tools(tools![super::refund, super::charge]).state(effects.clone()).build()?;
    let runs = Runs { inner, calls: [first, second], number: AtomicUsize::new(0) };
    let registry = Registry::builder().tools(tools![change_calls]).state(runs).build()?;
    let mut script = Scripted::new("change_calls", []);
    "{}".clone_into(&mut script.calls[0].arguments);
    let mut session = Session::new().user("Go.");
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::NeedsApproval);
    for id in awaiting(&session) {
        session.approve(&id).expect("it waits");
    }
    let mut session = stored(&session);
    let end = script.run(&mut session, &registry).await;
    Ok((effects.all(), if end == RunEnd::Answered { result(&session).to_owned() } else { end.to_string() }))
}

#[tokio::test]
async fn after_another_call_nothing_new_runs() -> Result<(), BuildError> {
    let first = vec![inner("charge", 1), inner("refund", 2)];
    let other_arguments = vec![inner("charge", 1), inner("refund", 3), inner("charge", 4)];
    let (effects, result) = second_run(first.clone(), other_arguments).await?;
    assert_eq!(effects, ["charge 1"]);
    let texts: Vec<String> = serde_json::from_str(&result).expect("a list");
    assert!(texts[1].starts_with("call 1 of `refund` was not run: it had other arguments"), "{}", texts[1]);
    assert!(texts[2].starts_with("call 2 of `charge` was not run"), "{}", texts[2]);

    let other_tool = vec![inner("charge", 1), inner("charge", 2)];
    let (effects, result) = second_run(first, other_tool).await?;
    assert_eq!(effects, ["charge 1"]);
    assert!(result.contains("it was a call of `refund` in the earlier run"), "{result}");
    Ok(())
}

#[tokio::test]
async fn a_second_run_may_make_fewer_calls() -> Result<(), BuildError> {
    let (effects, result) =
        second_run(vec![inner("charge", 1), inner("refund", 2)], vec![inner("charge", 1)]).await?;
    assert_eq!(effects, ["charge 1"]);
    assert_eq!(result, r#"["charged 1"]"#);
    Ok(())
}

#[tokio::test]
async fn a_cancelled_tool_continues_without_repeating_its_calls() -> Result<(), BuildError> {
    let effects = Effects::default();
    let token = CancellationToken::new();
    let cancel = token.clone();
    let registry = registry_over(&effects, |inner| {
        inner.around_call(move |call: ReadyCall| {
            let cancel = cancel.clone();
            async move {
                let result = call.run().await;
                if call.arguments() == r#"{"order":2}"# && !cancel.is_cancelled() {
                    // The effect of the call has happened, and its result is lost.
                    cancel.cancel();
                    std::future::pending::<()>().await;
                }
                result
            }
        })
    })?;
    let script = Scripted::new("make_calls", (1..=3).map(|order| inner("charge", order)));
    let mut session = Session::new().user("Go.");
    let bound = registry.with(&RunContext::new().cancellation(token));
    assert_eq!(script.run(&mut session, &bound).await, RunEnd::Cancelled);
    assert_eq!(effects.all(), ["charge 1", "charge 2"]);
    let mut session = stored(&session);
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!(effects.all(), ["charge 1", "charge 2", "charge 3"], "{}", result(&session));
    let text = "`charge` was interrupted. It may have taken effect: check whether it did.";
    assert_eq!(result(&session), json!(["charged 1", text, "charged 3"]).to_string());
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_dropped_run_continues_without_repeating_its_calls() -> Result<(), BuildError> {
    let effects = Effects::default();
    let registry = registry_over(&effects, |inner| {
        inner.around_call(move |call: ReadyCall| async move {
            if call.arguments() == r#"{"order":3}"# {
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            call.run().await
        })
    })?;
    let script = Scripted::new("make_calls", (1..=3).map(|order| inner("charge", order)));
    let mut session = Session::new().user("Go.");
    let run = tokio::time::timeout(Duration::from_millis(20), script.run(&mut session, &registry));
    assert!(run.await.is_err(), "the run is dropped while the last call waits");
    assert_eq!(effects.all(), ["charge 1", "charge 2"]);
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!(effects.all(), ["charge 1", "charge 2", "charge 3"]);
    Ok(())
}

#[tokio::test]
async fn a_claimed_session_does_not_repeat_the_tool_without_a_log() -> Result<(), BuildError> {
    let effects = Effects::default();
    let registry = registry(&effects)?;
    let script = Scripted::new("make_calls", [inner("charge", 1), inner("refund", 2)]);
    let mut session = Session::new().user("Go.");
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::NeedsApproval);
    session.approve("call_1/1").expect("it waits");
    // The process ends before the run does: nobody knows which calls have begun.
    let mut crashed = stored(&session.claim());
    assert_eq!(script.run(&mut crashed, &registry).await, RunEnd::Answered);
    assert_eq!(effects.all(), ["charge 1"]);
    assert!(result(&crashed).contains("It may have taken effect"), "{}", result(&crashed));
    Ok(())
}

#[tokio::test]
async fn a_retry_of_the_tool_repeats_no_call() -> Result<(), BuildError> {
    let effects = Effects::default();
    let registry = super::builder_over(&effects, |inner| inner)?;
    let registry = registry.around_call(|call: ReadyCall| async move {
        let _ = call.run().await;
        call.run().await
    });
    let script = Scripted::new("make_calls", [inner("charge", 1), inner("charge", 2)]);
    let mut session = Session::new().user("Go.");
    assert_eq!(script.run(&mut session, &registry.build()?).await, RunEnd::Answered);
    assert_eq!(effects.all(), ["charge 1", "charge 2"]);
    Ok(())
}

/// A call that the tool makes, and that is awaited after the end of the tool.
struct Late(Mutex<Option<InnerCallFuture>>);

/// Makes a call, and does not await it.
#[tool(resumable)]
async fn leave(#[state] inner: &super::Inner, #[state] late: &Late, #[context] call: &CallContext) {
    let made = call.inner_call(&inner.0, "charge", json!({ "order": 1 }));
    *late.0.lock().expect("no test panics with the lock") = Some(made);
}

#[tokio::test]
async fn no_call_starts_after_the_end_of_the_tool() -> Result<(), BuildError> {
    let effects = Effects::default();
    let late = Arc::new(Late(Mutex::new(None)));
    let registry = super::builder_over(&effects, |inner| inner)?
        .tools(tools![leave])
        .state(Arc::clone(&late))
        .build()?;
    let mut script = Scripted::new("leave", []);
    "{}".clone_into(&mut script.calls[0].arguments);
    let mut session = Session::new().user("Go.");
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::Answered);
    let made = late.0.lock().expect("no test panics with the lock").take().expect("a call");
    let error = made.await.expect_err("the call of the tool has ended");
    assert!(matches!(error, InnerCallError::Waits { .. }));
    assert!(effects.all().is_empty());
    Ok(())
}
