//! Messages, decisions and cancellations, which arrive in any order.

use crate::ledger;
use crate::setup::{NOT_ENDED, Setup, start, texts};
use crate::workers::Version;
use std::path::Path;
use std::time::{Duration, Instant};
use tool_runtime::session::RunEnd;
use tool_runtime_restate::{EngineError, SessionEnd};

pub(crate) async fn a_second_decision_is_a_conflict(program: &Path, folder: &Path) {
    let setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, .. } = &setup;
    sessions.message("s", "1 2 refund").await.expect("accepted");
    let report = sessions.wait("s").await.expect("it settles");
    assert_eq!(report.end, SessionEnd::Run(RunEnd::NeedsApproval));
    let [first, second] = &*report.awaiting_approval else { panic!("{report:?}") };
    sessions.approve("s", &first.id).key("click").await.expect("it waits");
    // The same click again, for example after an error of the network.
    sessions.approve("s", &first.id).key("click").await.expect("it is the same request");
    // The engine forgets the key after a second here, as it does after some days otherwise.
    let started = Instant::now();
    while sessions.approve("s", &first.id).key("click").await.is_ok() {
        assert!(started.elapsed() < Duration::from_secs(60), "the key is still remembered");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for decided in [
        sessions.approve("s", &first.id).key("click").await,
        sessions.deny("s", &first.id, "no").await,
        sessions.provide_result("s", &first.id, "done").await,
        sessions.approve("s", "another call").await,
    ] {
        assert!(matches!(decided, Err(EngineError::Conflict(_))), "{decided:?}");
    }
    sessions.deny("s", &second.id, "too expensive").await.expect("it waits");
    let report = sessions.wait("s").await.expect("it settles");
    assert_eq!((report.end, &*report.text), (SessionEnd::Run(RunEnd::Answered), "The end"));
    let texts = texts(sessions, "s").await;
    assert!(texts[2].starts_with("done ") && texts[3] == "Error: too expensive", "{texts:?}");
    let begun = ledger::read(&setup.ledger).into_iter().filter(|entry| entry.what == ledger::What::Begun);
    assert_eq!(begun.count(), 1);
}

pub(crate) async fn a_message_with_its_key_arrives_once(program: &Path, folder: &Path) {
    let setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, .. } = &setup;
    let send = || sessions.message("s/ü 1", "0 0 nothing").key("m-1");
    let (one, two) = tokio::join!(send(), send());
    one.and(two).expect("accepted");
    sessions.wait("s/ü 1").await.expect("it settles");
    assert_eq!(texts(sessions, "s/ü 1").await, ["0 0 nothing", "The end"]);
}

pub(crate) async fn a_message_waits_for_the_calls_that_run(program: &Path, folder: &Path) {
    let setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, .. } = &setup;
    sessions.message("s", "1 1 hold").await.expect("accepted");
    setup.wait_until_begun(1).await;
    sessions.message("s", "0 0 nothing").await.expect("accepted");
    sessions.message("s", "0 0 more").await.expect("accepted");
    ledger::release(&setup.ledger);
    let report = sessions.wait("s").await.expect("it settles");
    assert_eq!(report.end, SessionEnd::Run(RunEnd::Answered));
    let texts = texts(sessions, "s").await;
    assert!(texts[2].starts_with("done "), "{texts:?}");
    assert_eq!(texts[3..], ["0 0 nothing", "0 0 more", "The end"]);
}

pub(crate) async fn a_cancelled_session_runs_no_further_call(program: &Path, folder: &Path) {
    let setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, .. } = &setup;
    // While the model answers: its calls do not begin.
    sessions.message("s", "1 3 held_model").await.expect("accepted");
    let release = async {
        setup.wait_for_invocation("cancel", "s", NOT_ENDED).await;
        ledger::release(&setup.ledger);
    };
    setup.wait_for_invocation("step", "s", &["running"]).await;
    let (cancelled, ()) = tokio::join!(async { sessions.cancel("s").await }, release);
    cancelled.expect("accepted");
    let report = sessions.wait("s").await.expect("it settles");
    assert_eq!(report.end, SessionEnd::Cancelled);
    assert!(ledger::read(&setup.ledger).is_empty());
    assert_eq!(texts(sessions, "s").await[2..], vec!["Error: cancelled by the user before it began"; 3]);
    // While a tool runs.
    ledger::hold(&setup.ledger);
    sessions.message("t", "1 1 hold").await.expect("accepted");
    setup.wait_until_begun(1).await;
    sessions.cancel("t").await.expect("accepted");
    let report = sessions.wait("t").await.expect("it settles");
    assert_eq!(report.end, SessionEnd::Cancelled);
    let cancelled = texts(sessions, "t").await;
    assert!(
        cancelled[2].contains("cancelled by the user") && cancelled[2].contains("may have taken effect"),
        "{cancelled:?}"
    );
    // While a person decides, and then the session continues.
    sessions.message("u", "1 1 refund").await.expect("accepted");
    sessions.wait("u").await.expect("it settles");
    sessions.cancel("u").await.expect("accepted");
    assert_eq!(sessions.wait("u").await.expect("it settles").end, SessionEnd::Cancelled);
    sessions.message("u", "0 0 nothing").await.expect("accepted");
    assert_eq!(sessions.wait("u").await.expect("it settles").text, "The end");
}

pub(crate) async fn a_message_after_a_cancellation_is_answered(program: &Path, folder: &Path) {
    let setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, .. } = &setup;
    for id in ["a", "b"] {
        sessions.message(id, "1 1 held_model").await.expect("accepted");
        setup.wait_for_invocation("step", id, &["running"]).await;
    }
    let cancel = |id| async move { sessions.cancel(id).await };
    let message = async {
        setup.wait_for_invocation("cancel", "a", NOT_ENDED).await;
        sessions.message("a", "0 0 nothing").await
    };
    let resume = async {
        setup.wait_for_invocation("cancel", "b", NOT_ENDED).await;
        sessions.resume("b").await
    };
    let release = async {
        setup.wait_for_invocation("message", "a", NOT_ENDED).await;
        setup.wait_for_invocation("resume", "b", NOT_ENDED).await;
        ledger::release(&setup.ledger);
    };
    let (one, two, three, four, ()) = tokio::join!(cancel("a"), cancel("b"), message, resume, release);
    one.and(two).and(three).and(four).expect("accepted");
    for id in ["a", "b"] {
        assert_eq!(sessions.wait(id).await.expect("it settles").text, "The end", "{id}");
    }
    let begun = ledger::read(&setup.ledger);
    assert!(begun.is_empty(), "{begun:?}");
    // A session that has ended is not cancelled.
    sessions.cancel("a").await.expect("accepted");
    assert_eq!(sessions.wait("a").await.expect("it settles").end, SessionEnd::Run(RunEnd::Answered));
}

pub(crate) async fn a_decision_after_a_message_or_a_cancellation_is_a_conflict(
    program: &Path,
    folder: &Path,
) {
    let setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, .. } = &setup;
    for number in 0..10 {
        let id = format!("s{number}");
        sessions.message(&id, "1 1 refund").await.expect("accepted");
        let report = sessions.wait(&id).await.expect("it settles");
        let call = &*report.awaiting_approval[0].id;
        let ends = async {
            if number % 2 == 0 {
                sessions.message(&id, "0 0 nothing").await
            } else {
                sessions.cancel(&id).await
            }
        };
        let (ended, approved) = tokio::join!(ends, async { sessions.approve(&id, call).await });
        ended.expect("accepted");
        sessions.wait(&id).await.expect("it settles");
        let texts = texts(sessions, &id).await;
        match approved {
            // The decision was first: the call has run, or was cancelled before.
            Ok(()) => assert!(
                texts[2].starts_with("done ") || texts[2].contains("cancelled by the user"),
                "{texts:?}"
            ),
            Err(EngineError::Conflict(_)) => assert!(texts[2].starts_with("Error: "), "{texts:?}"),
            Err(error) => panic!("{error}"),
        }
    }
    // While another call runs, a decision counts, although a message waits.
    sessions.message("t", "1 2 hold_and_refund").await.expect("accepted");
    let report = sessions.wait("t").await.expect("it settles");
    let call = &*report.awaiting_approval[0].id;
    sessions.message("t", "0 0 nothing").await.expect("accepted");
    sessions.approve("t", call).await.expect("it waits");
    let second = sessions.deny("t", call, "no").await;
    assert!(matches!(second, Err(EngineError::Conflict(_))), "{second:?}");
    ledger::release(&setup.ledger);
    let answered = async { while sessions.wait("t").await.expect("it settles").text != "The end" {} };
    tokio::time::timeout(Duration::from_secs(60), answered).await.expect("it is answered");
    let texts = texts(sessions, "t").await;
    assert!(texts[2].starts_with("done ") && texts[3].starts_with("done "), "{texts:?}");
    assert_eq!(texts[4..], ["0 0 nothing", "The end"]);
}
