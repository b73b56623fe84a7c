//! The steps of one round: runs, decisions, storage.

use crate::decide::{decide, record_skipped};
use crate::history::{all_replies, calls};
use crate::ledger::Ledger;
use crate::model::Model;
use crate::oracle::{self, Decisions};
use crate::plan::{Habits, number_in};
use crate::registry::{Options, Policy};
use crate::run::{Done, Ended, Limits, Plan, run};
use crate::storage::{check_revision, store_and_load, stored};
use crate::tally::Tally;
use crate::{ends, events};
use fastrand::Rng;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tool_runtime::message::Message;
use tool_runtime::session::WaitingCall;
use tool_runtime::wire::{self, Wire};
use tool_runtime::{Registry, Session};

const WIRES: [&str; 7] =
    ["chat_completions", "anthropic", "responses", "gemini", "gemini_interactions", "bedrock", "ollama"];

pub(crate) struct Round {
    session: Session,
    registry: Registry,
    options: Options,
    model: Arc<Model>,
    ledger: Arc<Ledger>,
    policy: Arc<Policy>,
    limits: Limits,
    decisions: Decisions,
    random: Rng,
}

impl Round {
    pub(crate) fn new(mut random: Rng) -> Self {
        let wire: Arc<dyn Wire> = wire::by_name(WIRES[random.usize(..WIRES.len())]).expect("it is a wire");
        let ledger = Arc::<Ledger>::default();
        let policy = Arc::new(Policy::random(&mut random));
        let habits = Habits {
            repeats_ids: random.u8(..3) == 0,
            reports_usage: random.u8(..4) > 0,
            max_calls: random.usize(1..6),
            answers: 25,
            breaks: if random.bool() { 0 } else { 20 },
            pauses: wire.name() == "anthropic",
            has_texts: ["chat_completions", "responses"].contains(&wire.name()),
        };
        let options = Options::random(&mut random);
        ledger.records().starts_all_while_streaming = options.starts_all_while_streaming;
        let registry = options.registry(&ledger, &policy);
        let model = Arc::new(Model::new(wire, &ledger, habits, &mut random));
        let limits = Limits::random(&mut random);
        let session = Session::new().system("You run a shop.").user("Hello!");
        Round {
            session,
            registry,
            options,
            model,
            ledger,
            policy,
            limits,
            decisions: Decisions::default(),
            random,
        }
    }

    /// Takes random steps, and checks the session after each.
    pub(crate) async fn play(&mut self, tally: &mut Tally) -> Result<(), String> {
        let steps = self.random.usize(4..20);
        for _ in 0..steps {
            let before = stored(&self.session);
            let revision = self.session.revision();
            let waits =
                !self.session.awaiting_approval().is_empty() || !self.session.awaiting_result().is_empty();
            let has_answer = matches!(self.session.messages().last(), Some(Message::Assistant(_)));
            let step = match self.random.u8(..20) {
                0 => self.push_user(),
                // Otherwise runs and decisions change nothing.
                5..17 if has_answer && self.session.pending().is_none() => self.push_user(),
                1 => self.skip_calls(),
                2 => {
                    self.limits.raise(&mut self.random);
                    Ok(())
                }
                3 => {
                    self.policy.version.fetch_add(1, Ordering::Relaxed);
                    Ok(())
                }
                4 => Box::pin(self.run_claimed(tally)).await,
                5 => self.decide(),
                6..14 if waits => self.decide(),
                _ => Box::pin(self.run(tally)).await,
            };
            step.and_then(|()| check_revision((revision, &before), &self.session))?;
            let loaded = self.check()?;
            if self.random.bool() {
                self.session = loaded;
            }
        }
        tally.count_calls(&self.ledger.records(), &self.decisions);
        Ok(())
    }

    /// Checks the session, stores it and loads it again.
    fn check(&mut self) -> Result<Session, String> {
        oracle::check(&self.session, &self.ledger, &self.decisions)?;
        ends::check_calls(&self.session, &self.model, self.limits, &self.decisions)?;
        let usage = self.session.usage();
        let counted = self.model.state().usage;
        if (usage.input_tokens, usage.output_tokens) != counted {
            return Err(format!("the session counts {usage:?}, where {counted:?} have arrived"));
        }
        store_and_load(&self.session, self.random.bool())
    }

    fn push_user(&mut self) -> Result<(), String> {
        record_skipped(&self.session, &self.ledger, &mut self.decisions, "skipped by user");
        self.session.push_user("No, wait.");
        self.model.state().tokens = 0;
        self.ledger.records().counted = 0;
        if self.session.pending().is_some() { Err("calls are still pending".to_owned()) } else { Ok(()) }
    }

    fn skip_calls(&mut self) -> Result<(), String> {
        record_skipped(&self.session, &self.ledger, &mut self.decisions, "not now");
        self.session.skip_calls("not now");
        if self.session.pending().is_some() { Err("calls are still pending".to_owned()) } else { Ok(()) }
    }

    fn decide(&mut self) -> Result<(), String> {
        decide(&mut self.session, &self.ledger, &mut self.decisions, &mut self.random)
    }

    async fn run(&mut self, tally: &mut Tally) -> Result<(), String> {
        let plan = Plan::random(&mut self.random);
        let done = self.run_with(&plan, tally).await?;
        let Ended::Ok(end) = done.ended else { return Ok(()) };
        if ends::is_stable(end) && !done.is_cancelled && self.random.u8(..3) == 0 {
            let calm = Plan::calm(&mut self.random);
            let messages = self.session.messages().len();
            let again = self.run_with(&calm, tally).await?;
            if again.ended != Ended::Ok(end) || again.requests > 0 {
                return Err(format!("the second run does not end with {end:?}: {again:#?}"));
            }
            if self.session.messages().len() != messages {
                return Err("the second run changes the messages".to_owned());
            }
        }
        Ok(())
    }

    async fn run_with(&mut self, plan: &Plan, tally: &mut Tally) -> Result<Done, String> {
        self.ledger.records().approved_by_hook.clear();
        let replies = all_replies(&self.session);
        let run = run(&mut self.session, &self.registry, &self.model, self.limits, plan, &mut self.random);
        let done = Box::pin(run).await;
        tally.count_run(&done);
        oracle::check(&self.session, &self.ledger, &self.decisions)
            .and_then(|()| {
                ends::check(&done, &self.session, &self.model, self.limits, &self.policy, &self.decisions)
            })
            .and_then(|()| ends::check_broken(&done, &self.model, &self.options))
            .and_then(|()| events::check(&done, &self.session, replies))
            .map_err(|error| format!("{error}\nafter {done:#?}"))?;
        Ok(done)
    }

    /// Stores a claimed copy before a run, and continues from it if the process ends before the run does.
    async fn run_claimed(&mut self, tally: &mut Tally) -> Result<(), String> {
        let claimed = store_and_load(&self.session.claim(), self.random.bool())?;
        let (usage, tokens) = {
            let state = self.model.state();
            (state.usage, state.tokens)
        };
        let counted = self.ledger.records().counted;
        Box::pin(self.run(tally)).await?;
        if self.random.bool() {
            return Ok(());
        }
        tally.count("continued from a claimed copy");
        let waiting = |waiting: Vec<WaitingCall>| -> BTreeSet<u64> {
            waiting.iter().filter_map(|call| number_in(&call.arguments)).collect()
        };
        let (approvals, results) = (waiting(claimed.awaiting_approval()), waiting(claimed.awaiting_result()));
        let with_result = calls(&claimed).into_iter().filter(|call| call.result.is_some());
        let stored: BTreeSet<u64> = with_result.filter_map(|call| call.n).chain(results).collect();
        self.ledger.records().lose_run(|n| stored.contains(&n), |n| approvals.contains(&n));
        self.decisions.claimed.extend(calls(&claimed).iter().filter_map(|call| call.n));
        self.ledger.records().counted = counted;
        let mut state = self.model.state();
        (state.usage, state.tokens) = (usage, tokens);
        drop(state);
        self.session = claimed;
        Ok(())
    }
}
