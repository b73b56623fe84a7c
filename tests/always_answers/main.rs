//! A property test: every call gets one tool message. It generates random registries and batches, and an oracle computes the
//! expected message of each call.
//!
//! The seed is printed; `ALWAYS_ANSWERS_SEED` repeats a run, and `ALWAYS_ANSWERS_BATCHES` sets the number of batches.

#![allow(clippy::unused_async, reason = "both kinds of functions are tested, whether they await or not")]

mod blocked;
mod oracle;
mod plan;
mod silence;
mod tools;

use oracle::Oracle;
use plan::{Planned, Settings};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tool_runtime::dispatch::CancellationToken;
use tool_runtime::{BatchContext, Registry, ToolCall, ToolMessage};
use tools::{Running, Tenant};

/// The default number of batches.
const BATCHES: u64 = 6_000;

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
    let batches = from_environment("ALWAYS_ANSWERS_BATCHES", BATCHES);
    println!("seed {seed}, {batches} batches; ALWAYS_ANSWERS_SEED={seed} repeats them");
    let mut tally = oracle::Tally::default();
    for round in 0..batches {
        let mut random = fastrand::Rng::with_seed(seed.wrapping_add(round));
        let settings = Settings::random(&mut random);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        let runtime = runtime.expect("a runtime");
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            runtime.block_on(one_round(&settings, &mut random, &mut tally));
        }));
        if let Err(panic) = result {
            eprintln!(
                "ALWAYS_ANSWERS_SEED={} ALWAYS_ANSWERS_BATCHES=1\n{settings:#?}",
                seed.wrapping_add(round)
            );
            std::panic::resume_unwind(panic);
        }
    }
    println!("{tally}");
    tally.assert_all_kinds_occurred();
}

/// Runs one to three concurrent batches on one registry.
async fn one_round(settings: &Settings, random: &mut fastrand::Rng, tally: &mut oracle::Tally) {
    let running = Arc::<Running>::default();
    let registry = settings.registry(&running);
    let batches: Vec<Vec<Planned>> = (0..settings.batches).map(|_| plan::batch(settings, random)).collect();
    let begun = Instant::now();
    let dispatched = batches.iter().enumerate().map(|(tenant, batch)| {
        let registry = registry.clone();
        async move { dispatch(&registry, settings, batch, tenant).await }
    });
    let answers = tokio::time::timeout(FOREVER, futures_util::future::join_all(dispatched)).await;
    let answers = answers.expect("every dispatch ends");
    let took = begun.elapsed();
    let oracle = Oracle::new(settings, &batches);
    assert!(took <= oracle.latest + TIMER_DELAY, "{took:?} where at most {:?} is allowed", oracle.latest);
    for (tenant, (batch, answers)) in batches.iter().zip(&answers).enumerate() {
        if let Some(answers) = answers {
            oracle.assert_answered(tenant, batch, answers, tally);
        }
    }
    assert_eq!(running.futures(), 0, "a tool is still running");
    running.wait_for_threads();
    assert_eq!(tokio::runtime::Handle::current().metrics().num_alive_tasks(), 0, "a task is still alive");
    if let Some(permits) = settings.max_concurrency {
        assert!(running.max_futures() <= permits, "{} at once, in {permits} permits", running.max_futures());
        assert_all_permits_are_free(&registry, permits).await;
    }
}

/// Dispatches one batch; `None` if its future was dropped before it completed.
async fn dispatch(
    registry: &Registry,
    settings: &Settings,
    planned: &[Planned],
    tenant: usize,
) -> Option<Vec<ToolMessage>> {
    let calls: Vec<ToolCall> = planned.iter().map(|planned| planned.call.clone()).collect();
    let mut batch = BatchContext::new().state(Tenant(tenant));
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
        batch = batch.cancellation(token.clone());
    }
    let registry = registry.with(&batch);
    let dispatching = async {
        let dispatching = std::pin::pin!(registry.dispatch(&calls));
        let cancelling = std::pin::pin!(cancelling);
        match futures_util::future::select(dispatching, cancelling).await {
            futures_util::future::Either::Left((answers, _)) => answers,
            futures_util::future::Either::Right(((), dispatching)) => dispatching.await,
        }
    };
    match settings.dropped_after {
        Some(after) => tokio::time::timeout(after, dispatching).await.ok(),
        None => Some(dispatching.await),
    }
}

/// As many tools as there are permits wait for each other. If a permit had leaked, they would wait forever.
async fn assert_all_permits_are_free(registry: &Registry, permits: usize) {
    let barrier = Arc::new(tokio::sync::Barrier::new(permits));
    let registry = registry.with(&BatchContext::new().state(barrier));
    let call = [ToolCall::new("1", "meets", "{}")];
    let meeting = futures_util::future::join_all((0..permits).map(|_| registry.dispatch(&call)));
    let met = tokio::time::timeout(FOREVER, meeting).await;
    let has_met = |answers: &Vec<ToolMessage>| {
        answers[0].outcome().is_some_and(tool_runtime::dispatch::Outcome::succeeded)
    };
    assert!(met.is_ok_and(|met| met.iter().all(has_met)), "a place is not free");
}
