//! Programs that wait for a person and continue, also in another process and after a crash.

use crate::setup::{Effects, Scripted, registry, shop, stored, with_id};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tool_runtime::conversation::InnerCallError;
use tool_runtime::dispatch::ReadyCall;
use tool_runtime::session::RunEnd;
use tool_runtime::{CallContext, Registry, Session, tool, tools};
use tool_runtime_code::{CodeTool, Worker};
use tool_runtime_durable::{DurableRun as _, FileJournal, Journal as _};

const REFUND_ALL: &str = "
const orders = await tools.list_orders({ customer: 1 });
const refunds = await Promise.all(orders.map(async ({ id }) => {
  try { return await tools.refund({ order: id, euros: 20 }) } catch (error) { return `${error.kind}: ${error.message}` }
}));
await tools.remind({ order: 10 });
return refunds;
";

fn result(session: &Session) -> String {
    session.messages()[2].text().to_owned()
}

#[tokio::test]
async fn a_program_waits_for_a_person_and_continues_in_another_process() {
    let effects = Effects::default();
    let script = Scripted::new(REFUND_ALL);
    let mut session = Session::new().user("Refund the orders of customer 1.");
    assert_eq!(
        script.run(&mut session, &registry(&effects).expect("valid tools")).await,
        RunEnd::NeedsApproval
    );
    let waiting: Vec<String> = session.awaiting_approval().iter().map(ToString::to_string).collect();
    let expected = [10, 11, 12].map(|order| format!("refund {{\"order\":{order},\"euros\":20}}"));
    assert_eq!(waiting, expected);
    assert!(effects.all().is_empty());

    let mut session = stored(&session);
    session.approve("call_1/1").expect("it waits");
    session.deny("call_1/2", "too late").expect("it waits");
    session.approve_with("call_1/3", json!({ "order": 12, "euros": 5 })).expect("it waits");
    let mut session = stored(&session);
    assert_eq!(script.run(&mut session, &registry(&effects).expect("valid tools")).await, RunEnd::Answered);
    assert_eq!(effects.all(), ["refund 10 20", "refund 12 5", "remind 10"]);
    let text = result(&session);
    let values = r#"[{"order":10,"refunded":20},"denied: too late",{"order":12,"refunded":5}]"#;
    assert!(text.starts_with(values), "{text}");
    assert!(
        text.ends_with("1 of 5 calls failed:\n- refund({\"order\":11,\"euros\":20}): denied: too late"),
        "{text}"
    );
}

#[tokio::test]
async fn one_decision_at_a_time_continues_the_program_without_repeating_calls() {
    let effects = Effects::default();
    let script = Scripted::new("
        for (const order of [1, 2, 3]) { await tools.remind({ order }); await tools.refund({ order, euros: order }) }
        return 'done'");
    let mut session = Session::new().user("Go.");
    for _ in 0..3 {
        let registry = registry(&effects).expect("valid tools");
        assert_eq!(script.run(&mut session, &registry).await, RunEnd::NeedsApproval);
        session = stored(&session);
        let waiting = session.awaiting_approval().remove(0).id;
        session.approve(&waiting).expect("it waits");
    }
    assert_eq!(script.run(&mut session, &registry(&effects).expect("valid tools")).await, RunEnd::Answered);
    assert_eq!(effects.all(), ["remind 1", "refund 1 1", "remind 2", "refund 2 2", "remind 3", "refund 3 3"]);
    assert_eq!(result(&session), "done");
}

/// Refunds in the currency that the user chooses.
#[tool(resumable)]
async fn refund_abroad(
    order: u32,
    #[state] effects: &Effects,
    #[context] call: &CallContext,
) -> Result<String, InnerCallError> {
    let schema = json!({ "type": "object", "properties": { "currency": { "type": "string" } } });
    let answer = call.ask(format!("Currency of order {order}?"), schema).await?.accepted();
    effects.add(format!("refund {order} {}", answer.unwrap_or_default()["currency"]));
    Ok("refunded".to_owned())
}

#[tokio::test]
async fn a_tool_that_a_program_calls_can_ask() {
    let effects = Effects::default();
    let inner = Registry::builder().tools(tools![refund_abroad]).state(effects.clone()).build();
    let code = CodeTool::new(inner.expect("a valid tool"));
    let registry = Registry::builder().dynamic(code.tool()).build().expect("a valid tool");
    let script = Scripted::new(
        "
        const ended = [];
        for (const order of [1, 2]) ended.push(await tools.refund_abroad({ order }));
        return ended",
    );
    let mut session = Session::new().user("Go.");
    for (id, text) in [("call_1/0/0", "Currency of order 1?"), ("call_1/1/0", "Currency of order 2?")] {
        assert_eq!(script.run(&mut session, &registry).await, RunEnd::NeedsInput);
        session = stored(&session);
        let [question] = &session.awaiting_input()[..] else { panic!("one question") };
        assert_eq!((&*question.id, &*question.text), (id, text));
        session.answer(id, json!({ "currency": "CHF" })).expect("it waits");
    }
    assert_eq!(script.run(&mut session, &registry).await, RunEnd::Answered);
    assert_eq!(effects.all(), [r#"refund 1 "CHF""#, r#"refund 2 "CHF""#]);
}

#[tokio::test]
async fn two_runs_after_one_decision_run_the_call_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = FileJournal::open(folder.path().join("journal")).expect("a journal");
    let effects = Effects::default();
    let slow = |call: ReadyCall| async move {
        tokio::time::sleep(Duration::from_millis(10)).await;
        call.run().await
    };
    let inner = shop(&effects).around_call(slow).build().expect("valid tools");
    let registry = Registry::builder().dynamic(CodeTool::new(inner).tool()).build().expect("a valid tool");
    let registry = with_id(&registry, "session-7");
    let script = Scripted::new("return await tools.refund({ order: 1, euros: 20 })");
    let mut session = Session::new().user("Go.");
    let run = session.run(&registry).journal(&journal).complete(|request| script.complete(&request));
    assert_eq!(run.await.expect("no error"), RunEnd::NeedsApproval);
    session.approve("call_1/0").expect("it waits");
    // Two processes have loaded the session, and run it.
    let (mut first, mut second) = (stored(&session), stored(&session));
    let runs = tokio::join!(
        first.run(&registry).journal(&journal).complete(|request| script.complete(&request)),
        second.run(&registry).journal(&journal).complete(|request| script.complete(&request)),
    );
    assert_eq!((runs.0.expect("no error"), runs.1.expect("no error")), (RunEnd::Answered, RunEnd::Answered));
    assert_eq!(effects.all(), ["refund 1 20"]);
    assert_eq!(result(&first), result(&second));
}

const REMIND_THREE: &str = "
    const texts = [];
    for (const order of [1, 2, 3]) {
      try { texts.push(await tools.remind({ order })) } catch (error) { texts.push(error.kind) }
    }
    return texts";

/// Runs a program whose process ends while its second call runs, after the effect.
async fn crash(journal: &FileJournal, effects: &Effects, script: &Scripted) {
    let has_run = Arc::new(Notify::new());
    let notify = Arc::clone(&has_run);
    let hang = move |call: ReadyCall| {
        let notify = Arc::clone(&notify);
        async move {
            let result = call.run().await;
            if call.arguments() == r#"{"order":2}"# {
                notify.notify_one();
                std::future::pending::<()>().await;
            }
            result
        }
    };
    let inner = shop(effects).around_call(hang).build().expect("valid tools");
    let crashing = Registry::builder().dynamic(CodeTool::new(inner).tool()).build().expect("a valid tool");
    let mut lost = Session::new().user("Go.");
    let crashing = with_id(&crashing, "s");
    let run = lost.run(&crashing).journal(journal).complete(|request| script.complete(&request));
    tokio::select! {
        end = run => panic!("the run has ended: {end:?}"),
        () = has_run.notified() => {}
    }
    assert_eq!(effects.all(), ["remind 1", "remind 2"]);
}

/// A run that begins with the session before the crash.
async fn run_again(registry: &Registry, journal: &FileJournal, script: &Scripted) -> Session {
    let registry = with_id(registry, "s");
    let mut session = Session::new().user("Go.");
    let run = session.run(&registry).journal(journal).complete(|request| script.complete(&request));
    assert_eq!(run.await.expect("no error"), RunEnd::Answered);
    session
}

#[tokio::test]
async fn a_crashed_program_continues_from_the_journal_whose_records_a_removal_removes() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = FileJournal::open(folder.path().join("journal")).expect("a journal");
    let effects = Effects::default();
    let script = Scripted::new(REMIND_THREE);
    crash(&journal, &effects, &script).await;
    let session = run_again(&registry(&effects).expect("valid tools"), &journal, &script).await;
    assert_eq!(effects.all(), ["remind 1", "remind 2", "remind 3"]);
    assert!(
        result(&session).starts_with(r#"["reminded 1","interrupted","reminded 3"]"#),
        "{}",
        result(&session)
    );
    let records = |run_id: &'static str| {
        let journal = journal.clone();
        async move { journal.find_calls(run_id, 0).await.expect("a journal").len() }
    };
    assert_eq!((records("s").await, records("s/0/0").await), (1, 3));
    journal.remove_run("s").await.expect("no run is in progress");
    assert_eq!((records("s").await, records("s/0/0").await), (0, 0));
}

#[tokio::test]
async fn a_crashed_program_that_cannot_start_again_reports_its_calls() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = FileJournal::open(folder.path().join("journal")).expect("a journal");
    let effects = Effects::default();
    let script = Scripted::new(REMIND_THREE);
    crash(&journal, &effects, &script).await;
    let code = CodeTool::new(shop(&effects).build().expect("valid tools"));
    let code = code.engine(Worker::new("/no/such/program")).tool();
    let registry = Registry::builder().dynamic(code).build().expect("a valid tool");
    // The second run reads the result of the first one from the journal.
    for _ in 0..2 {
        let session = run_again(&registry, &journal, &script).await;
        let text = result(&session);
        assert!(text.starts_with("Error: the program cannot start now"), "{text}");
        let calls = "
- remind({\"order\":1}): it may have taken effect
- remind({\"order\":2}): it may have taken effect";
        assert!(text.ends_with(calls), "{text}");
    }
    assert_eq!(effects.all(), ["remind 1", "remind 2"]);
}

#[tokio::test]
async fn a_worker_waits_and_continues_too() {
    let effects = Effects::default();
    let worker = || Worker::new(env!("CARGO_BIN_EXE_tool-runtime-code-worker"));
    let registry = || {
        let code = CodeTool::new(shop(&effects).build().expect("valid tools")).engine(worker());
        Registry::builder().dynamic(code.tool()).build().expect("a valid tool")
    };
    let script = Scripted::new(REFUND_ALL);
    let mut session = Session::new().user("Go.");
    assert_eq!(script.run(&mut session, &registry()).await, RunEnd::NeedsApproval);
    for number in 1..=3 {
        session.approve(&format!("call_1/{number}")).expect("it waits");
    }
    let mut session = stored(&session);
    assert_eq!(script.run(&mut session, &registry()).await, RunEnd::Answered);
    assert_eq!(effects.all(), ["refund 10 20", "refund 11 20", "refund 12 20", "remind 10"]);
}
