//! The program that is killed: it runs one session to its end, and begins again with a stored session.

use crate::ledger::{self, Entry, Ledger};
use crate::model::Model;
use crate::plan::{Decision, Plan, Stores, edited};
use crate::store::Store;
use crate::tools::registry;
use fastrand::Rng;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tool_runtime::dispatch::CancellationToken;
use tool_runtime::session::{Event, RunEnd, RunError, WaitingCall};
use tool_runtime::{AssistantMessage, Registry, RunContext, Session, tools};
use tool_runtime_durable::{DurableRun as _, FileJournal};

/// The exit code of a process that cannot open the journal.
pub(crate) const NO_JOURNAL: i32 = 3;

/// The interruptions of its own runs that one process makes at most.
const MAX_INTERRUPTIONS: usize = 3;

/// The time after which the records of a session are removed, unless a call of it is open.
const EXPIRY: Duration = Duration::from_millis(2);

/// The settings that the parent passes in the environment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) folder: PathBuf,
    pub(crate) seed: u64,
    /// The process stops after so many entries of the ledger.
    pub(crate) holds_at: Option<usize>,
    /// The process waits for a line of its input after it has opened the journal.
    pub(crate) waits: bool,
    /// The process begins with the session before the first run, and does not interrupt its runs.
    pub(crate) repeats: bool,
    /// The process runs another session, so long that the records of this one expire.
    pub(crate) expires: bool,
}

pub(crate) fn run(settings: &Settings) {
    let folder = &*settings.folder;
    let plan = Arc::new(Plan::new(settings.seed));
    ledger::signal();
    let remove_after = if settings.expires { EXPIRY } else { plan.remove_after };
    let journal = match FileJournal::options().remove_after(remove_after).open(folder.join("journal")) {
        Ok(journal) => journal,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(NO_JOURNAL);
        }
    };
    let runtime = runtime(&plan);
    if settings.expires {
        return runtime.block_on(run_other_session(&journal));
    }
    let entries = ledger::entries(folder).expect("the ledger is valid");
    let ledger = Arc::new(Ledger::open(folder, settings.holds_at).expect("the ledger can be opened"));
    ledger.write(&Entry::Started);
    if settings.waits {
        std::io::stdin().read_line(&mut String::new()).expect("the parent writes");
    }
    let process = entries.iter().filter(|entry| **entry == Entry::Started).count();
    let mut random = plan.random(("process", process, settings.repeats));
    let store = Store::new(folder);
    let session = if settings.repeats { None } else { store.load(&plan, &mut random) };
    let program = Program {
        model: Model::new(&plan, &ledger, &entries),
        registry: registry(&ledger),
        person: plan.person(process),
        interruptions: if settings.repeats { MAX_INTERRUPTIONS } else { 0 },
        plan,
        journal,
        ledger,
        store,
        random,
        limits: (0, 0),
    };
    runtime.block_on(program.run_to_end(session.unwrap_or_else(first_session)));
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

/// The session before the first run.
fn first_session() -> Session {
    Session::new().system("You run a shop.").user("Handle the orders of today.")
}

struct Program {
    plan: Arc<Plan>,
    journal: FileJournal,
    ledger: Arc<Ledger>,
    store: Store,
    model: Model,
    registry: Registry,
    random: Rng,
    person: usize,
    interruptions: usize,
    /// The limits of the next run: replies and calls.
    limits: (usize, usize),
}

/// How a run ended.
enum Run {
    Ended(RunEnd),
    /// The model has failed, as planned. The next run asks it again.
    ModelFailed,
    Dropped,
}

impl Program {
    async fn run_to_end(mut self, mut session: Session) {
        self.raise_limits();
        loop {
            if self.plan.stores == Stores::Claims {
                self.store(&session.claim());
            }
            let end = match self.run(&mut session).await {
                Run::Ended(end) => end,
                Run::ModelFailed => continue,
                Run::Dropped => {
                    self.ledger.write(&Entry::Dropped);
                    self.reload(&mut session);
                    continue;
                }
            };
            match end {
                RunEnd::Answered if session.replies() == self.plan.replies() => break,
                RunEnd::Answered => {
                    session.push_user("And those of tomorrow.");
                    self.limits = (0, 0);
                    self.raise_limits();
                }
                RunEnd::NeedsApproval => self.decide(&mut session),
                RunEnd::NeedsResult => self.provide_results(&mut session),
                RunEnd::ReplyLimit | RunEnd::CallLimit => self.raise_limits(),
                RunEnd::Cancelled => self.ledger.write(&Entry::Cancelled),
                end => panic!("the run ends with {end:?}"),
            }
            let stores = match self.plan.stores {
                Stores::Never => false,
                Stores::AfterRuns | Stores::Claims => true,
                Stores::AfterSomeRuns => self.random.bool(),
            };
            if stores {
                self.store(&session);
            }
        }
        self.store.finish(&session);
        self.ledger.write(&Entry::Finished);
    }

    async fn run(&mut self, session: &mut Session) -> Run {
        let (token, dropped) = (CancellationToken::new(), CancellationToken::new());
        self.plan_interruption(&token, &dropped);
        let is_streamed = self.random.bool();
        self.ledger.write(&Entry::Run { replies: session.replies(), is_streamed });
        let context = RunContext::new().run_id(&*self.plan.run_id).cancellation(token);
        let ledger = Arc::clone(&self.ledger);
        let on_event = move |event: &Event| {
            if let Event::ReplyFinished { number, .. } = event {
                ledger.write(&Entry::Received { reply: *number });
            }
        };
        let (replies, calls) = self.limits;
        let run = session.run(&self.registry.with(&context)).on_event(on_event).max_replies(replies);
        let run = run.max_calls(calls).journal(&self.journal);
        let model = &self.model;
        let running = async {
            if is_streamed {
                let ended = run.stream(|request| model.stream(request)).await;
                ended.map_err(error_text)
            } else {
                let ended = run.complete(|request| model.complete(request)).await;
                ended.map_err(error_text)
            }
        };
        let ended = tokio::select! {
            ended = running => ended,
            () = dropped.cancelled() => return Run::Dropped,
        };
        self.ledger.remove_alarm();
        let (end, run) = match ended {
            Ok(end) => (format!("{end:?}"), Run::Ended(end)),
            Err(error) => (error, Run::ModelFailed),
        };
        self.ledger.write(&Entry::Ended { end });
        run
    }

    /// Some runs are cancelled or dropped at a random moment.
    fn plan_interruption(&mut self, token: &CancellationToken, dropped: &CancellationToken) {
        if self.interruptions == MAX_INTERRUPTIONS || self.random.u8(..10) < 7 {
            return;
        }
        self.interruptions += 1;
        let interrupted = if self.random.bool() { token.clone() } else { dropped.clone() };
        self.ledger.set_alarm(self.random.usize(2..16), move || interrupted.cancel());
    }

    /// After an interruption, some programs continue with a stored session, others with the one that they have.
    fn reload(&mut self, session: &mut Session) {
        if self.random.bool() {
            return;
        }
        *session = self.store.load(&self.plan, &mut self.random).unwrap_or_else(first_session);
    }

    fn raise_limits(&mut self) {
        let raise = |limit: &mut usize, by: usize| *limit = if by == 0 { usize::MAX } else { *limit + by };
        raise(&mut self.limits.0, self.plan.replies_per_run);
        raise(&mut self.limits.1, self.plan.calls_per_run);
    }

    fn store(&mut self, session: &Session) {
        self.store.add(session);
        self.ledger.write(&Entry::Stored { replies: session.replies() });
    }

    /// Decides about all waiting calls, or only about the first one.
    fn decide(&mut self, session: &mut Session) {
        let mut waiting = session.awaiting_approval();
        if self.random.bool() {
            waiting.truncate(1);
        }
        for WaitingCall { id, arguments, .. } in waiting {
            let mut arguments: Value = serde_json::from_str(&arguments).expect("the arguments are JSON");
            let order = arguments["order"].as_str().unwrap_or_default().to_owned();
            match self.plan.decision(&order, self.person) {
                Decision::Approve => {
                    self.ledger.write(&Entry::Approved { order });
                    session.approve(&id).expect("the call waits");
                }
                Decision::Edit => {
                    let order = edited(&order);
                    arguments["order"] = json!(order);
                    self.ledger.write(&Entry::Approved { order });
                    session.approve_with(&id, arguments).expect("the call waits");
                }
                Decision::Deny => session.deny(&id, format!("denied {order}")).expect("the call waits"),
            }
        }
    }

    fn provide_results(&self, session: &mut Session) {
        for call in session.awaiting_result() {
            let order = call.ticket.expect("the tool has a ticket");
            let result = format!("shown {order} to person {}", self.person);
            session.provide_result(&call.id, result).expect("the call waits");
        }
    }
}

/// The error of a run that the model causes. Any other error ends the process.
fn error_text<E: std::fmt::Display>(error: RunError<E>) -> String {
    match error {
        RunError::Log(error) => panic!("{error}"),
        error if error.to_string().contains("rejected") => panic!("{error}"),
        error => error.to_string(),
    }
}
