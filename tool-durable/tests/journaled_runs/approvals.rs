//! Calls that were approved before a crash.

use super::*;
use serde_json::json;

/// The sessions that a program may have stored before the approved call began.
async fn stored_sessions(journal: &MemoryJournal, ledger: &Ledger) -> (Session, Session) {
    let first = Session::new().user("Refund order 7.");
    let mut waiting = first.clone();
    let end = run(&mut waiting, &registry(ledger, SHORT), journal, &model([calls([("refund", 7)])])).await;
    assert_eq!(end, RunEnd::NeedsApproval);
    (first, waiting)
}

#[tokio::test(start_paused = true)]
async fn a_finished_call_needs_no_second_approval() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let (first, waiting) = stored_sessions(&journal, &ledger).await;
    let mut session = waiting.clone();
    session.approve("call_0").expect("it waits");
    let _ = run(&mut session, &registry(&ledger, SHORT), &journal, &model([done()])).await;

    for mut again in [first, waiting] {
        assert_eq!(run(&mut again, &registry(&ledger, SHORT), &journal, &model([])).await, RunEnd::Answered);
        assert_eq!(again.messages(), session.messages());
    }
    assert_eq!(ledger.entries(), ["refund 7"]);
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_call_needs_no_second_approval() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let (first, waiting) = stored_sessions(&journal, &ledger).await;
    let mut session = waiting.clone();
    session.approve("call_0").expect("it waits");
    crash(&session, &registry(&ledger, LONG), &journal, &model([])).await;

    let claimed = session.claim();
    for mut again in [first, waiting, session, claimed] {
        let _ = run(&mut again, &registry(&ledger, SHORT), &journal, &model([done()])).await;
        let interrupted = "Error: `refund` was interrupted. It may have taken effect: check whether it did.";
        assert_eq!(results(&again), [interrupted]);
    }
    assert_eq!(ledger.entries(), ["refund 7"]);
}

#[tokio::test(start_paused = true)]
async fn a_claimed_session_has_the_recorded_result() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let (_, mut session) = stored_sessions(&journal, &ledger).await;
    session.approve("call_0").expect("it waits");
    let mut claimed = session.claim();
    let _ = run(&mut session, &registry(&ledger, SHORT), &journal, &model([done()])).await;

    let _ = run(&mut claimed, &registry(&ledger, SHORT), &journal, &model([])).await;
    assert_eq!(results(&claimed), ["order 7 is refunded"]);
    assert_eq!(ledger.entries(), ["refund 7"]);
}

#[tokio::test(start_paused = true)]
async fn edited_arguments_are_those_of_the_journal() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let (first, waiting) = stored_sessions(&journal, &ledger).await;
    let mut session = waiting.clone();
    session.approve_with("call_0", json!({"order": 8})).expect("it waits");
    let _ = run(&mut session, &registry(&ledger, SHORT), &journal, &model([done()])).await;
    assert_eq!(results(&session), ["order 8 is refunded"]);

    for mut again in [first, waiting] {
        let _ = run(&mut again, &registry(&ledger, SHORT), &journal, &model([])).await;
        assert_eq!(again.messages(), session.messages());
    }
    assert_eq!(ledger.entries(), ["refund 8"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_approved_still_waits() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let (first, waiting) = stored_sessions(&journal, &ledger).await;
    for mut again in [first, waiting] {
        let claimed = again.claim();
        for mut session in [again, claimed] {
            let end = run(&mut session, &registry(&ledger, SHORT), &journal, &model([])).await;
            assert_eq!(end, RunEnd::NeedsApproval);
        }
    }
    assert_eq!(ledger.entries(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_session_with_the_run_id_of_another_one_gets_no_approval() {
    let (ledger, journal) = (Ledger::default(), MemoryJournal::default());
    let (_, mut session) = stored_sessions(&journal, &ledger).await;
    session.approve("call_0").expect("it waits");
    let _ = run(&mut session, &registry(&ledger, SHORT), &journal, &model([done()])).await;

    // The other session has its reply from a run without the journal.
    let registry = registry(&ledger, SHORT);
    let mut other = Session::new().user("Refund order 9.");
    let asked = model([calls([("refund", 9)])]);
    let _ = other.run(&registry).complete(|request| asked.complete(request)).await;
    let end = run(&mut other, &registry, &journal, &model([])).await;
    assert_eq!((end, ledger.entries()), (RunEnd::NeedsApproval, vec!["refund 7".to_owned()]));
}
