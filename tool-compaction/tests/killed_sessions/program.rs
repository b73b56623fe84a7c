//! The program that is killed. Its notes, messages and summaries contain the number of its process, so that no process adds the same.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tool_runtime::message::Message;
use tool_runtime::session::{Flow, HookError, Inbox, RunEnd};
use tool_runtime::{AssistantMessage, Registry, RunContext, Session, ToolCall, tool, tools};
use tool_runtime_compaction::{Compaction, Spill, SpillResults, estimated_tokens};
use tool_runtime_durable::{DurableRun as _, FileJournal};
use tool_runtime_testing::{ScriptedModel, assert_valid};

const REPLIES: u64 = 24;

/// The files of a round.
#[derive(Clone)]
pub(crate) struct Files {
    folder: PathBuf,
}

impl Files {
    pub(crate) fn new(folder: &Path) -> Self {
        Files { folder: folder.to_owned() }
    }

    fn load(&self, name: &str) -> Option<Session> {
        let text = fs::read(self.folder.join(name)).ok()?;
        Some(serde_json::from_slice(&text).expect("a stored session"))
    }

    fn save(&self, name: &str, session: &Session) -> Result<(), HookError> {
        let new = self.folder.join("new");
        fs::write(&new, serde_json::to_vec(session)?)?;
        Ok(fs::rename(new, self.folder.join(name))?)
    }

    fn journal(&self) -> FileJournal {
        FileJournal::open(self.folder.join("journal")).expect("a journal")
    }

    fn ledger(&self) -> String {
        fs::read_to_string(self.folder.join("ledger")).unwrap_or_default()
    }
}

/// The number of the process, and the inbox of its session.
struct Process {
    number: u64,
    inbox: Inbox,
}

/// Charges an order.
#[tool(destructive)]
async fn charge(order: u64, #[state] files: &Files) -> Result<String, std::io::Error> {
    let mut ledger = OpenOptions::new().create(true).append(true).open(files.folder.join("ledger"))?;
    writeln!(ledger, "{order}")?;
    tokio::time::sleep(Duration::from_millis(5)).await;
    Ok(format!("order {order} is charged"))
}

/// Reads a file, while the user may send a message.
#[tool(idempotent)]
async fn read(file: u64, #[state] process: &Process) -> String {
    if file % 5 == 2 {
        process.inbox.push_user(format!("Message {file} of process {}.", process.number));
    }
    tokio::time::sleep(Duration::from_millis(2)).await;
    format!("line of file {file}\n").repeat(300)
}

fn registry(files: &Files, process: Process) -> Registry {
    let spill = Spill::folder(files.folder.join("results")).expect("a folder").above(2_000);
    let registry =
        Registry::builder().tools(tools![charge, read]).spill(spill).state(files.clone()).state(process);
    registry.build().expect("the tools are valid").with(&RunContext::new().run_id("chat-7"))
}

/// The reply with this number.
fn reply(number: u64) -> AssistantMessage {
    let call = |tool: &str, key: &str| {
        ToolCall::new(format!("{tool}_{number}"), tool, format!(r#"{{"{key}":{number}}}"#))
    };
    match number {
        REPLIES.. => AssistantMessage::from_text("Done."),
        _ if number % 3 == 0 => {
            AssistantMessage::from_tool_calls([call("charge", "order"), call("read", "file")])
        }
        _ => AssistantMessage::from_tool_calls([call("read", "file")]),
    }
}

/// Runs the session to its end, from the state that an earlier process has stored.
pub(crate) async fn run_program(files: &Files, number: u64) {
    let mut session = files.load("session.json").unwrap_or_else(|| {
        let mut session = Session::new().system("You run a shop.").user("Handle the orders.");
        files.save("first.json", &session.claim()).expect("it is stored");
        session
    });
    let journal = files.journal();
    let registry = registry(files, Process { number, inbox: session.inbox() });
    let next = AtomicU64::new(0);
    let (next, files) = (&next, files);
    let compaction = Compaction::above(700, estimated_tokens).down_to(500).keep_replies(1);
    let compaction = compaction.summarise(|removed| async move {
        tokio::time::sleep(Duration::from_millis(2)).await;
        Ok::<_, HookError>(format!("{} messages, by process {number}", removed.len()))
    });
    let run = session.run(&registry).max_replies(usize::MAX).journal(&journal).compact(compaction);
    let run = run.store(|session: &Session| files.save("session.json", session));
    let run = run.between_replies(|mut session| {
        next.store(session.replies(), Ordering::Relaxed);
        if session.replies() % 4 == 1 && session.pending().is_none() {
            session
                .edit(|messages| messages.push(Message::developer(format!("Note of process {number}."))))
                .expect("valid");
        }
        Box::pin(async { Ok(Flow::Continue) })
    });
    let model = async |_| {
        tokio::time::sleep(Duration::from_millis(3)).await;
        Ok::<_, HookError>(reply(next.load(Ordering::Relaxed)))
    };
    let end = if number % 2 == 0 {
        run.complete(model).await
    } else {
        run.stream(async |request| {
            let scripted = ScriptedModel::new([model(request.clone()).await?]);
            Ok::<_, HookError>(scripted.stream(request).await?)
        })
        .await
    };
    assert_eq!(end.expect("no error"), RunEnd::Answered);
}

/// Checks a session that has come to its end.
pub(crate) async fn check_ended(files: &Files) {
    let ended = files.load("session.json").expect("it was stored");
    assert_valid(&ended);
    // A message that was in the inbox at the end has an answer of its own, from a process that was killed after the end.
    assert!(ended.final_text() == "Done." && ended.replies() > REPLIES, "{} replies", ended.replies());
    let mut charges: HashMap<String, u32> = HashMap::new();
    for order in files.ledger().lines() {
        *charges.entry(order.to_owned()).or_default() += 1;
    }
    assert!(charges.values().all(|times| *times == 1), "an order was charged twice: {charges:?}");

    let mut first = files.load("first.json").expect("it was stored");
    let registry = registry(files, Process { number: u64::MAX, inbox: first.inbox() });
    let journal = files.journal();
    let run = first.run(&registry).max_replies(usize::MAX).journal(&journal);
    let end = run.complete(async |_| Err::<AssistantMessage, _>("the model is not asked")).await;
    assert_eq!(end.expect("all is recorded"), RunEnd::Answered);
    let differs = first.messages().iter().zip(ended.messages()).position(|(first, ended)| first != ended);
    if let Some(at) = differs {
        panic!("the run differs at {at}: {:#?}", (&first.messages()[at], &ended.messages()[at]));
    }
    assert_eq!(first.messages().len(), ended.messages().len());
}
