//! A program that keeps its loop, whose calls run on workers. The program, the workers and the engine are killed.

use crate::engine::{Engine, Settings};
use crate::ledger::{self, LEDGER};
use crate::oracle::Tally;
use crate::process::Process;
use crate::workers::{ROLE, Version, Workers};
use crate::{from_environment, model, tools};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tool_runtime::session::RunEnd;
use tool_runtime::{RunContext, Session};
use tool_runtime_durable::{DurableRun, FileJournal};
use tool_runtime_restate::{Remote, remote};

/// The variables with the folder, the id of the session and the engine.
const FOLDER: &str = "RESTATE_FOLDER";
const ID: &str = "RESTATE_ID";
const INGRESS: &str = "RESTATE_INGRESS";

/// The process of the session.
pub(crate) async fn run() {
    let variable = |name| std::env::var(name).expect("a variable");
    let (folder, id, ingress) = (PathBuf::from(variable(FOLDER)), variable(ID), variable(INGRESS));
    let journal = FileJournal::open(folder.join(format!("{id}.journal"))).expect("the journal opens");
    let registry = tools::registry().expect("the tools").with(&RunContext::new().run_id(&*id));
    let stored = folder.join(format!("{id}.session"));
    let mut session: Session = match std::fs::read_to_string(&stored) {
        Ok(text) => serde_json::from_str(&text).expect("a session"),
        Err(_) => Session::new().user(&*id),
    };
    loop {
        store(&stored, &session.claim());
        let run = session.run(&registry).journal_replies(&journal).around_call(remote(&*ingress));
        let end = run.complete(model::complete).await.expect("the run ends");
        for call in session.awaiting_approval() {
            let edited = call.arguments.replace("\"order\":\"", "\"order\":\"edited ");
            let decided = if call.tool == "change" && !call.arguments.contains("edited ") {
                session.approve_with(&call.id, edited)
            } else {
                session.approve(&call.id)
            };
            decided.expect("it waits");
        }
        for call in session.awaiting_result() {
            let result = format!("answered {}", call.ticket.unwrap_or_default());
            session.provide_result(&call.id, result).expect("it waits");
        }
        if end == RunEnd::Answered {
            break;
        }
    }
    store(&folder.join(format!("{id}.ended")), &session);
}

fn store(file: &Path, session: &Session) {
    let new = file.with_extension("new");
    std::fs::write(&new, serde_json::to_string(session).expect("JSON")).expect("the folder can be written");
    std::fs::rename(new, file).expect("the folder can be written");
}

pub(crate) async fn a_program_that_is_killed_receives_the_results(program: &Path, folder: &Path) {
    let count = from_environment("RESTATE_REMOTE_SESSIONS", 5);
    let seed = from_environment("RESTATE_SEED", fastrand::u64(..));
    println!(
        "seed {seed}, {count} sessions; RESTATE_SEED={seed} RESTATE_REMOTE_SESSIONS={count} repeats the order of the kills"
    );
    let mut random = fastrand::Rng::with_seed(seed);
    let settings = Settings { keep_alive: "1s", streams_per_connection: "2", ..Settings::default() };
    let mut engine = Engine::start(program, folder, settings).await;
    let mut workers = Workers::start(3, Version::First, folder).await;
    engine.register(&workers.address).await;
    let (started, mut tally, mut kills) = (Instant::now(), Tally::default(), 0);
    for number in 0..count {
        let id = format!("r{number}");
        let mut session = start_session(folder, &id, &engine.ingress);
        let started = Instant::now();
        loop {
            tokio::time::sleep(Duration::from_millis(random.u64(50..500))).await;
            if session.has_ended() {
                assert!(session.is_success(), "the program fails");
                break;
            }
            assert!(started.elapsed() < Duration::from_secs(120), "{id} does not end");
            match random.u8(..12) {
                0 => {
                    engine.process.kill();
                    engine.process.restart();
                }
                1..=3 => {
                    let worker = random.usize(..workers.processes.len());
                    workers.processes[worker].kill();
                    workers.processes[worker].restart();
                }
                _ => {
                    session.kill();
                    session.restart();
                }
            }
        }
        kills += session.kills;
        let text = std::fs::read_to_string(folder.join(format!("{id}.ended"))).expect("a session");
        let ended = serde_json::from_str(&text).expect("a session");
        tally.add(&id, &ended, &ledger::read(&folder.join("ledger")));
    }
    let worker_kills: usize = workers.processes.iter().map(|worker| worker.kills).sum();
    println!("{tally}");
    println!(
        "{kills} kills of programs, {worker_kills} of workers, {} of the engine; {:?}",
        engine.process.kills,
        started.elapsed()
    );
    assert!(tally.violations.is_empty(), "{:#?}", tally.violations);
}

fn start_session(folder: &Path, id: &str, ingress: &str) -> Process {
    let (folder, id, ingress) = (folder.to_owned(), id.to_owned(), ingress.to_owned());
    Process::start(folder.join("programs.log"), move || {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.env(ROLE, "session").env(LEDGER, folder.join("ledger"));
        command.env(FOLDER, &folder).env(ID, &id).env(INGRESS, &ingress);
        command
    })
}

/// The engine is a server that reads one request of each call and ends, and then rejects the call.
pub(crate) async fn a_call_whose_response_is_lost_may_have_taken_effect(_program: &Path, _folder: &Path) {
    let interrupted =
        "`nothing_destructive` was interrupted. It may have taken effect: check whether it did.";
    for (tool, status, expected) in [
        ("nothing_destructive", "503", interrupted),
        ("nothing_destructive", "403", interrupted),
        ("nothing", "403", "the engine cannot be reached"),
    ] {
        let registry = tools::registry().expect("the tools").with(&RunContext::new().run_id("s"));
        let remote = Remote::at(rejecting_engine(status).await).retry_for(Duration::from_millis(300)).layer();
        let mut session = Session::new().user(format!("1 1 {tool}"));
        let end = session.run(&registry).around_call(remote).complete(model::follow).await;
        assert_eq!(end.expect("it ends"), RunEnd::Answered);
        let result = session.messages()[2].text();
        assert!(result.contains(expected), "{tool} {status}: {result}");
    }
}

/// The address of a server that closes its first connection after the request, and then responds with this status.
async fn rejecting_engine(status: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        let mut request = [0; 1024];
        for number in 0.. {
            let (mut client, _) = listener.accept().await.expect("a connection");
            let _ = client.read(&mut request).await;
            if number > 0 {
                let response = format!("HTTP/1.1 {status} Rejected\r\ncontent-length: 0\r\n\r\n");
                let _ = client.write_all(response.as_bytes()).await;
            }
        }
    });
    address
}
