//! With a journal, effects keep their order across a crash, and each call has one last event in the process that ends it.

use crate::{
    LIFE, LONG, Ledger, MemoryJournal, SHORT, Work, calls, charge, done, find, model, refund, results,
};
use serde_json::{Value, json};
use tool_runtime::dispatch::{CallEvent, CallStatus, CancellationToken, Decision, ProposedCall};
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::{Registry, RegistryBuilder, RunContext, Session, tools};
use tool_runtime_durable::DurableRun as _;
use tool_runtime_testing::ScriptedModel;

fn builder(ledger: &Ledger, work: std::time::Duration) -> RegistryBuilder {
    Registry::builder().tools(tools![find, charge, refund]).state(ledger.clone()).state(Work(work))
}

fn ordered(ledger: &Ledger, work: std::time::Duration) -> Registry {
    let registry = builder(ledger, work).ordered_effects(true).build().expect("three tools");
    registry.with(&RunContext::new().run_id("order-7"))
}

/// A run, and the last events of its calls: the tool, the cause and the text.
async fn run(
    session: &mut Session,
    registry: &Registry,
    journal: &MemoryJournal,
    model: &ScriptedModel,
    is_streamed: bool,
) -> (RunEnd, Vec<String>) {
    let mut events = Vec::new();
    let run = session.run(registry).journal(journal).on_event(|event| {
        if let Event::Call(CallEvent { tool, status: CallStatus::Finished { cause, result, .. }, .. }) = event
        {
            events.push(format!("{tool} {cause:?}: {}", result.text()));
        }
    });
    let end = if is_streamed {
        run.stream(|request| model.stream(request)).await.expect("the run ends")
    } else {
        run.complete(|request| model.complete(request)).await.expect("the run ends")
    };
    (end, events)
}

fn stored(session: &Session) -> Session {
    let text = serde_json::to_string(session).expect("it is written");
    serde_json::from_str(&text).expect("it is read")
}

/// `refund` waits for a person, and `find` for `refund`, also after the process was killed in the middle of it.
#[tokio::test(start_paused = true)]
async fn a_read_runs_after_the_effect_before_it_in_another_process() {
    for is_streamed in [false, true] {
        for verdict in ["approve", "edit", "deny"] {
            let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
            let model = model([calls([("refund", 7), ("find", 7)]), done()]);
            let mut session = Session::new().user("Refund order 7.");
            let (end, _) = run(&mut session, &ordered(&ledger, LONG), &journal, &model, is_streamed).await;
            assert_eq!((end, ledger.entries()), (RunEnd::NeedsApproval, vec![]));
            match verdict {
                "approve" => session.approve("call_0").expect("it waits"),
                "edit" => session.approve_with("call_0", json!({"order": 8})).expect("it waits"),
                _ => session.deny("call_0", "no").expect("it waits"),
            }
            let before = stored(&session);
            let registry = ordered(&ledger, LONG);
            let killed = run(&mut session, &registry, &journal, &model, is_streamed);
            assert!(tokio::time::timeout(LIFE, killed).await.is_err(), "the process is killed");

            let mut session = before;
            let registry = ordered(&ledger, SHORT);
            let (end, events) = run(&mut session, &registry, &journal, &model, is_streamed).await;
            assert_eq!(end, RunEnd::Answered);
            let interrupted = "refund Interrupted: Error: `refund` was interrupted. It may have taken effect: check whether it did.";
            // The read was interrupted as well, or it had not begun.
            let (effects, ended): (&[&str], _) = match verdict {
                "approve" => (&["refund 7", "find 7"], interrupted),
                "edit" => (&["refund 8", "find 7"], interrupted),
                _ => (&["find 7", "find 7"], "refund Denied: Error: no"),
            };
            assert_eq!(ledger.entries(), effects, "{verdict} {is_streamed}");
            assert_eq!(events, [ended, "find Ran: order 7"], "{verdict} {is_streamed}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_recorded_result_is_reported_with_its_cause() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let model = model([calls([("charge", 7)]), done()]);
    let stored_before = Session::new().user("Charge order 7.");
    let mut session = stored_before.clone();
    let registry = ordered(&ledger, SHORT);
    let (_, events) = run(&mut session, &registry, &journal, &model, false).await;
    assert_eq!(events, ["charge Ran: order 7 is charged"]);
    let mut again = stored_before;
    let (end, events) = run(&mut again, &registry, &journal, &model, false).await;
    assert_eq!((end, events), (RunEnd::Answered, vec!["charge Recorded: order 7 is charged".to_owned()]));
    assert_eq!((results(&again), ledger.entries().len()), (results(&session), 1));
}

/// The journal has the arguments of the model: those of the hook differ in each run, and may be secret.
#[tokio::test(start_paused = true)]
async fn arguments_of_a_hook_are_not_recorded() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let next = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(100));
    let hook = move |call: ProposedCall| {
        let order = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut arguments: Value = serde_json::from_str(call.arguments()).expect("the arguments are valid");
        arguments["order"] = order.into();
        std::future::ready(Decision::RunWith(arguments))
    };
    let registry = |work| builder(&ledger, work).before_call(hook.clone()).build().expect("three tools");
    let bound = |work| registry(work).with(&RunContext::new().run_id("order-7"));
    let stored_before = Session::new().user("Find order 7.");
    let model = model([calls([("find", 7), ("charge", 7)]), done()]);
    let mut session = stored_before.clone();
    let long = bound(LONG);
    let killed = run(&mut session, &long, &journal, &model, false);
    assert!(tokio::time::timeout(LIFE, killed).await.is_err(), "the process is killed");
    let mut again = stored_before;
    let (end, events) = run(&mut again, &bound(SHORT), &journal, &model, false).await;
    assert_eq!(end, RunEnd::Answered);
    assert_eq!(events.len(), 2, "{events:?}");
    assert!(events.contains(&"find Ran: order 102".to_owned()), "{events:?}");
    assert!(ledger.entries()[..2].contains(&"find 100".to_owned()), "{:?}", ledger.entries());
    assert_eq!(journal.arguments(), [r#"{"order":7}"#; 2]);
}

/// An effect finishes after the cancellation, and the journal, the session and the event have its result.
#[tokio::test(start_paused = true)]
async fn an_effect_that_finishes_after_a_cancellation_is_recorded() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let model = model([calls([("charge", 7), ("find", 7)]), done()]);
    let token = CancellationToken::new();
    let context = RunContext::new().run_id("order-7").cancellation(token.clone()).finish_effects(LONG);
    let registry = builder(&ledger, LIFE * 2).build().expect("three tools");
    let bound = registry.with(&context);
    let stored_before = Session::new().user("Charge order 7.");
    let mut session = stored_before.clone();
    let cancel = async {
        tokio::time::sleep(LIFE).await;
        token.cancel();
    };
    let ((end, events), ()) = tokio::join!(run(&mut session, &bound, &journal, &model, false), cancel);
    assert_eq!((end, events), (RunEnd::Cancelled, vec!["charge Ran: order 7 is charged".to_owned()]));
    let mut again = stored_before;
    let registry = registry.with(&RunContext::new().run_id("order-7"));
    let (_, events) = run(&mut again, &registry, &journal, &model, false).await;
    assert_eq!(events, ["charge Recorded: order 7 is charged", "find Ran: order 7"]);
    assert_eq!(ledger.entries().iter().filter(|entry| entry.starts_with("charge")).count(), 1);
}

/// A decision of the process that was killed: the journal has its result with the next reply.
#[tokio::test(start_paused = true)]
async fn a_recorded_denial_is_reported_as_recorded() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let model = model([calls([("refund", 7)]), done()]);
    let registry = ordered(&ledger, SHORT);
    let mut session = Session::new().user("Refund order 7.");
    let _ = run(&mut session, &registry, &journal, &model, false).await;
    let before = stored(&session);
    session.deny("call_0", "no").expect("it waits");
    let (_, events) = run(&mut session, &registry, &journal, &model, false).await;
    assert_eq!(events, ["refund Denied: Error: no"]);
    let (end, events) = run(&mut stored(&before), &registry, &journal, &model, false).await;
    assert_eq!((end, events), (RunEnd::Answered, vec!["refund Recorded: Error: no".to_owned()]));
}
