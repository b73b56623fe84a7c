//! Runs of one session, with decisions, results from elsewhere, cancellations and storage between them.

use crate::journal_of_events::{Entries, Entry};
use crate::plan::{Kind, Plan};
use fastrand::Rng;
use futures_util::future::BoxFuture;
use serde_json::json;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;
use tool_runtime::conversation::Request;
use tool_runtime::dispatch::{CancellationToken, Cause};
use tool_runtime::message::Message;
use tool_runtime::session::{Event, RunEnd, WaitingCall};
use tool_runtime::{Registry, RunContext, Session};
use tool_runtime_testing::{ScriptedModel, ScriptedReply};

/// The default number of rounds.
const ROUNDS: u64 = 600;

/// More runs than any plan needs.
const MAX_RUNS: usize = 200;

/// A run that the test performs: with a journal, for example.
pub(crate) struct PlannedRun<'a> {
    pub(crate) session: &'a mut Session,
    pub(crate) registry: &'a Registry,
    pub(crate) model: &'a ScriptedModel,
    pub(crate) is_streamed: bool,
    pub(crate) on_event: Box<dyn FnMut(&Event) + Send + 'a>,
    pub(crate) stop: CancellationToken,
}

/// Performs a run, with the journal of the round; `None` if it ended with an error.
pub(crate) type Perform<J> = for<'a> fn(PlannedRun<'a>, &'a J) -> BoxFuture<'a, Option<RunEnd>>;

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// `repeats_reads`: an interrupted reply is dropped although calls of `read_only` tools have started early.
pub(crate) fn play_all<J: Default>(perform: Perform<J>, repeats_reads: bool) {
    let seed = from_environment("ORDER_SEED", fastrand::u64(..));
    let rounds = from_environment("ORDER_ROUNDS", ROUNDS);
    println!("seed {seed}, {rounds} rounds; ORDER_SEED={seed} repeats them");
    let mut causes_seen = BTreeMap::new();
    for number in 0..rounds {
        let seed = seed.wrapping_add(number);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        let played = runtime.expect("a runtime").block_on(play(Rng::with_seed(seed), perform));
        let checked = played.and_then(|round| round.check(repeats_reads, &mut causes_seen));
        if let Err(violation) = checked {
            panic!("ORDER_SEED={seed} ORDER_ROUNDS=1\n{violation}");
        }
    }
    println!("{causes_seen:?}");
    let causes = ["Ran", "Denied", "Provided", "Interrupted", "NotRun", "Skipped"];
    if rounds >= ROUNDS {
        assert!(
            causes.iter().all(|cause| causes_seen.contains_key(*cause)),
            "each cause occurs: {causes_seen:?}"
        );
    }
}

/// A round that has ended.
struct Round {
    plan: Plan,
    entries: Vec<Entry>,
    session: Session,
    /// The denied calls.
    denied: HashSet<String>,
}

async fn play<J: Default>(mut random: Rng, perform: Perform<J>) -> Result<Round, String> {
    let journal = J::default();
    let perform = (perform, &journal);
    let plan = Plan::new(&mut random);
    let entries = Entries::default();
    let mut messages = plan.messages();
    let has_second_message = random.u8(..4) == 0;
    if has_second_message {
        // The answer to the second user message, which skips the calls that wait.
        messages.truncate(1);
        messages.push(tool_runtime::AssistantMessage::from_text("Done."));
    }
    // A request is repeated if its reply was dropped.
    let reply = move |request: &Request| {
        let is_reply = |message: &&Message| matches!(message, Message::Assistant(_));
        messages[request.messages().iter().filter(is_reply).count()].clone()
    };
    let chunk_delay = Duration::from_millis(random.u64(0..3));
    let model = ScriptedModel::repeat(ScriptedReply::from_fn(reply).with_chunk_delay(chunk_delay));
    let registry = plan.registry(&entries);
    let mut session = Session::new().user("Go.");
    let mut denied = HashSet::new();
    let mut is_skipped = false;
    for number in 0.. {
        if number == MAX_RUNS || entries.all().contains(&Entry::Stuck) {
            return Err(format!("the session does not end\n{plan:?}\n{:?}", entries.all()));
        }
        let is_disturbed = number < 12;
        let end =
            run(&mut session, &registry, (&model, &entries), perform, is_disturbed.then_some(&mut random))
                .await;
        if random.bool() {
            let stored = serde_json::to_string(&session).expect("it is written");
            session = serde_json::from_str(&stored).expect("it is read");
        }
        if end == Some(RunEnd::Answered) {
            break;
        }
        if has_second_message && !is_skipped && session.pending().is_some() && random.bool() {
            session.push_user("Stop that.");
            is_skipped = true;
        }
        decide(&mut session, &mut random, &mut denied, !is_disturbed);
    }
    // Decisions that ended the last call are reported by the next run.
    let _ = run(&mut session, &registry, (&model, &entries), perform, None).await;
    Ok(Round { plan, entries: entries.all(), session, denied })
}

/// One run, which a cancellation, a stop or the drop of its future may interrupt.
async fn run<J>(
    session: &mut Session,
    registry: &Registry,
    (model, entries): (&ScriptedModel, &Entries),
    (perform, journal): (Perform<J>, &J),
    disturbance: Option<&mut Rng>,
) -> Option<RunEnd> {
    let mut random = disturbance.map(Rng::fork);
    let mut choose = |of: u8| random.as_mut().is_some_and(|random| random.u8(..of) == 0);
    let (token, stop) = (CancellationToken::new(), CancellationToken::new());
    let (is_streamed, finishes_effects) = (choose(2), choose(2));
    let (cancels, stops, drops) = (choose(4), choose(4), choose(6));
    let after = random.as_mut().map_or(0, |random| random.u64(0..4) * 15);
    let mut context = RunContext::new().run_id("order-7").cancellation(token.clone());
    if finishes_effects {
        context = context.finish_effects(Duration::from_secs(1));
    }
    let registry = registry.with(&context);
    let on_event = |event: &Event| {
        if let Event::Call(event) = event {
            entries.add_event(event);
        }
    };
    let planned = PlannedRun {
        session,
        registry: &registry,
        model,
        is_streamed,
        on_event: Box::new(on_event),
        stop: stop.clone(),
    };
    let running = perform(planned, journal);
    let interrupt = async {
        tokio::time::sleep(Duration::from_millis(after)).await;
        if cancels {
            token.cancel();
        }
        if stops {
            stop.cancel();
        }
        if !drops {
            // A run that waits for nothing never ends.
            tokio::time::sleep(Duration::from_secs(3600)).await;
            entries.add(Entry::Stuck);
        }
    };
    let (mut running, mut interrupt) = (pin!(running), pin!(interrupt));
    poll_fn(|context| {
        if let Poll::Ready(end) = running.as_mut().poll(context) {
            return Poll::Ready(end);
        }
        interrupt.as_mut().poll(context).map(|()| None)
    })
    .await
}

/// Decides about some of the calls that wait, or about all of them.
fn decide(session: &mut Session, random: &mut Rng, denied: &mut HashSet<String>, all: bool) {
    for WaitingCall { id, .. } in session.awaiting_approval() {
        match random.u8(..4) {
            0 if !all => {}
            1 => {
                session.deny(&id, "no").expect("it waits");
                denied.insert(id);
            }
            2 => session.approve_with(&id, json!({"time": 5})).expect("it waits"),
            _ => session.approve(&id).expect("it waits"),
        }
    }
    for WaitingCall { id, .. } in session.awaiting_result() {
        if all || random.bool() {
            session.provide_result(&id, format!("result of {id}")).expect("it waits");
        }
    }
}

impl Round {
    /// The promises: the order, one last event for each call, and one truth in events and messages.
    fn check(&self, repeats_reads: bool, causes_seen: &mut BTreeMap<String, usize>) -> Result<(), String> {
        let Round { plan, entries, session, denied } = self;
        let context = || {
            let entries: Vec<String> = entries.iter().map(|entry| format!("{entry:?}")).collect();
            format!("{plan:?}\n{}", entries.join("\n"))
        };
        let kinds: HashMap<String, Kind> = (0..plan.replies.len())
            .flat_map(|reply| {
                let kinds = plan.replies[reply].iter().enumerate();
                kinds.map(move |(position, &kind)| (Plan::id(reply, position), kind))
            })
            .collect();
        let is_repeated = |id: &str| repeats_reads && kinds[id] == Kind::Read;
        let mut finished: HashMap<&str, (Cause, &str)> = HashMap::new();
        let mut begun: HashMap<&str, usize> = HashMap::new();
        for entry in entries {
            match entry {
                Entry::Stuck => return Err(format!("a run is stuck\n{}", context())),
                Entry::Finished { id, cause, text } => {
                    if finished.insert(id, (*cause, text)).is_some() && !is_repeated(id) {
                        return Err(format!("`{id}` has two last events\n{}", context()));
                    }
                    *causes_seen.entry(format!("{cause:?}")).or_default() += 1;
                }
                Entry::Begins { id } => {
                    if finished.contains_key(&**id) && !is_repeated(id) {
                        return Err(format!("`{id}` begins after its last event\n{}", context()));
                    }
                    *begun.entry(id).or_default() += 1;
                    if kinds[id].has_effect() && begun[&**id] > 1 {
                        return Err(format!("`{id}` begins twice\n{}", context()));
                    }
                    let earlier = before(plan, id);
                    if let Some(earlier) = earlier.iter().find(|earlier| !finished.contains_key(&***earlier))
                    {
                        return Err(format!("`{id}` begins before `{earlier}` has ended\n{}", context()));
                    }
                }
            }
        }
        let results = session.messages().iter().filter_map(|message| match message {
            Message::Tool(result) => Some((&*result.tool_call_id, result.text())),
            _ => None,
        });
        let results: HashMap<&str, &str> = results.collect();
        if results.len() != finished.len() {
            return Err(format!("{} results, {} last events\n{}", results.len(), finished.len(), context()));
        }
        for (id, text) in results {
            let Some((cause, reported)) = finished.get(id) else {
                return Err(format!("`{id}` has no last event\n{}", context()));
            };
            if text != *reported {
                return Err(format!("`{id}` has the result {text:?}, its event {reported:?}\n{}", context()));
            }
            let has_effect_begun = begun.contains_key(id) && kinds[id].has_effect();
            let is_right = match cause {
                Cause::Ran => begun.contains_key(id) && !denied.contains(id),
                Cause::Denied => denied.contains(id),
                Cause::NotRun => !has_effect_begun && !denied.contains(id),
                _ => true,
            };
            if !is_right {
                return Err(format!("`{id}` has the cause {cause:?}\n{}", context()));
            }
        }
        Ok(())
    }
}

/// The calls that must end before this one begins.
fn before(plan: &Plan, id: &str) -> Vec<String> {
    for (reply, kinds) in plan.replies.iter().enumerate() {
        for (position, kind) in kinds.iter().enumerate() {
            if Plan::id(reply, position) == *id {
                let is_barrier = kind.is_barrier(plan.ordered_effects);
                let earlier =
                    (0..position).filter(|&at| is_barrier || kinds[at].is_barrier(plan.ordered_effects));
                return earlier.map(|at| Plan::id(reply, at)).collect();
            }
        }
    }
    Vec::new()
}
