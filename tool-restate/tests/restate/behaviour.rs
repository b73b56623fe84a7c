//! Sessions on one worker, without kills.

use crate::engine::{Engine, Settings};
use crate::ledger;
use crate::workers::{Version, Workers};
use std::path::Path;
use std::time::{Duration, Instant};
use tool_runtime::message::Message;
use tool_runtime::session::RunEnd;
use tool_runtime_restate::{EngineError, SessionEnd, Sessions};

/// An engine with one worker.
struct Setup {
    engine: Engine,
    workers: Workers,
    sessions: Sessions,
}

async fn start(program: &Path, folder: &Path, version: Version) -> Setup {
    let engine = Engine::start(program, folder, Settings::default()).await;
    let workers = Workers::start(1, version, folder).await;
    engine.register(&workers.address).await;
    let sessions = engine.sessions();
    Setup { engine, workers, sessions }
}

async fn texts(sessions: &Sessions, id: &str) -> Vec<String> {
    let session = sessions.get(id).await.expect("the engine responds").expect("a session");
    session.messages().iter().map(|message| message.text().to_owned()).collect()
}

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
    tokio::time::sleep(Duration::from_secs(2)).await;
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
    let begun =
        ledger::read(&folder.join("ledger")).into_iter().filter(|entry| entry.what == ledger::What::Begun);
    assert_eq!(begun.count(), 1);
}

pub(crate) async fn a_message_with_its_key_arrives_once(program: &Path, folder: &Path) {
    let Setup { sessions, engine: _engine, workers: _workers } =
        start(program, folder, Version::Follow).await;
    let send = || sessions.message("s/ü 1", "0 0 nothing").key("m-1");
    let (one, two) = tokio::join!(send(), send());
    one.and(two).expect("accepted");
    sessions.wait("s/ü 1").await.expect("it settles");
    assert_eq!(texts(&sessions, "s/ü 1").await, ["0 0 nothing", "The end"]);
}

pub(crate) async fn a_message_waits_for_the_calls_that_run(program: &Path, folder: &Path) {
    let setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, .. } = &setup;
    sessions.message("s", "1 1 relocate").await.expect("accepted");
    wait_until_begun(folder, 1).await;
    sessions.message("s", "0 0 nothing").await.expect("accepted");
    sessions.message("s", "0 0 more").await.expect("accepted");
    let report = sessions.wait("s").await.expect("it settles");
    assert_eq!(report.end, SessionEnd::Run(RunEnd::Answered));
    let texts = texts(sessions, "s").await;
    assert!(texts[2].starts_with("done "), "{texts:?}");
    assert_eq!(texts[3..], ["0 0 nothing", "0 0 more", "The end"]);
}

/// Waits until so many tools have begun.
async fn wait_until_begun(folder: &Path, count: usize) {
    let started = Instant::now();
    let begun = || {
        ledger::read(&folder.join("ledger")).iter().filter(|entry| entry.what == ledger::What::Begun).count()
    };
    while begun() < count {
        assert!(started.elapsed() < Duration::from_secs(30), "no tool begins");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

pub(crate) async fn a_cancelled_session_runs_no_further_call(program: &Path, folder: &Path) {
    let setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, .. } = &setup;
    // While the model answers: its calls do not begin.
    sessions.message("s", "1 3 slow_model").await.expect("accepted");
    tokio::time::sleep(Duration::from_millis(500)).await;
    sessions.cancel("s").await.expect("accepted");
    let report = sessions.wait("s").await.expect("it settles");
    assert_eq!(report.end, SessionEnd::Cancelled);
    assert!(ledger::read(&folder.join("ledger")).is_empty());
    assert_eq!(texts(sessions, "s").await[2..], vec!["Error: cancelled by the user before it began"; 3]);
    // While a tool runs.
    sessions.message("t", "1 1 relocate").await.expect("accepted");
    wait_until_begun(folder, 1).await;
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
        sessions.message(id, "1 1 slow_model").await.expect("accepted");
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    for id in ["a", "b"] {
        sessions.cancel(id).await.expect("accepted");
    }
    sessions.message("a", "0 0 nothing").await.expect("accepted");
    sessions.resume("b").await.expect("accepted");
    for id in ["a", "b"] {
        assert_eq!(sessions.wait(id).await.expect("it settles").text, "The end", "{id}");
    }
    let begun = ledger::read(&folder.join("ledger"));
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
    sessions.message("t", "1 2 relocate_and_refund").await.expect("accepted");
    let report = sessions.wait("t").await.expect("it settles");
    let call = &*report.awaiting_approval[0].id;
    sessions.message("t", "0 0 nothing").await.expect("accepted");
    sessions.approve("t", call).await.expect("it waits");
    let second = sessions.deny("t", call, "no").await;
    assert!(matches!(second, Err(EngineError::Conflict(_))), "{second:?}");
    while sessions.wait("t").await.expect("it settles").text != "The end" {}
    let texts = texts(sessions, "t").await;
    assert!(texts[2].starts_with("done ") && texts[3].starts_with("done "), "{texts:?}");
    assert_eq!(texts[4..], ["0 0 nothing", "The end"]);
}

pub(crate) async fn many_large_inputs_arrive(program: &Path, folder: &Path) {
    let setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, .. } = &setup;
    // Together more than the session may have.
    sessions.message("s", "1 8 long_texts").await.expect("accepted");
    assert_eq!(sessions.wait("s").await.expect("it settles").text, "The end");
    let results = &texts(sessions, "s").await[2..10];
    let (whole, errors): (Vec<_>, Vec<_>) = results.iter().partition(|text| text.starts_with("xxx"));
    assert!(whole.len() >= 2 && errors.len() + whole.len() == 8, "{} whole", whole.len());
    assert!(errors.iter().all(|text| text.starts_with("Error: the call has run, but its")), "{errors:.200?}");
    sessions.message("t", "1 1 relocate").await.expect("accepted");
    wait_until_begun(folder, 1).await;
    let large = "x".repeat(4_000_000);
    let mut accepted = 0;
    for _ in 0..4 {
        match sessions.message("t", &*large).await {
            Ok(()) => accepted += 1,
            Err(EngineError::Rejected { status: 413, .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(accepted, 2);
    assert_eq!(sessions.wait("t").await.expect("it settles").text, "The end");
}

pub(crate) async fn a_failed_request_ends_the_session_and_resume_continues(program: &Path, folder: &Path) {
    let setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, .. } = &setup;
    let once = format!("0 0 fail_once {}", ledger::nonce());
    sessions.message("s", &*once).await.expect("accepted");
    assert_eq!(sessions.wait("s").await.expect("it settles").end, SessionEnd::Run(RunEnd::Answered));
    sessions.message("u", "0 0 panic").await.expect("accepted");
    sessions.message("t", "0 0 fail").await.expect("accepted");
    let report = sessions.wait("t").await.expect("it settles");
    let SessionEnd::Failed(reason) = &report.end else { panic!("{report:?}") };
    assert!(reason.contains("the model is overloaded"), "{reason}");
    sessions.resume("t").await.expect("accepted");
    assert_eq!(sessions.wait("t").await.expect("it settles").end, report.end);
    sessions.message("t", "0 0 nothing").await.expect("accepted");
    assert_eq!(sessions.wait("t").await.expect("it settles").text, "The end");
    assert_eq!(texts(sessions, "t").await, ["0 0 fail", "0 0 nothing", "The end"]);
    let report = sessions.wait("u").await.expect("it settles");
    assert_eq!(report.end, SessionEnd::Failed("the worker panicked: the client has a defect".to_owned()));
}

pub(crate) async fn a_session_of_five_megabytes_continues(program: &Path, folder: &Path) {
    let mut setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, workers, .. } = &mut setup;
    sessions.message("s", "1 5000000 long_text").await.expect("accepted");
    assert_eq!(sessions.wait("s").await.expect("it settles").text, "The end");
    let started = Instant::now();
    sessions.message("s", "4 4 nothing").await.expect("accepted");
    assert_eq!(sessions.wait("s").await.expect("it settles").text, "The end");
    println!("5 replies and 16 calls of a session of 5 MB: {:?}", started.elapsed());
    sessions.message("s", "2 4 nothing").await.expect("accepted");
    workers.processes[0].kill();
    workers.processes[0].restart();
    assert_eq!(sessions.wait("s").await.expect("it settles").text, "The end");
    let session = sessions.get("s").await.expect("the engine responds").expect("a session");
    let results = session.messages().iter().filter(|message| matches!(message, Message::Tool(_)));
    assert_eq!(results.count(), 25);
    assert!(session.messages()[2].text().len() >= 5_000_000);
}

pub(crate) async fn a_result_that_is_too_large_is_an_error(program: &Path, folder: &Path) {
    let setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, .. } = &setup;
    sessions.message("s", "1 11000000 long_text").await.expect("accepted");
    assert_eq!(sessions.wait("s").await.expect("it settles").text, "The end");
    let result = &texts(sessions, "s").await[2];
    assert!(result.starts_with("Error: the call has run, but its result has 110"), "{result:.200}");
    // The largest session that the engine stores with its default settings. A further result does not fit.
    sessions.message("t", "2 5100000 long_text").await.expect("accepted");
    assert_eq!(sessions.wait("t").await.expect("it settles").text, "The end");
    sessions.message("t", "1 1000000 long_text").await.expect("accepted");
    assert_eq!(sessions.wait("t").await.expect("it settles").text, "The end");
    let texts = texts(sessions, "t").await;
    assert_eq!((texts[2].len(), texts[4].len()), (5_100_000, 5_100_000));
    assert!(texts[8].starts_with("Error: the call has run, but its result has 10000"), "{:.200}", texts[8]);
    // A message that does not fit is rejected, and a request that never fits is not sent.
    let sent = sessions.message("t", "x".repeat(1_000_000)).await;
    assert!(
        matches!(&sent, Err(EngineError::Rejected { status: 413, message, .. }) if message.contains("compact it")),
        "{sent:?}"
    );
    let sent = sessions.message("u", "x".repeat(11_000_000)).await;
    assert!(matches!(sent, Err(EngineError::TooLarge { .. })), "{sent:?}");
}

pub(crate) async fn a_removed_session_is_gone(program: &Path, folder: &Path) {
    let setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, .. } = &setup;
    sessions.message("s", "1 1 relocate").await.expect("accepted");
    let removed = sessions.remove("s").await;
    assert!(matches!(removed, Err(EngineError::Conflict(_))), "{removed:?}");
    sessions.wait("s").await.expect("it settles");
    sessions.remove("s").await.expect("it does not run");
    assert!(sessions.get("s").await.expect("the engine responds").is_none());
}

pub(crate) async fn a_session_that_does_not_exist_is_an_error(program: &Path, folder: &Path) {
    let setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, engine, .. } = &setup;
    assert!(matches!(sessions.wait("s").await, Err(EngineError::NoSession)));
    assert!(matches!(sessions.resume("s").await, Err(EngineError::NoSession)));
    assert!(matches!(sessions.approve("s", "call").await, Err(EngineError::NoSession)));
    assert!(sessions.get("s").await.expect("the engine responds").is_none());
    let unknown = engine.sessions().name("Shop").message("s", "Hello!").await;
    assert!(
        matches!(&unknown, Err(EngineError::Rejected { status: 404, message, .. }) if message.contains("Shop")),
        "{unknown:?}"
    );
    let unreachable =
        Sessions::at("http://127.0.0.1:1").retry_for(Duration::from_millis(200)).message("s", "Hello!").await;
    assert!(matches!(unreachable, Err(EngineError::Unreachable(_))), "{unreachable:?}");
    for (id, key) in [("", "key"), (".", "key"), ("..", "key"), ("s", ""), ("s", "\n"), ("s", "ü")] {
        let sent = sessions.message(id, "0 0 nothing").key(key).await;
        let is_invalid = matches!(sent, Err(EngineError::InvalidId(_) | EngineError::InvalidKey(_)));
        assert!(is_invalid, "{id:?} {key:?}: {sent:?}");
    }
    assert!(matches!(sessions.cancel("s").await, Err(EngineError::NoSession)));
    let invalid = Sessions::at("restate:8080").message("s", "Hello!").await;
    assert!(matches!(invalid, Err(EngineError::InvalidAddress(_))), "{invalid:?}");
}

pub(crate) async fn a_paused_invocation_is_reported(program: &Path, folder: &Path) {
    let setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, engine, .. } = &setup;
    let admin = engine.admin();
    sessions.message("s/it", "1 1 slow_model").await.expect("accepted");
    // An operator can pause an invocation as well.
    let (started, invocation) = (Instant::now(), running(engine).await);
    let pause = format!("{}/invocations/{invocation}/pause", engine.admin_address);
    let paused = reqwest::Client::new().patch(pause).send().await.expect("the engine responds");
    assert!(paused.status().is_success(), "{}", paused.status());
    let waited = engine.sessions().admin(admin.clone()).wait("s/it").await;
    let Err(EngineError::Paused(paused)) = waited else { panic!("{waited:?} after {:?}", started.elapsed()) };
    assert_eq!((&*paused.id, &*paused.target), (&*invocation, "Sessions/s/it/step"));
    assert_eq!(admin.paused().await.expect("the engine responds"), [paused]);
    // A session whose id begins in the same way is not paused.
    sessions.message("s", "4 1 slow_model").await.expect("accepted");
    let other = engine.sessions().admin(admin.clone()).wait("s").await.expect("it settles");
    assert_eq!(other.text, "The end");
    admin.resume(&invocation).await.expect("it is paused");
    assert_eq!(sessions.wait("s/it").await.expect("it settles").text, "The end");
}

pub(crate) async fn a_call_may_take_longer_than_the_limit_of_the_engine(program: &Path, folder: &Path) {
    let settings = Settings { invocation_timeout: "50ms", ..Settings::default() };
    let engine = Engine::start(program, folder, settings).await;
    let workers = Workers::start(1, Version::Follow, folder).await;
    engine.register(&workers.address).await;
    let sessions = engine.sessions();
    // The model takes 1.5 seconds, and each tool at least 0.1.
    sessions.message("s", "1 1 slow_model").await.expect("accepted");
    sessions.message("t", "3 2 relocate").await.expect("accepted");
    for id in ["s", "t"] {
        assert_eq!(sessions.wait(id).await.expect("it settles").text, "The end");
    }
    let texts = texts(&sessions, "t").await;
    assert_eq!(texts.iter().filter(|text| text.starts_with("done ")).count(), 6, "{texts:?}");
}

pub(crate) async fn an_agent_has_its_settings(program: &Path, folder: &Path) {
    let engine = Engine::start(program, folder, Settings::default()).await;
    let shop = Workers::start(1, Version::Shop, folder).await;
    let warehouse = Workers::start(1, Version::Warehouse, folder).await;
    engine.register(&shop.address).await;
    engine.register(&warehouse.address).await;
    let sessions = engine.sessions().name("Shop");
    sessions.message("s", "Pick order 7.").await.expect("accepted");
    let report = sessions.wait("s").await.expect("it settles");
    assert_eq!(report.end, SessionEnd::Run(RunEnd::ReplyLimit));
    let texts = texts(&sessions, "s").await;
    assert_eq!(texts[..2], ["You run a shop.", "Pick order 7."]);
    assert_eq!(texts.iter().filter(|text| text.starts_with("7 from shelf of s")).count(), 3, "{texts:?}");
    let events: Vec<_> =
        ledger::read(&folder.join("ledger")).into_iter().map(|entry| (entry.order, entry.nonce)).collect();
    assert!(events.iter().all(|(session, _)| session == "s"));
    let finished =
        |(_, event): &&(String, String)| event.contains("finished") && event.contains("shelf of s");
    assert!(events.iter().filter(finished).count() >= 3, "{events:?}");
    // An error that no attempt can change ends the session at once.
    let started = Instant::now();
    sessions.message("t", "fail").await.expect("accepted");
    let report = sessions.wait("t").await.expect("it settles");
    assert_eq!(report.end, SessionEnd::Failed("the key is wrong".to_owned()));
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

/// The id of the step that runs.
async fn running(engine: &Engine) -> String {
    loop {
        let query = r#"{"query":"SELECT id FROM sys_invocation WHERE target_handler_name = 'step' AND status = 'running'"}"#;
        let request = reqwest::Client::new().post(format!("{}/query", engine.admin_address)).body(query);
        let request = request.header("content-type", "application/json").header("accept", "application/json");
        let rows = request.send().await.expect("the engine responds").text().await.expect("a response");
        if let Some(id) = rows.split('"').find(|text| text.starts_with("inv_")) {
            return id.to_owned();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
