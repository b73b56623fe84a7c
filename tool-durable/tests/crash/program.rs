//! The program of one session: it runs the session to its end, decides about calls and stores the session.

use crate::calls::calls;
use crate::ledger::Entry;
use crate::oracle::difference;
use crate::plan::{Decision, Kind, Stores, Tool, edited};
use crate::run::{Ended, Run, Scope};
use fastrand::Rng;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tool_runtime::dispatch::CancellationToken;
use tool_runtime::session::{RunEnd, WaitingCall};
use tool_runtime::{RunContext, Session};

/// The interruptions of its own runs that one process makes at most.
const MAX_INTERRUPTIONS: usize = 3;

/// The session before the first run.
fn first_session() -> Session {
    Session::new().system("You run a shop.").user("Handle the orders of today.")
}

pub(crate) struct Program {
    scope: Arc<Scope>,
    random: Rng,
    person: usize,
    repeats: bool,
    interruptions: usize,
    /// The limits of the next run: replies and calls.
    limits: (usize, usize),
}

impl Program {
    /// A program that repeats begins with the session before the first run, and does not interrupt its runs.
    pub(crate) fn new(scope: Arc<Scope>, repeats: bool) -> Self {
        let random = scope.plan.random(("process", scope.process, repeats));
        let person = scope.plan.person(scope.process);
        let interruptions = if repeats { MAX_INTERRUPTIONS } else { 0 };
        Program { scope, random, person, repeats, interruptions, limits: (0, 0) }
    }

    pub(crate) async fn run_to_end(mut self) -> Session {
        let mut session = if self.repeats { first_session() } else { self.load() };
        self.raise_limits();
        loop {
            if self.scope.plan.stores == Stores::Claims {
                self.store(&session.claim());
            }
            let end = match self.run(&mut session).await {
                Ended::Run(end) => end,
                Ended::ModelFailed => continue,
                Ended::Dropped => {
                    self.reload(&mut session);
                    continue;
                }
            };
            match end {
                RunEnd::Answered if session.replies() == self.scope.plan.replies() => break,
                RunEnd::Answered => {
                    session.push_user("And those of tomorrow.");
                    self.limits = (0, 0);
                    self.raise_limits();
                }
                RunEnd::NeedsApproval => self.decide(&mut session),
                RunEnd::NeedsResult => self.provide_results(&mut session),
                RunEnd::ReplyLimit | RunEnd::CallLimit => self.raise_limits(),
                RunEnd::Cancelled => {}
                end => panic!("the run ends with {end:?}"),
            }
            let stores = match self.scope.plan.stores {
                Stores::Never => false,
                Stores::AfterRuns | Stores::Claims => true,
                Stores::AfterSomeRuns => self.random.bool(),
            };
            if stores {
                self.store(&session);
            }
        }
        self.scope.store.finish(&session);
        self.scope.ledger.write(Entry::Finished);
        session
    }

    /// Runs the session, or two clones of it at once, of which the second one may begin later. The program then continues with
    /// any of them.
    async fn run(&mut self, session: &mut Session) -> Ended {
        let count = if self.scope.plan.has(Kind::Same) { 2 } else { 1 };
        let mut runs = Vec::new();
        for number in 0..count {
            let delay = if number > 0 && self.random.bool() { self.random.u64(..20) } else { 0 };
            let running = Arc::clone(&self.scope).run(session.clone(), self.plan_run());
            runs.push(tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(delay)).await;
                running.await
            }));
        }
        let mut ended = Vec::new();
        for run in runs {
            ended.push(run.await.expect("the run does not panic"));
        }
        if let [(first, Ended::Run(end)), (second, Ended::Run(other_end))] = &ended[..]
            && ![end, other_end].contains(&&RunEnd::Cancelled)
        {
            assert_eq!(end, other_end, "two runs of a session end differently");
            assert_eq!(difference(first.messages(), second.messages()), None, "two runs of a session differ");
        }
        let (next, end) = ended.swap_remove(self.random.usize(..count));
        *session = next;
        end
    }

    /// Some runs are cancelled or dropped at a random moment.
    fn plan_run(&mut self) -> Run {
        let (token, dropped) = (CancellationToken::new(), CancellationToken::new());
        let is_interrupted = self.interruptions < MAX_INTERRUPTIONS && self.random.u8(..10) >= 7;
        if is_interrupted {
            self.interruptions += 1;
            let interrupted = if self.random.bool() { token.clone() } else { dropped.clone() };
            self.scope.ledger.set_alarm(self.random.usize(2..16), move || interrupted.cancel());
        }
        let context = RunContext::new().run_id(&*self.scope.plan.run_id).cancellation(token);
        Run { context, dropped, is_streamed: self.random.bool(), limits: self.limits }
    }

    fn load(&mut self) -> Session {
        let stored = self.scope.store.load(&self.scope.plan, &mut self.random);
        stored.unwrap_or_else(first_session)
    }

    /// After an interruption, some programs continue with a stored session, others with the one that they have.
    fn reload(&mut self, session: &mut Session) {
        if self.random.bool() {
            *session = self.load();
        }
    }

    fn raise_limits(&mut self) {
        let raise = |limit: &mut usize, by: usize| *limit = if by == 0 { usize::MAX } else { *limit + by };
        raise(&mut self.limits.0, self.scope.plan.replies_per_run);
        raise(&mut self.limits.1, self.scope.plan.calls_per_run);
    }

    fn store(&self, session: &Session) {
        self.scope.store.add(session);
        self.scope.ledger.write(Entry::Stored { replies: session.replies() });
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
            match self.scope.plan.decision(&order, self.person) {
                Decision::Approve => {
                    self.scope.ledger.write(Entry::Approved { order });
                    session.approve(&id).expect("the call waits");
                }
                Decision::Edit => {
                    let order = edited(&order);
                    arguments["order"] = json!(order);
                    self.scope.ledger.write(Entry::Approved { order });
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

/// Runs the inner sessions of a session once more, as if the results of their outer calls were lost.
pub(crate) async fn repeat_inner_sessions(scope: Arc<Scope>, session: Session) {
    let mut sessions = vec![(scope, session)];
    while let Some((scope, session)) = sessions.pop() {
        for call in calls(&session).expect("the session has come to its end") {
            if call.call.name == Tool::HandleReturn.name() {
                let context = RunContext::new().run_id(scope.plan.key(&call.order));
                sessions.push(scope.run_inner(&call.order, &context).await);
            }
        }
    }
}
