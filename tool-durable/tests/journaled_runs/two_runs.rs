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
async fn a_call_that_one_request_runs_is_not_denied_by_another() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, SHORT * 2);
    let stored = {
        let mut session = Session::new().user("Go.");
        let _ = run(&mut session, &registry, &journal, &model([calls([("refund", 7)])])).await;
        session
    };
    let (mut approved, mut denied) = (stored.clone(), stored.clone());
    approved.approve("call_0").expect("it waits");
    denied.deny("call_0", "no, thanks").expect("it waits");
    let model = model([done(), done(), done()]);
    let (end, error) = tokio::join!(run(&mut approved, &registry, &journal, &model), async {
        tokio::time::sleep(SHORT).await;
        let run = denied.run(&registry).journal(&journal);
        run.complete(|request| model.complete(request)).await.expect_err("the other request runs it")
    });
    assert_eq!(end, RunEnd::Answered);
    let expected = "another run of the session has run the call `order-7/0/0`, which has another result there: load the session \
                    again, and run it before you decide about its calls";
    assert_eq!(error.to_string(), expected);
    let mut again = stored;
    assert_eq!(run(&mut again, &registry, &journal, &model).await, RunEnd::Answered);
    assert_eq!(again.messages(), approved.messages(), "the journal has one conversation");
    assert_eq!(ledger.entries(), ["refund 7"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_of_which_the_journal_knows_stays_begun_until_it_has_its_result() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let mut session = Session::new().user("Go.");
    let (slow, model) = (registry(&ledger, LONG), model([calls([("charge", 7)])]));
    let run = session.run(&slow).journal(&journal).complete(|request| model.complete(request));
    assert!(tokio::time::timeout(LIFE, run).await.is_err(), "the call runs");
    journal.fail("finish");
    let run = session.run(&slow).journal(&journal).complete(|request| model.complete(request));
    assert!(matches!(run.await, Err(RunError::Log(_))));
    session.deny("call_0", "no").expect_err("it has begun");
    session.push_user("Stop.");
    assert!(results(&session)[0].contains("It may have taken effect"), "{:?}", results(&session));
}

#[tokio::test(start_paused = true)]
async fn a_claim_stays_until_the_journal_has_answered() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, SHORT);
    let mut session = Session::new().user("Go.");
    let model = model([calls([("refund", 7)]), done()]);
    let _ = run(&mut session, &registry, &journal, &model).await;
    session.approve("call_0").expect("it waits");
    let mut claimed = session.claim_as("worker-1");
    let token = tool_runtime::dispatch::CancellationToken::new();
    token.cancel();
    let cancelled = registry.with(&RunContext::new().run_id("order-7").cancellation(token));
    assert_eq!(run(&mut claimed, &cancelled, &journal, &model).await, RunEnd::Cancelled);
    assert_eq!((claimed.is_claimed(), claimed.claim_owner()), (true, Some("worker-1")));
    assert_eq!(
        run(&mut claimed, &registry, &journal, &model).await,
        RunEnd::NeedsApproval,
        "it has not begun"
    );
    assert_eq!((claimed.is_claimed(), claimed.claim_owner()), (false, None));
}

#[tokio::test(start_paused = true)]
async fn a_claimed_session_knows_that_a_call_is_handed_out() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let registry = registry(&ledger, SHORT);
    let mut session = Session::new().user("Go.");
    let model = model([calls([("charge", 7)]), done()]);
    for _ in 0..2 {
        let run = session.run(&registry).journal(&journal).hand_out_calls();
        assert_eq!(
            run.complete(|request| model.complete(request)).await.expect("it ends"),
            RunEnd::NeedsResult
        );
        assert!(session.awaiting_result()[0].may_have_taken_effect);
        session = session.claim();
    }
    session.set_not_begun("call_0").expect_err("another process may run it");
    session.push_user("Stop.");
    assert!(results(&session)[0].contains("It may have taken effect"), "{:?}", results(&session));
}

#[tokio::test(start_paused = true)]
async fn calls_of_a_run_with_a_log_are_recorded_once_even_with_record_calls() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let recording = record_calls(&journal, |error| panic!("{error}"));
    let registry = Registry::builder().tools(tools![charge]).state(ledger.clone()).state(Work(SHORT));
    let registry = registry.around_call(recording).build().expect("one tool");
    let registry = registry.with(&RunContext::new().run_id("order-7"));
    let mut session = Session::new().user("Go.");
    let (model, again) = (model([calls([("charge", 7)]), done()]), model([calls([("charge", 7)]), done()]));
    assert_eq!(run(&mut session, &registry, &journal, &model).await, RunEnd::Answered);
    assert_eq!(json!(journal.operations()).to_string().matches("begin").count(), 1);
    assert_eq!(ledger.entries().len(), 1);

    let mut without_log = Session::new().user("Go.");
    let (outer, context) = (MemoryJournal::default(), RunContext::new().run_id("order-8"));
    let run = without_log.run(&registry.with(&context)).around_call_outermost(record_calls(&outer, |_| ()));
    let end = run.complete(|request| again.complete(request)).await.expect("it ends");
    assert_eq!((end, outer.operations().len(), ledger.entries().len()), (RunEnd::Answered, 2, 2));
}
