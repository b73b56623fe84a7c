//! One run of a session.

use crate::ledger::{Entry, Ledger};
use crate::model::Model;
use crate::plan::Plan;
use crate::store::Store;
use crate::tools::registry;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use tool_runtime::dispatch::CancellationToken;
use tool_runtime::session::{Event, RunEnd, RunError};
use tool_runtime::{RunContext, Session};
use tool_runtime_durable::{DurableRun as _, FileJournal};

/// The exit code of a process with a run that fails.
const RUN_FAILED: i32 = 4;

/// The data that the runs of a session share.
pub(crate) struct Scope {
    /// That of the round.
    folder: PathBuf,
    /// The number of the process.
    pub(crate) process: usize,
    pub(crate) plan: Arc<Plan>,
    pub(crate) ledger: Ledger,
    pub(crate) journal: FileJournal,
    pub(crate) store: Store,
    model: Model,
}

/// A run that begins.
pub(crate) struct Run {
    pub(crate) context: RunContext,
    /// Drops the run.
    pub(crate) dropped: CancellationToken,
    pub(crate) is_streamed: bool,
    /// The limits of replies and calls.
    pub(crate) limits: (usize, usize),
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Run(RunEnd),
    /// The model has failed, as planned. The next run asks it again.
    ModelFailed,
    Dropped,
}

impl Scope {
    pub(crate) fn new(
        plan: Plan,
        folder: &Path,
        process: usize,
        ledger: &Ledger,
        journal: &FileJournal,
    ) -> Arc<Self> {
        let ledger = ledger.for_session(&plan.name);
        let store = Store::new(folder, &plan.name);
        let plan = Arc::new(plan);
        let model = Model::new(&plan, &ledger);
        let (folder, journal) = (folder.to_owned(), journal.clone());
        Arc::new(Scope { folder, process, plan, ledger, journal, store, model })
    }

    /// Runs a session with the journal, and returns it.
    pub(crate) async fn run(self: Arc<Self>, mut session: Session, run: Run) -> (Session, Ended) {
        let Run { context, dropped, is_streamed, limits: (replies, calls) } = run;
        self.ledger.write(Entry::Run { replies: session.replies(), is_streamed });
        let ledger = self.ledger.clone();
        let on_event = move |event: &Event| {
            if let Event::ReplyFinished { number, .. } = event {
                ledger.write(Entry::Received { reply: *number });
            }
        };
        let registry = registry(&self).with(&context);
        let run = session.run(&registry).on_event(on_event).max_replies(replies).max_calls(calls);
        let run = run.journal(&self.journal);
        let running = async {
            if is_streamed {
                run.stream(|request| self.model.stream(request)).await.map_err(|error| error_text(&error))
            } else {
                run.complete(|request| self.model.complete(request)).await.map_err(|error| error_text(&error))
            }
        };
        let ended = {
            let mut running = pin!(running);
            tokio::select! {
                ended = &mut running => Some(ended),
                () = dropped.cancelled() => {
                    // Before another run continues what this one ends.
                    self.ledger.write(Entry::Dropped);
                    None
                }
            }
        };
        let Some(ended) = ended else { return (session, Ended::Dropped) };
        if let Ok(RunEnd::Cancelled) = ended {
            self.ledger.write(Entry::Cancelled);
        }
        let (end, ended) = match ended {
            Ok(end) => (format!("{end:?}"), Ended::Run(end)),
            Err(error) => (error, Ended::ModelFailed),
        };
        self.ledger.write(Entry::Ended { end });
        (session, ended)
    }

    /// Runs the inner session of a call from its beginning to its end. The journal has what an earlier run of it has done.
    pub(crate) async fn run_inner(&self, order: &str, context: &RunContext) -> (Arc<Self>, Session) {
        let plan = self.plan.inner(order);
        let inner = Scope::new(plan, &self.folder, self.process, &self.ledger, &self.journal);
        let mut session = Session::new().user(format!("Handle the return {order}."));
        for number in 0.. {
            let run = Run {
                context: context.clone(),
                dropped: CancellationToken::new(),
                is_streamed: inner.plan.random(("inner run", inner.process, number)).bool(),
                limits: (usize::MAX, usize::MAX),
            };
            let (next, ended) = Arc::clone(&inner).run(session, run).await;
            session = next;
            match ended {
                Ended::Run(RunEnd::Answered) if session.replies() == inner.plan.replies() => break,
                // The call is interrupted. A result would be recorded, and the call would not run again.
                Ended::Run(RunEnd::Cancelled) => std::future::pending().await,
                Ended::ModelFailed => {}
                ended => panic!("the inner run ends with {ended:?}"),
            }
        }
        inner.store.finish(&session);
        (inner, session)
    }
}

/// The error of a run that the model causes. Any other error ends the process, also in an inner session: a panic there would
/// only be the result of its outer call.
fn error_text<E: Display>(error: &RunError<E>) -> String {
    let text = error.to_string();
    if matches!(error, RunError::Log(_)) || text.contains("rejected") {
        eprintln!("a run fails: {text}");
        std::process::exit(RUN_FAILED);
    }
    text
}
