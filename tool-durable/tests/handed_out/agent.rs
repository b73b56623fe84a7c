//! The agent: it runs the session, one request at a time, and hands the calls to its worker.

use crate::ledger::{self, Entry};
use crate::plan::Plan;
use crate::round::{Role, Settings, start};
use crate::worker::{END, SentEnd, builder};
use std::convert::Infallible;
use std::fs;
use std::future::ready;
use std::path::Path;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tool_runtime::conversation::Request;
use tool_runtime::dispatch::HandedOutCall;
use tool_runtime::message::Message;
use tool_runtime::session::RunEnd;
use tool_runtime::{AssistantMessage, RunContext, Session};

/// The id of the run in each round.
pub(crate) const RUN_ID: &str = "order-7";

pub(crate) async fn run(settings: &Settings) {
    let folder = &*settings.folder;
    if folder.join("finished").exists() {
        return; // The agent was killed after its last step.
    }
    ledger::append(folder, &Entry::Agent);
    let registry = builder(settings).build().expect("four tools").with(&RunContext::new().run_id(RUN_ID));
    let mut session = load(folder).unwrap_or_else(|| Session::new().user("Handle my orders."));
    let mut worker = Worker::start(settings);
    loop {
        let run = session.run(&registry).hand_out_calls().max_requests(1);
        let end = run.complete(|request| ready(Ok::<_, Infallible>(answer(settings, &request)))).await;
        let end = end.expect("the model answers");
        for call in session.awaiting_approval() {
            session.approve(&call.id).expect("it waits");
        }
        // Before a call leaves: another process continues with the same calls.
        store(folder, &session);
        while !session.handed_out().is_empty() {
            let Some(SentEnd { id, end }) = worker.next_end(&session.handed_out()).await else {
                worker = Worker::start(settings);
                continue;
            };
            // A worker may send the end of a call again.
            if session.handed_out().iter().any(|call| call.id == id) {
                session.finish_handed_out(&registry, &id, end).expect("it was handed out");
                store(folder, &session);
            }
        }
        if end == RunEnd::Answered {
            break;
        }
    }
    fs::rename(folder.join("session"), folder.join("finished")).expect("the session is stored");
}

fn answer(settings: &Settings, request: &Request) -> AssistantMessage {
    let is_reply = |message: &&Message| matches!(message, Message::Assistant(_));
    let reply = request.messages().iter().filter(is_reply).count();
    let asked = ledger::entries(&settings.folder).expect("the ledger is valid");
    let ask = asked.iter().filter(|entry| matches!(entry, Entry::Asked { .. })).count();
    ledger::append(&settings.folder, &Entry::Asked { reply });
    Plan::new(settings.seed).reply(reply, ask)
}

fn load(folder: &Path) -> Option<Session> {
    let stored = fs::read_to_string(folder.join("session")).ok()?;
    Some(serde_json::from_str(&stored).expect("a stored session"))
}

/// Replaces the stored session as a whole.
fn store(folder: &Path, session: &Session) {
    let text = serde_json::to_string(session).expect("a session is JSON");
    fs::write(folder.join("new"), text).expect("the folder can be written");
    fs::rename(folder.join("new"), folder.join("session")).expect("the folder can be written");
}

/// The worker process, and the calls that it has received.
struct Worker {
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    sent: Vec<HandedOutCall>,
    _process: Child,
}

impl Worker {
    fn start(settings: &Settings) -> Self {
        let settings = Settings { role: Role::Worker, ..settings.clone() };
        let mut command = Command::from(start(&settings).expect("the program can be started"));
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a worker");
        let input = process.stdin.take().expect("it is piped");
        let output = BufReader::new(process.stdout.take().expect("it is piped")).lines();
        Worker { input, output, sent: Vec::new(), _process: process }
    }

    /// Sends the calls that the worker does not have, and waits for the end of a call; `None` if the worker is gone.
    async fn next_end(&mut self, calls: &[HandedOutCall]) -> Option<SentEnd> {
        for call in calls {
            if !self.sent.contains(call) {
                let line = serde_json::to_string(call).expect("a call is JSON") + "\n";
                self.input.write_all(line.as_bytes()).await.ok()?;
                self.sent.push(call.clone());
            }
        }
        self.input.flush().await.ok()?;
        while let Ok(Some(line)) = self.output.next_line().await {
            if let Some(end) = line.strip_prefix(END) {
                return serde_json::from_str(end).ok();
            }
        }
        None
    }
}
