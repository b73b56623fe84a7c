//! Inner calls that wait for a person or a result, also in another process.

use super::{Effects, Scripted, awaiting, builder_over, inner, registry, result, stored};
use serde_json::json;
use std::sync::{Arc, Mutex};
use tool_runtime::conversation::NotPendingError;
use tool_runtime::dispatch::{Decision, ProposedCall};
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::{BuildError, RunContext, Session};

#[tokio::test]
async fn an_inner_call_waits_for_a_person_and_continues_in_another_process() -> Result<(), BuildError> {
    let effects = Effects::default();
    let script = Scripted::new("make_calls", [inner("charge", 1), inner("refund", 2), inner("charge", 3)]);
    let mut session = Session::new().user("Go.");
    let context = RunContext::new().run_id("s");
    assert_eq!(script.run(&mut session, &registry(&effects)?.with(&context)).await, RunEnd::NeedsApproval);
    let waiting = &session.awaiting_approval()[0];
    assert_eq!((&*waiting.id, &*waiting.tool, &*waiting.arguments), ("call_1/1", "refund", r#"{"order":2}"#));
    assert_eq!(waiting.outer_call.as_deref(), Some("call_1"));
    assert_eq!(effects.all(), ["charge 1"]);

    // Another process, with a new registry.
    let mut session = stored(&session);
    session.approve("call_1/1").expect("it waits");
    let mut session = stored(&session);
    assert_eq!(script.run(&mut session, &registry(&effects)?.with(&context)).await, RunEnd::Answered);
    assert_eq!(effects.all(), ["charge 1", "refund 2 s/0/0/0/1", "charge 3"]);
    assert_eq!(result(&session), r#"["charged 1","{\"refunded\":2}","charged 3"]"#);
    Ok(())
}

#[tokio::test]
async fn a_run_without_a_decision_waits_again() -> Result<(), BuildError> {
    let effects = Effects::default();
    let script = Scripted::new("make_calls", [inner("charge", 1), inner("refund", 2)]);
    let (mut session, registry) = (Session::new().user("Go."), registry(&effects)?);
    for _ in 0..3 {
        assert_eq!(script.run(&mut session, &registry).await, RunEnd::NeedsApproval);
        session = stored(&session);
        assert_eq!(awaiting(&session), ["call_1/1"]);
    }
    assert_eq!(effects.all(), ["charge 1"]);
    Ok(())
}

#[tokio::test]
async fn each_decision_reaches_its_call() -> Result<(), BuildError> {
    let effects = Effects::default();
    let orders = [2, 3, 4, 5].map(|order| inner("refund", order));
    let script = Scripted::new("make_calls_together", orders.into_iter().chain([inner("charge", 6)]));
    let (mut session, registry) = (Session::new().user("Go."), registry(&effects)?);
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::NeedsApproval);
    assert_eq!(awaiting(&session), ["call_1/0", "call_1/1", "call_1/2", "call_1/3"]);
    assert_eq!(effects.all(), ["charge 6"]);
    session.approve("call_1/0").expect("it waits");
    session.approve_with("call_1/1", json!({ "order": 33 })).expect("it waits");
    session.deny("call_1/2", "too much").expect("it waits");
    session.provide_result("call_1/3", "refunded by hand").expect("it waits");
    let unknown = session.approve("call_1/9").expect_err("no such call");
    assert!(matches!(unknown, NotPendingError::UnknownId { .. }));
    assert!(matches!(session.deny("call_1/2", "twice"), Err(NotPendingError::HasResult { .. })));
    let mut session = stored(&session);
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!(effects.all(), ["charge 6", "refund 2 ", "refund 33 "]);
    let texts = r#"["{\"refunded\":2}","{\"refunded\":33}","too much","refunded by hand","charged 6"]"#;
    assert_eq!(result(&session), texts);
    Ok(())
}

#[tokio::test]
async fn an_edited_call_is_compared_with_the_call_of_the_tool() -> Result<(), BuildError> {
    let effects = Effects::default();
    let script = Scripted::new("make_calls", [inner("refund", 2), inner("refund", 3)]);
    let (mut session, registry) = (Session::new().user("Go."), registry(&effects)?);
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::NeedsApproval);
    session.approve_with("call_1/0", json!({ "order": 22 })).expect("it waits");
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::NeedsApproval);
    let mut session = stored(&session);
    session.approve("call_1/1").expect("it waits");
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!(effects.all(), ["refund 22 ", "refund 3 "]);
    Ok(())
}

#[tokio::test]
async fn a_result_that_comes_later_continues_the_tool() -> Result<(), BuildError> {
    let effects = Effects::default();
    let script = Scripted::new("make_calls", [inner("export", 1), inner("charge", 2)]);
    let (mut session, registry) = (Session::new().user("Go."), registry(&effects)?);
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::NeedsResult);
    let waiting = &session.pending().expect("calls").awaiting_result()[0];
    assert_eq!((&*waiting.id, waiting.ticket.as_deref()), ("call_1/0", Some("job 1")));
    let mut session = stored(&session);
    session.provide_result("call_1/0", "exported").expect("it waits");
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!(effects.all(), ["export 1", "charge 2"]);
    assert_eq!(result(&session), r#"["exported","charged 2"]"#);
    Ok(())
}

#[tokio::test]
async fn an_inner_call_of_a_tool_that_does_not_continue_fails() -> Result<(), BuildError> {
    let effects = Effects::default();
    let registry = registry(&effects)?;
    let script = Scripted::new("make_calls_once", [inner("refund", 2), inner("charge", 3)]);
    let mut session = Session::new().user("Go.");
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::Answered);
    let texts = r#"["the tool `refund` needs approval, which was not given.","charged 3"]"#;
    assert_eq!(result(&session), texts);
    // Without a session, no call waits either.
    let script = Scripted::new("make_calls", [inner("refund", 2)]);
    let messages = registry.dispatch(&script.calls).await;
    assert_eq!(messages[0].text(), r#"["the tool `refund` needs approval, which was not given."]"#);
    Ok(())
}

#[tokio::test]
async fn a_user_message_ends_the_calls_and_reports_that_the_tool_may_have_taken_effect()
-> Result<(), BuildError> {
    let effects = Effects::default();
    let script = Scripted::new("make_calls", [inner("charge", 1), inner("refund", 2)]);
    let (mut session, registry) = (Session::new().user("Go."), registry(&effects)?);
    let events = Arc::new(Mutex::new(Vec::new()));
    let record = |event: &Event| {
        let event = json!(event);
        if event["type"] == "call" && event["status"] == "finished" {
            let text = format!("{} {} {}", event["id"], event["outer_call"], event["cause"]);
            events.lock().expect("no panic").push(text.replace('"', ""));
        }
    };
    let run = session.run(&registry).on_event(record).complete(|request| script.complete(request));
    assert_eq!(run.await.expect("no error"), RunEnd::NeedsApproval);
    session.push_user("Stop.");
    let text = session.messages()[2].text();
    assert!(text.starts_with("Error: `make_calls` was interrupted. It may have taken effect"), "{text}");
    assert!(text.ends_with("\n- charge({\"order\":1}): ok"), "{text}");
    let run = session.run(&registry).on_event(record).complete(|request| script.complete(request));
    assert_eq!(run.await.expect("no error"), RunEnd::Answered);
    let events = events.lock().expect("no panic").clone();
    let expected = ["call_1/0 call_1 ran", "call_1/1 call_1 skipped", "call_1 null interrupted"];
    assert_eq!(events, expected);
    Ok(())
}

#[tokio::test]
async fn the_tool_itself_may_need_an_approval_which_lasts_until_it_has_ended() -> Result<(), BuildError> {
    let effects = Effects::default();
    let ask = |call: ProposedCall| async move {
        if call.is_approved() { Decision::Undecided } else { Decision::Ask }
    };
    let registry = builder_over(&effects, |inner| inner)?.before_call(ask).build()?;
    let script = Scripted::new("make_calls", [inner("charge", 1), inner("refund", 2)]);
    let mut session = Session::new().user("Go.");
    for waiting in ["call_1", "call_1/1"] {
        assert_eq!(script.run(&mut session, &registry).await, RunEnd::NeedsApproval);
        session = stored(&session);
        assert_eq!(awaiting(&session), [waiting]);
        session.approve(waiting).expect("it waits");
    }
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!(effects.all(), ["charge 1", "refund 2 "]);
    Ok(())
}
