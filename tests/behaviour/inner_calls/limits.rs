//! Limits that inner calls and calls of the model share.

use super::{Effects, Scripted, inner, registry, registry_over, result, stored};
use serde_json::json;
use std::time::Duration;
use tool_runtime::session::{Budget, RunEnd};
use tool_runtime::{
    AssistantMessage, BuildError, Registry, RegistryBuilder, RunContext, Session, ToolCall, tool, tools,
};

/// Counts.
#[tool(max_calls = 3)]
fn count(order: u32) -> u32 {
    order
}

/// A registry of inner tools that has `count` as well, which the model can also call itself.
fn counting(effects: &Effects) -> Result<Registry, BuildError> {
    registry_over(effects, |inner| inner.tools(tools![count]))?.merge(Registry::new(tools![count])?)
}

fn script(calls: u32) -> Scripted {
    let mut script = Scripted::new("make_calls", (0..calls).map(|order| inner("count", order)));
    script.calls.push(ToolCall::new("call_0", "count", r#"{"order":7}"#));
    script
}

#[tokio::test]
async fn the_limit_of_a_tool_counts_inner_calls_and_calls_of_the_model() -> Result<(), BuildError> {
    let registry = counting(&Effects::default())?;
    let mut session = Session::new().user("Go.");
    assert_eq!(script(3).run(&mut session, &registry).await, RunEnd::Answered);
    let texts = [result(&session), session.messages()[3].text()].join("\n");
    assert_eq!(texts.matches("`count` may be called only 3 times").count(), 1, "{texts}");
    Ok(())
}

#[tokio::test]
async fn the_limit_of_a_run_counts_inner_calls_and_the_rest_waits_for_a_higher_limit()
-> Result<(), BuildError> {
    let effects = Effects::default();
    let registry = registry(&effects)?;
    let script = Scripted::new("make_calls", (1..=5).map(|order| inner("charge", order)));
    let mut session = Session::new().user("Go.");
    for (limit, charged) in [(3, 2), (4, 3), (4, 3)] {
        let run = session.run(&registry).max_calls(limit).complete(|request| script.complete(request));
        assert_eq!(run.await.expect("no error"), RunEnd::CallLimit);
        assert_eq!(effects.all().len(), charged);
        session = stored(&session);
    }
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!(effects.all(), ["charge 1", "charge 2", "charge 3", "charge 4", "charge 5"]);
    Ok(())
}

#[tokio::test]
async fn inner_calls_leave_fewer_calls_to_the_model() -> Result<(), BuildError> {
    let effects = Effects::default();
    let registry = registry(&effects)?;
    let call = |id: &str| {
        let arguments = json!({ "calls": [inner("charge", 1), inner("charge", 2)] });
        ToolCall::new(id, "make_calls", arguments.to_string())
    };
    let mut session = Session::new().user("Go.");
    let run = session.run(&registry).max_calls(4).complete(|request| async move {
        let replies = request.messages().len();
        Ok::<_, std::io::Error>(AssistantMessage::from_tool_calls([call(&format!("call_{replies}"))]))
    });
    assert_eq!(run.await.expect("no error"), RunEnd::CallLimit);
    assert_eq!(effects.all().len(), 2, "three calls have run: one of the model, and two of its tool");
    assert_eq!(session.pending().map(|pending| pending.calls().len()), Some(1));
    Ok(())
}

#[tokio::test]
async fn a_budget_counts_inner_calls_once() -> Result<(), BuildError> {
    let effects = Effects::default();
    let registry = registry(&effects)?;
    let budget = Budget::new();
    let script = Scripted::new("make_calls", [inner("charge", 1), inner("refund", 2), inner("charge", 3)]);
    let mut session = Session::new().user("Go.");
    let run = session.run(&registry).budget(&budget).complete(|request| script.complete(request));
    assert_eq!(run.await.expect("no error"), RunEnd::NeedsApproval);
    session.approve("call_1/1").expect("it waits");
    let run = session.run(&registry).budget(&budget).complete(|request| script.complete(request));
    assert_eq!(run.await.expect("no error"), RunEnd::Answered);
    assert_eq!(budget.spent().calls, 4, "one call of the model, and three of its tool");
    Ok(())
}

#[tokio::test]
async fn the_allowed_tools_of_a_run_limit_inner_calls() -> Result<(), BuildError> {
    let effects = Effects::default();
    let context = RunContext::new().allowed_tools(["make_calls", "charge"]);
    let registry = registry(&effects)?.with(&context);
    let script = Scripted::new("make_calls", [inner("charge", 1), inner("refund", 2)]);
    let mut session = Session::new().user("Go.");
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::Answered);
    let text = "the tool `refund` may not be called now. Available: `charge`.";
    assert_eq!(result(&session), json!(["charged 1", text]).to_string());
    Ok(())
}

#[tokio::test]
async fn a_reply_and_the_calls_of_a_tool_have_the_same_limit_of_their_number() -> Result<(), BuildError> {
    let effects = Effects::default();
    let registry = registry_over(&effects, |inner| inner.max_calls_per_reply(2))?;
    let script = Scripted::new("make_calls", (1..=3).map(|order| inner("charge", order)));
    let mut session = Session::new().user("Go.");
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!(effects.all(), ["charge 1", "charge 2"]);
    assert!(result(&session).contains("at most 2 calls"), "{}", result(&session));
    Ok(())
}

/// Sleeps.
#[tool]
async fn sleep(order: u32, #[state] effects: &Effects) -> u32 {
    effects.add(format!("begin {order}"));
    tokio::time::sleep(Duration::from_millis(50)).await;
    effects.add(format!("end {order}"));
    order
}

/// Sleeps, while no other call runs.
#[tool(exclusive)]
async fn sleep_alone(order: u32, #[state] effects: &Effects) -> u32 {
    sleep(order, effects).await
}

async fn sleeps(
    calls: impl IntoIterator<Item = serde_json::Value>,
    change: impl FnOnce(RegistryBuilder) -> RegistryBuilder,
) -> Result<Vec<String>, BuildError> {
    let effects = Effects::default();
    let registry = registry_over(&effects, |inner| change(inner.tools(tools![sleep, sleep_alone])))?;
    let mut session = Session::new().user("Go.");
    let script = Scripted::new("make_calls_together", calls);
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::Answered);
    Ok(effects.all())
}

#[tokio::test(start_paused = true)]
async fn inner_calls_wait_for_a_permit_of_their_registry() -> Result<(), BuildError> {
    let calls = || (1..=3).map(|order| inner("sleep", order));
    let together = sleeps(calls(), |inner| inner).await?;
    assert_eq!(together[..3], ["begin 1", "begin 2", "begin 3"]);
    let alone = sleeps(calls(), |inner| inner.max_concurrency(1)).await?;
    assert_eq!(alone, ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_exclusive_inner_call_runs_alone() -> Result<(), BuildError> {
    let calls = [inner("sleep", 1), inner("sleep_alone", 2), inner("sleep", 3), inner("sleep", 4)];
    let effects = sleeps(calls, |inner| inner).await?;
    assert_eq!(effects[..6], ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "begin 4"]);
    Ok(())
}

/// Calls `count` five times.
#[tool(idempotent)]
async fn count_five(
    #[state] inner: &super::Inner,
    #[context] call: &tool_runtime::CallContext,
) -> Result<usize, tool_runtime::conversation::InnerCallError> {
    let mut counted = 0;
    for order in 0..5 {
        let result = call.inner_call(&inner.0, "count_all", json!({ "order": order })).await?;
        counted += usize::from(result.failure().is_none());
    }
    Ok(counted)
}

/// Counts without a limit.
#[tool]
fn count_all(order: u32) -> u32 {
    order
}

#[tokio::test]
async fn the_limit_of_a_run_counts_calls_that_start_while_their_reply_is_received() -> Result<(), BuildError>
{
    let inner = super::Inner(Registry::new(tools![count_all])?);
    let registry = Registry::builder().tools(tools![count_five]).state(inner).build()?;
    for is_streamed in [false, true] {
        let calls = ["a", "b", "c"].map(|id| ToolCall::new(id, "count_five", "{}"));
        let replies = [AssistantMessage::from_tool_calls(calls), AssistantMessage::from_text("Done.")];
        let model = tool_runtime_testing::ScriptedModel::new(replies);
        let mut started = 0;
        let mut session = Session::new().user("Go.");
        let run = session.run(&registry).max_calls(4).on_event(|event| {
            let event = json!(event);
            started += usize::from(event["type"] == "call" && event["status"] == "started");
        });
        let end = if is_streamed {
            run.stream(|request| model.stream(request)).await.expect("no error")
        } else {
            run.complete(|request| model.complete(request)).await.expect("no error")
        };
        assert_eq!(started, 4, "streamed: {is_streamed}");
        // In a stream, the inner calls of the first call take the place of later calls, which wait for a higher limit.
        assert!(end == RunEnd::Answered || is_streamed && end == RunEnd::CallLimit, "{end}");
    }
    Ok(())
}
