//! Two runs of a session at once, as two requests of one user start them: one waits for the other.

use super::*;
use serde_json::json;
use tool_runtime::session::RunError;
use tool_runtime_durable::record_calls;

#[tokio::test(start_paused = true)]
async fn one_run_requests_a_reply_and_runs_its_calls_and_the_other_waits_for_them() {
    for tool in ["charge", "label", "find"] {
        let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
        let registry = registry(&ledger, SHORT);
        let (mut first, mut second) = (Session::new().user("Go."), Session::new().user("Go."));
        let calls = ScriptedReply::from(calls([(tool, 7)])).with_delay(SHORT);
        let model = ScriptedModel::new([calls, ScriptedReply::from(done()).with_delay(SHORT)]);
        let (left, right) = tokio::join!(
            first.run(&registry).journal(&journal).complete(|request| model.complete(request)),
            second.run(&registry).journal(&journal).stream(|request| model.stream(request)),
        );
        let ends = (left.expect("it ends"), right.expect("it ends"));
        assert_eq!(ends, (RunEnd::Answered, RunEnd::Answered), "{tool}");
        assert_eq!(first.messages(), second.messages(), "{tool}");
        assert_eq!((model.requests().len(), ledger.entries().len()), (2, 1), "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_approved_call_runs_in_one_of_them() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, SHORT);
    let model = model([calls([("refund", 7)]), done()]);
    let mut first = Session::new().user("Go.");
    assert_eq!(run(&mut first, &registry, &journal, &model).await, RunEnd::NeedsApproval);
    first.approve("call_0").expect("it waits");
    let mut second = first.clone();
    let ends = tokio::join!(
        run(&mut first, &registry, &journal, &model),
        run(&mut second, &registry, &journal, &model),
    );
    assert_eq!(ends, (RunEnd::Answered, RunEnd::Answered));
    assert_eq!(first.messages(), second.messages());
    assert_eq!(ledger.entries(), ["refund 7"]);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_waits_goes_on_when_the_other_one_is_dropped() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let stored = Session::new().user("Go.");
    // The other one is dropped while it requests the reply.
    let slow = ScriptedModel::new([ScriptedReply::from(done()).with_delay(LONG)]);
    let (mut session, answering) = (stored.clone(), model([calls([("charge", 7), ("label", 8)]), done()]));
    let registry_now = registry(&ledger, SHORT);
    let dropped = crash(&stored, &registry_now, &journal, &slow);
    let ((), end) = tokio::join!(dropped, async {
        tokio::time::sleep(SHORT).await;
        run(&mut session, &registry_now, &journal, &answering).await
    });
    assert_eq!((end, slow.requests().len()), (RunEnd::Answered, 1));
    assert_eq!(ledger.entries().len(), 2);

    // The other one is dropped while its calls run.
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let answering = model([calls([("charge", 7), ("label", 8)]), done()]);
    let (slow, fast) = (registry(&ledger, LONG), registry(&ledger, SHORT));
    let mut session = stored.clone();
    let ((), end) = tokio::join!(crash(&stored, &slow, &journal, &answering), async {
        tokio::time::sleep(SHORT).await;
        run(&mut session, &fast, &journal, &answering).await
    });
    assert_eq!(end, RunEnd::Answered);
    let interrupted = "Error: `charge` was interrupted. It may have taken effect: check whether it did.";
    assert_eq!(results(&session), [interrupted, "label 8"]);
    assert_eq!(ledger.entries(), ["charge 7 order-7/0/0", "label 8", "label 8"]);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_waits_can_be_cancelled() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let stored = Session::new().user("Go.");
    let slow = ScriptedModel::new([ScriptedReply::from(done()).with_delay(LONG)]);
    let registry = registry(&ledger, SHORT);
    let mut session = stored.clone();
    let ((), ended) = tokio::join!(crash(&stored, &registry, &journal, &slow), async {
        let run = session.run(&registry).journal(&journal).cancel_on(tokio::time::sleep(SHORT));
        run.complete(|request| slow.complete(request)).await
    });
    assert_eq!(ended.expect("it ends"), RunEnd::Cancelled);
    assert_eq!(slow.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_fails_lets_the_other_run_send_the_request() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, SHORT);
    let (mut first, mut second) = (Session::new().user("Go."), Session::new().user("Go."));
    let failing = ScriptedModel::new([ScriptedReply::error("busy").with_delay(SHORT)]);
    let answering = model([done()]);
    let (left, right) = tokio::join!(
        first.run(&registry).journal(&journal).complete(|request| failing.complete(request)),
        second.run(&registry).journal(&journal).complete(|request| answering.complete(request)),
    );
    assert!(matches!(left, Err(RunError::Client(_))), "{left:?}");
    assert_eq!(right.expect("it ends"), RunEnd::Answered);
    assert_eq!(run(&mut first, &registry, &journal, &model([])).await, RunEnd::Answered);
    assert_eq!(first.messages(), second.messages());
}

#[tokio::test(start_paused = true)]
async fn calls_of_a_run_with_a_log_are_recorded_once_even_with_record_calls() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let recording = record_calls(&journal, |error| panic!("{error}"));
    let registry = Registry::builder().tools(tools![charge]).state(ledger.clone()).state(Work(SHORT));
    let registry = registry.around_call(recording).build().expect("one tool");
    let registry = registry.with(&RunContext::new().run_id("order-7"));
    let mut session = Session::new().user("Go.");
    let model = model([calls([("charge", 7)]), done()]);
    assert_eq!(run(&mut session, &registry, &journal, &model).await, RunEnd::Answered);
    assert_eq!(json!(journal.operations()).to_string().matches("begin").count(), 1);
    assert_eq!(ledger.entries().len(), 1);
}
