//! A property test: every call gets one tool message. It generates random registries and batches, and an oracle computes the
//! expected message of each call.
//!
//! The seed is printed; `ALWAYS_ANSWERS_SEED` repeats a run, and `ALWAYS_ANSWERS_ROUNDS` sets the number of rounds.

#![allow(clippy::unused_async, reason = "both kinds of functions are tested, whether they await or not")]

mod blocked;
mod ending;
mod events;
mod layered;
mod limited_tools;
mod messages;
mod middleware;
mod oracle;
mod plan;
mod running;
mod settings;
mod silence;
mod tally;
mod tools;

use events::{Dispatched, Recorded};
use oracle::Oracle;
use plan::Batch;
use running::{ALL, Running, Tenant};
use settings::Settings;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;
use tally::Tally;
use tokio::time::Instant;
use tool_runtime::dispatch::CancellationToken;
use tool_runtime::{Registry, RunContext, ToolCall, ToolMessage};

/// The default number of rounds.
const ROUNDS: u64 = 4_500;

/// A duration that no round reaches.
const FOREVER: Duration = Duration::from_secs(1_000_000);

/// The maximum delay of a timer: those of tokio have a resolution of one millisecond.
const TIMER_DELAY: Duration = Duration::from_millis(2);

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn every_call_of_every_batch_gets_one_tool_message() {
    silence::planned_panics();
    let seed = from_environment("ALWAYS_ANSWERS_SEED", fastrand::u64(..));
    let rounds = from_environment("ALWAYS_ANSWERS_ROUNDS", ROUNDS);
    println!("seed {seed}, {rounds} rounds; ALWAYS_ANSWERS_SEED={seed} repeats them");
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        let rounds_of = |first| (0..rounds).skip(first).step_by(threads);
        let running: Vec<_> =
            (0..threads).map(|first| scope.spawn(move || run_rounds(seed, rounds_of(first)))).collect();
        for thread in running {
            tally.add(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
    });
    println!("{tally}");
    tally.assert_all_kinds_occurred();
}

/// Runs these rounds, and counts their calls.
fn run_rounds(seed: u64, rounds: impl Iterator<Item = u64>) -> Tally {
    let mut tally = Tally::default();
    for round in rounds {
        let mut random = fastrand::Rng::with_seed(seed.wrapping_add(round));
        let settings = Settings::random(&mut random);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        let runtime = runtime.expect("a runtime");
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            runtime.block_on(one_round(&settings, &mut random, &mut tally));
        }));
        if let Err(panic) = result {
            eprintln!(
                "ALWAYS_ANSWERS_SEED={} ALWAYS_ANSWERS_ROUNDS=1\n{settings:#?}",
                seed.wrapping_add(round)
            );
            std::panic::resume_unwind(panic);
        }
    }
    tally
}

/// Runs one to four concurrent batches on one registry.
async fn one_round(settings: &Settings, random: &mut fastrand::Rng, tally: &mut Tally) {
    let running = Arc::<Running>::default();
    let registry = settings.registry(&running);
    let batches: Vec<Batch> = (0..settings.batches).map(|_| plan::batch(settings, random)).collect();
    let begun = Instant::now();
    let running_batches = batches.iter().enumerate().map(|(tenant, batch)| {
        let registry = registry.clone();
        async move { dispatch(&registry, settings, batch, tenant).await }
    });
    let dispatched = tokio::time::timeout(FOREVER, futures_util::future::join_all(running_batches)).await;
    let dispatched = dispatched.expect("every dispatch ends");
    let took = begun.elapsed();
    let oracle = Oracle::new(settings, &batches);
    assert!(took <= oracle.latest + TIMER_DELAY, "{took:?} where at most {:?} is allowed", oracle.latest);
    assert_nothing_runs(&running).await;
    for (tenant, (batch, dispatched)) in batches.iter().zip(&dispatched).enumerate() {
        if let Some(messages) = &dispatched.messages {
            oracle.assert_answered(tenant, batch, messages, tally);
        }
        oracle.assert_events(tenant, batch, dispatched, &running, tally);
    }
    events::assert_no_events_after_the_last(&running, &dispatched, tally);
    assert_limits_of_concurrency(settings, &running);
    if let Some(permits) = settings.max_concurrency {
        assert_all_permits_are_free(&registry, permits).await;
    }
    limited_tools::assert_all_permits_are_free(&registry, settings).await;
}

/// No future, task or thread is left.
async fn assert_nothing_runs(running: &Running) {
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    // The runtime drops aborted tasks of middleware later.
    for _ in 0..1_000 {
        if tasks() == 0 {
            break;
        }
        tokio::task::yield_now().await;
    }
    running.wait_for_threads();
    assert_eq!(running.runs.now(), 0, "a tool is still running");
    assert_eq!(running.calls.now(), 0, "middleware is still running");
    assert_eq!(tasks(), 0, "a task is still alive");
}

/// Never more calls than permits have run at once. With middleware, one call may run its tool twice at once.
fn assert_limits_of_concurrency(settings: &Settings, running: &Running) {
    let counts = if settings.middleware.is_empty() { &running.runs } else { &running.calls };
    let of_tools = limited_tools::NAMES.iter().map(|tool| (*tool, settings.limits_of(tool).max_concurrency));
    for (tool, permits) in of_tools.chain([(ALL, settings.max_concurrency)]) {
        if let Some(permits) = permits {
            let max = counts.max(tool);
            assert!(max <= permits, "{max} calls of `{tool}` at once, in {permits} permits");
        }
    }
}

/// Dispatches one batch.
async fn dispatch(registry: &Registry, settings: &Settings, planned: &Batch, tenant: usize) -> Dispatched {
    let calls: Vec<ToolCall> = planned.calls.iter().map(|planned| planned.sent.clone()).collect();
    let mut context = RunContext::new().state(Tenant(tenant)).run_id(tenant.to_string());
    context = context.state(planned.behaviours());
    if let Some(allowed) = &planned.allowed {
        context = context.allowed_tools(allowed.iter().copied());
    }
    let token = CancellationToken::new();
    let cancelling = async {
        match settings.cancelled_after {
            Some(after) => {
                tokio::time::sleep(after).await;
                token.cancel();
            }
            None => std::future::pending().await,
        }
    };
    if settings.cancelled_after.is_some() {
        context = context.cancellation(token.clone());
    }
    let (context, recorded) = Recorded::listen(context);
    let registry = registry.with(&context);
    let dispatching = async {
        let dispatching = std::pin::pin!(registry.dispatch(&calls));
        let cancelling = std::pin::pin!(cancelling);
        match futures_util::future::select(dispatching, cancelling).await {
            futures_util::future::Either::Left((answers, _)) => answers,
            futures_util::future::Either::Right(((), dispatching)) => dispatching.await,
        }
    };
    let messages = match settings.dropped_after {
        Some(after) => tokio::time::timeout(after, dispatching).await.ok(),
        None => Some(dispatching.await),
    };
    Dispatched { messages, recorded }
}

/// As many tools as there are permits wait for each other. If a permit had leaked, they would wait forever.
async fn assert_all_permits_are_free(registry: &Registry, permits: usize) {
    let barrier = Arc::new(tokio::sync::Barrier::new(permits));
    let registry = registry.with(&RunContext::new().state(barrier));
    let call = [ToolCall::new("1", "meets", "{}")];
    let meeting = futures_util::future::join_all((0..permits).map(|_| registry.dispatch(&call)));
    let met = tokio::time::timeout(FOREVER, meeting).await;
    let has_met =
        |messages: &Vec<ToolMessage>| messages[0].outcome().is_some_and(|outcome| outcome.error().is_none());
    assert!(met.is_ok_and(|met| met.iter().all(has_met)), "a place is not free");
}
