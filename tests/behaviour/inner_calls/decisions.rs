//! Decisions that must reach no other call, and runs that must not forget the calls of a tool.

use super::{Effects, Scripted, awaiting, inner, registry, result, stored};
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tool_runtime::conversation::{Conversation, Received};
use tool_runtime::dispatch::CancellationToken;
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::{AssistantMessage, BuildError, Registry, RunContext, Session, ToolCall, tool, tools};

fn make_calls(id: &str, calls: &[serde_json::Value]) -> ToolCall {
    ToolCall::new(id, "make_calls", json!({ "calls": calls }).to_string())
}

#[tokio::test]
async fn a_dispatch_after_a_run_continues_the_tool() -> Result<(), BuildError> {
    let effects = Effects::default();
    let registry = registry(&effects)?;
    let calls = [inner("charge", 1), inner("refund", 2), inner("refund", 3)];
    let reply = AssistantMessage::from_tool_calls([make_calls("call_1", &calls)]);
    let Received::ToolCalls(mut pending) = Conversation::new().user("Go.").receive(reply) else {
        unreachable!()
    };
    pending.run(&registry).await;
    pending.approve("call_1/1").expect("it waits");
    let chat = pending.dispatch(&registry).await;
    assert_eq!(effects.all(), ["charge 1", "refund 2 "]);
    let texts =
        json!(["charged 1", r#"{"refunded":2}"#, "the tool `refund` needs approval, which was not given."]);
    assert_eq!(chat.messages()[2].text(), texts.to_string());
    Ok(())
}

#[tokio::test]
async fn a_call_that_continues_is_not_handed_out() -> Result<(), BuildError> {
    let effects = Effects::default();
    let registry = registry(&effects)?.with(&RunContext::new().run_id("s"));
    let script = Scripted::new("make_calls", [inner("charge", 1), inner("refund", 2)]);
    let mut session = Session::new().user("Go.");
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::NeedsApproval);
    session.approve("call_1/1").expect("it waits");
    let run = session.run(&registry).hand_out_calls().complete(|request| script.complete(request));
    assert_eq!(run.await.expect("no error"), RunEnd::Answered);
    assert_eq!(effects.all(), ["charge 1", "refund 2 s/0/0/0/1"]);
    Ok(())
}

/// Like the tool of this name, of a new version of the program.
#[tool(name = "make_calls")]
async fn make_calls_of_a_new_version(
    calls: Vec<super::InnerCall>,
    #[state] inner: &super::Inner,
    #[context] call: &tool_runtime::CallContext,
) -> Result<Vec<String>, tool_runtime::conversation::InnerCallError> {
    super::made(calls, inner, call).await
}

#[tokio::test]
async fn a_tool_that_is_not_resumable_any_more_is_interrupted() -> Result<(), BuildError> {
    let effects = Effects::default();
    let script = Scripted::new("make_calls", [inner("charge", 1), inner("refund", 2)]);
    let mut session = Session::new().user("Go.");
    assert_eq!(script.run(&mut session, &registry(&effects)?).await, RunEnd::NeedsApproval);
    let mut session = stored(&session);
    let tools =
        Registry::builder().tools(tools![super::refund, super::charge]).state(effects.clone()).build()?;
    let changed =
        Registry::builder().tools(tools![make_calls_of_a_new_version]).state(super::Inner(tools)).build()?;
    assert_eq!(script.run(&mut session, &changed).await, RunEnd::Answered);
    assert_eq!(effects.all(), ["charge 1"]);
    let text = result(&session);
    assert!(text.contains("It may have taken effect"), "{text}");
    assert!(text.ends_with("\n- charge({\"order\":1}): ok"), "{text}");
    Ok(())
}

#[tokio::test]
async fn a_call_of_the_model_never_has_the_id_of_an_inner_call() -> Result<(), BuildError> {
    let effects = Effects::default();
    let registry = registry(&effects)?;
    let mut session = Session::new().user("Go.");
    let end = session.run(&registry).complete(|request| async move {
        let call = match request.messages().len() {
            1 => make_calls("call_1", &[inner("refund", 1)]),
            _ => make_calls("call_1/0", &[inner("refund", 666)]),
        };
        Ok::<_, std::io::Error>(AssistantMessage::from_tool_calls([call]))
    });
    assert_eq!(end.await.expect("no error"), RunEnd::NeedsApproval);
    assert_eq!(awaiting(&session), ["call_1/0"]);
    session.push_user("Something else.");
    let end = session.run(&registry).complete(|_| async move {
        let calls = [make_calls("call_1/0", &[inner("refund", 666)])];
        Ok::<_, std::io::Error>(AssistantMessage::from_tool_calls(calls))
    });
    assert_eq!(end.await.expect("no error"), RunEnd::NeedsApproval);
    session.approve("call_1/0").expect_err("the person has seen the earlier call");
    assert!(effects.all().is_empty());
    Ok(())
}

#[tokio::test]
async fn no_inner_call_begins_after_a_cancellation() -> Result<(), BuildError> {
    let effects = Effects::default();
    let token = CancellationToken::new();
    let cancel = token.clone();
    let registry = super::registry_over(&effects, |builder| {
        builder.around_call(move |call: tool_runtime::dispatch::ReadyCall| {
            let cancel = cancel.clone();
            async move {
                if call.arguments() == r#"{"order":2}"# {
                    cancel.cancel();
                }
                call.run().await
            }
        })
    })?;
    let context = RunContext::new().cancellation(token).finish_effects(Duration::from_secs(60));
    let script = Scripted::new("make_calls", (1..=4).map(|order| inner("charge", order)));
    let mut session = Session::new().user("Go.");
    assert_eq!(script.run(&mut session, &registry.with(&context)).await, RunEnd::Cancelled);
    assert_eq!(effects.all(), ["charge 1", "charge 2"]);
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!(effects.all(), ["charge 1", "charge 2", "charge 3", "charge 4"]);
    Ok(())
}

#[tokio::test]
async fn a_denied_tool_ends_its_calls_with_their_last_events() -> Result<(), BuildError> {
    let effects = Effects::default();
    let registry = registry(&effects)?;
    let script = Scripted::new("make_calls", [inner("charge", 1), inner("refund", 2)]);
    let ended = Arc::new(Mutex::new(Vec::new()));
    let record = |event: &Event| {
        let event = json!(event);
        if event["type"] == "call" && event["status"] == "finished" {
            ended
                .lock()
                .expect("no panic")
                .push(format!("{} {}", event["id"], event["cause"]).replace('"', ""));
        }
    };
    let mut session = Session::new().user("Go.");
    let run = session.run(&registry).on_event(record).complete(|request| script.complete(request));
    assert_eq!(run.await.expect("no error"), RunEnd::NeedsApproval);
    session.deny("call_1", "stop").expect("it waits for its calls");
    let run = session.run(&registry).on_event(record).complete(|request| script.complete(request));
    assert_eq!(run.await.expect("no error"), RunEnd::Answered);
    assert_eq!(*ended.lock().expect("no panic"), ["call_1/0 ran", "call_1/1 skipped", "call_1 interrupted"]);
    assert!(result(&session).contains("It may have taken effect"), "{}", result(&session));
    Ok(())
}

/// Makes calls.
#[tool(name = "make_calls", resumable)]
fn make_no_calls(calls: Vec<serde_json::Value>) -> Result<(), &'static str> {
    let _ = calls;
    Err("there is no connection")
}

#[tokio::test]
async fn a_tool_that_fails_before_it_repeats_its_calls_reports_them() -> Result<(), BuildError> {
    let effects = Effects::default();
    let calls = [inner("charge", 1), inner("charge", 13), inner("refund", 2)];
    let script = Scripted::new("make_calls", calls);
    let mut session = Session::new().user("Go.");
    assert_eq!(script.run(&mut session, &registry(&effects)?).await, RunEnd::NeedsApproval);
    let error = session.approve("call_1/7").expect_err("there is no such call").to_string();
    assert_eq!(error, "no pending call has the id `call_1/7`: the pending calls are `call_1`, `call_1/2`");
    session.approve("call_1/2").expect("it waits");
    let mut session = stored(&session);
    let later = Registry::new(tools![make_no_calls])?;
    assert_eq!(script.run(&mut session, &later).await, RunEnd::Answered);
    let expected = "Error: there is no connection
The tool had made these calls, so do not repeat those that took effect:
- charge({\"order\":1}): ok
- charge({\"order\":13}): Error: the card was declined";
    assert_eq!(result(&session), expected);
    Ok(())
}

/// Makes the first call of the list, and no other one.
#[tool(name = "make_calls", resumable)]
async fn make_first_call(
    calls: Vec<super::InnerCall>,
    #[state] inner: &super::Inner,
    #[context] call: &tool_runtime::CallContext,
) -> Result<(), String> {
    let first = calls.into_iter().next().ok_or("there is no call")?;
    let made = call.inner_call(&inner.0, first.tool, first.arguments).await;
    Err(format!(
        "there is no connection ({})",
        made.map_or_else(|error| error.to_string(), |_| "made".into())
    ))
}

/// Makes another call than those of the list.
#[tool(name = "make_calls", resumable)]
async fn make_other_call(
    calls: Vec<super::InnerCall>,
    #[state] inner: &super::Inner,
    #[context] call: &tool_runtime::CallContext,
) -> Result<(), tool_runtime::conversation::InnerCallError> {
    let _ = calls;
    call.inner_call(&inner.0, "charge", serde_json::json!({ "order": 99 })).await.map(drop)
}

#[tokio::test]
async fn a_tool_that_repeats_some_of_its_calls_reports_all() -> Result<(), BuildError> {
    for (later, expected) in [
        (tools![make_first_call], "Error: there is no connection (made)"),
        (tools![make_other_call], "Error: call 0 of `charge` was not run: it had other arguments"),
    ] {
        let effects = Effects::default();
        let calls = [inner("charge", 1), inner("charge", 2), inner("export", 3)];
        let script = Scripted::new("make_calls", calls);
        let mut session = Session::new().user("Go.");
        assert_eq!(script.run(&mut session, &registry(&effects)?).await, RunEnd::NeedsResult);
        let mut session = stored(&session);
        let tools = Registry::builder().tools(tools![super::charge]).state(effects.clone()).build()?;
        let later = Registry::builder().tools(later).state(super::Inner(tools)).build()?;
        assert_eq!(script.run(&mut session, &later).await, RunEnd::Answered);
        let text = result(&session);
        assert!(text.starts_with(expected), "{text}");
        let calls = "
- charge({\"order\":1}): ok
- charge({\"order\":2}): ok
- export({\"order\":3}): it has no result yet";
        assert!(text.ends_with(calls), "{text}");
        assert_eq!(effects.all(), ["charge 1", "charge 2", "export 3"]);
    }
    Ok(())
}

#[tokio::test]
async fn the_calls_of_an_inner_tool_are_reported() -> Result<(), BuildError> {
    let effects = Effects::default();
    let nested = serde_json::json!({
        "tool": "make_calls",
        "arguments": { "calls": [inner("charge", 1), inner("refund", 2)] },
    });
    let script = Scripted::new("make_calls", [nested]);
    let outer = Registry::builder()
        .tools(tools![super::make_calls])
        .state(super::Inner(registry(&effects)?))
        .build()?;
    let mut session = Session::new().user("Go.");
    assert_eq!(script.run(&mut session, &outer).await, RunEnd::NeedsApproval);
    session.push_user("Stop.");
    let text = session.messages()[2].text();
    assert!(text.ends_with("\n- charge({\"order\":1}): ok"), "{text}");
    Ok(())
}

#[tokio::test]
async fn a_tool_that_a_hook_denies_later_reports_its_calls() -> Result<(), BuildError> {
    let effects = Effects::default();
    let script = Scripted::new("make_calls", [inner("charge", 1), inner("refund", 2)]);
    let mut session = Session::new().user("Go.");
    assert_eq!(script.run(&mut session, &registry(&effects)?).await, RunEnd::NeedsApproval);
    let deny = |_| async { tool_runtime::dispatch::Decision::Deny("not today".to_owned()) };
    let later = Registry::builder().tools(tools![make_no_calls]).before_call(deny).build()?;
    assert_eq!(script.run(&mut session, &later).await, RunEnd::Answered);
    let text = result(&session);
    assert!(text.starts_with("Error: not today\nThe tool had made these calls"), "{text}");
    assert!(text.ends_with("\n- charge({\"order\":1}): ok"), "{text}");
    Ok(())
}
