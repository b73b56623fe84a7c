//! Failures of models and workers, sessions that do not exist, and invocations that an operator pauses or cancels.

use crate::engine::{Engine, Settings};
use crate::ledger;
use crate::process::Process;
use crate::server::free_port;
use crate::setup::{Setup, start, texts};
use crate::workers::{Version, command};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tool_runtime::session::RunEnd;
use tool_runtime_restate::{EngineError, SessionEnd, Sessions};

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

pub(crate) async fn a_session_continues_after_an_operator_cancels_its_step(program: &Path, folder: &Path) {
    let setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, engine, .. } = &setup;
    sessions.message("s", "0 0 fail").await.expect("accepted");
    // It waits before it repeats the request.
    let step = setup.wait_for_invocation("step", "s", &["scheduled"]).await;
    let cancel = format!("{}/invocations/{step}/cancel", engine.admin_address);
    let cancelled = reqwest::Client::new().patch(cancel).send().await.expect("the engine responds");
    assert!(cancelled.status().is_success(), "{}", cancelled.status());
    sessions.resume("s").await.expect("accepted");
    let report = tokio::time::timeout(Duration::from_secs(60), sessions.wait("s")).await;
    let report = report.expect("a step runs").expect("it settles");
    assert_eq!(report.end, SessionEnd::Failed("the model is overloaded".to_owned()));
}

pub(crate) async fn a_removed_session_is_gone(program: &Path, folder: &Path) {
    let setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, .. } = &setup;
    sessions.message("s", "1 1 hold").await.expect("accepted");
    let removed = sessions.remove("s").await;
    assert!(matches!(removed, Err(EngineError::Conflict(_))), "{removed:?}");
    ledger::release(&setup.ledger);
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
    sessions.message("s/it", "1 1 held_model").await.expect("accepted");
    // An operator can pause an invocation as well.
    let invocation = setup.wait_for_invocation("step", "s/it", &["running"]).await;
    let pause = format!("{}/invocations/{invocation}/pause", engine.admin_address);
    let paused = reqwest::Client::new().patch(pause).send().await.expect("the engine responds");
    assert!(paused.status().is_success(), "{}", paused.status());
    // It is paused at the end of its attempt.
    ledger::release(&setup.ledger);
    let waited = engine.sessions().admin(admin.clone()).wait("s/it").await;
    let Err(EngineError::Paused(paused)) = waited else { panic!("{waited:?}") };
    assert_eq!((&*paused.id, &*paused.target), (&*invocation, "Sessions/s/it/step"));
    assert_eq!(admin.paused().await.expect("the engine responds"), [paused]);
    // A session whose id begins in the same way is not paused.
    sessions.message("s", "4 1 slow_model").await.expect("accepted");
    let other = engine.sessions().admin(admin.clone()).wait("s").await.expect("it settles");
    assert_eq!(other.text, "The end");
    admin.resume(&invocation).await.expect("it is paused");
    assert_eq!(sessions.wait("s/it").await.expect("it settles").text, "The end");
}

pub(crate) async fn a_worker_accepts_connections_after_too_many(program: &Path, folder: &Path) {
    let engine = Engine::start(program, folder, Settings::default()).await;
    let address = format!("127.0.0.1:{}", free_port().expect("a free port"));
    let worker = command(Version::Follow, &address, &folder.join("ledger"));
    let _worker = Process::start(folder.join("workers.log"), move || {
        let mut limited = Command::new("sh");
        limited.args(["-c", r#"ulimit -n 40; exec "$0""#]).arg(worker.get_program());
        limited.envs(worker.get_envs().filter_map(|(name, value)| Some((name, value?))));
        limited
    });
    let started = Instant::now();
    while TcpStream::connect(&address).await.is_err() {
        assert!(started.elapsed() < Duration::from_secs(30), "the worker does not start");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop(connect_until_unanswered(&address).await);
    let address = format!("http://{address}");
    let registered = tokio::time::timeout(Duration::from_secs(60), engine.register(&address)).await;
    registered.expect("the worker accepts a connection");
}

/// Opens connections until the worker has too many open files, and accepts no further one.
async fn connect_until_unanswered(address: &str) -> Vec<TcpStream> {
    let mut connections = Vec::new();
    loop {
        assert!(connections.len() < 60, "the worker accepts all connections");
        let mut connection = TcpStream::connect(address).await.expect("the worker listens");
        // The start of a connection of HTTP/2, with empty settings. The worker sends its own settings.
        let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
        connection.write_all(preface).await.expect("a connection");
        let answer = tokio::time::timeout(Duration::from_secs(1), connection.read_u8()).await;
        connections.push(connection);
        if answer.is_err() {
            return connections;
        }
    }
}
