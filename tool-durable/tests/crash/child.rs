//! The program that is killed: it runs one session or two to their end, and begins again with a stored session.

use crate::ledger::{self, Entry, Ledger, Line};
use crate::plan::Plan;
use crate::program::{Program, repeat_inner_sessions};
use crate::run::Scope;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use tool_runtime::session::RunEnd;
use tool_runtime::{AssistantMessage, Registry, RunContext, Session, tools};
use tool_runtime_durable::{DurableRun as _, FileJournal};

/// The exit code of a process that cannot open the journal.
pub(crate) const NO_JOURNAL: i32 = 3;

/// The time after which the records of a session are removed, unless a call of it is open.
const EXPIRY: Duration = Duration::from_millis(2);

/// The task of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Task {
    /// It runs the sessions of the round to their end, and begins with the stored ones.
    Run,
    /// It runs the sessions to their end, begins with those before the first run, and does not interrupt its runs.
    Repeat {
        /// It also runs the inner sessions, whose outer calls have recorded results.
        inner: bool,
    },
    /// It runs another session, so long that the records of the others expire.
    Expire,
}

/// The settings that the parent passes in the environment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) folder: PathBuf,
    pub(crate) seed: u64,
    pub(crate) task: Task,
    /// The process stops after so many entries of the ledger.
    pub(crate) holds_at: Option<usize>,
    /// The process waits for a line of its input after it has opened the journal.
    pub(crate) waits: bool,
}

pub(crate) fn run(settings: &Settings) {
    let folder = &*settings.folder;
    let plans = Plan::for_round(settings.seed);
    ledger::signal();
    let remove_after = if settings.task == Task::Expire { EXPIRY } else { plans[0].remove_after };
    let journal = match FileJournal::options().remove_after(remove_after).open(folder.join("journal")) {
        Ok(journal) => journal,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(NO_JOURNAL);
        }
    };
    let runtime = runtime(&plans[0]);
    if settings.task == Task::Expire {
        return runtime.block_on(run_other_session(&journal));
    }
    let lines = ledger::lines(folder).expect("the ledger is valid");
    let ledger = Ledger::open(folder, &lines, settings.holds_at).expect("the ledger can be opened");
    ledger.write(Entry::Started);
    if settings.waits {
        std::io::stdin().read_line(&mut String::new()).expect("the parent writes");
    }
    let is_start = |line: &&Line| line.entry == Entry::Started;
    let process = lines.iter().filter(is_start).count();
    runtime.block_on(async {
        let mut programs = JoinSet::new();
        for plan in plans {
            let scope = Scope::new(plan, folder, process, &ledger, &journal);
            programs.spawn(run_program(scope, settings.task));
        }
        programs.join_all().await;
    });
}

async fn run_program(scope: Arc<Scope>, task: Task) {
    let program = Program::new(Arc::clone(&scope), task != Task::Run);
    let session = program.run_to_end().await;
    if task == (Task::Repeat { inner: true }) {
        repeat_inner_sessions(scope, session).await;
    }
}

fn runtime(plan: &Plan) -> Runtime {
    let mut builder =
        if plan.has_threads { Builder::new_multi_thread() } else { Builder::new_current_thread() };
    builder.worker_threads(2).enable_all().build().expect("a runtime")
}

/// Waits until the other sessions expire, and runs one that commits to the journal.
async fn run_other_session(journal: &FileJournal) {
    tokio::time::sleep(10 * EXPIRY).await;
    let registry = Registry::new(tools![]).expect("there are no tools");
    let context = RunContext::new().run_id("another session");
    let mut session = Session::new().user("Hello!");
    let run = session.run(&registry.with(&context)).journal(journal);
    let ended = run.complete(async |_| Ok::<_, Infallible>(AssistantMessage::from_text("Hello!"))).await;
    assert_eq!(ended.expect("the journal works"), RunEnd::Answered);
}
