//! One message for each call, whatever the model sends and whatever the tools do: random registries, random batches, and an
//! oracle that says for each call what its answer must be.
//!
//! The seed is printed; `ALWAYS_ANSWERS_SEED` repeats a run, `ALWAYS_ANSWERS_BATCHES` makes it longer or shorter.

#![allow(clippy::unused_async, reason = "the tools here are of both kinds, whether they wait or not")]

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
use tools::{AtWork, Tenant};

/// How many batches, if nothing else is asked for.
const BATCHES: u64 = 6_000;

/// Longer than any round may last.
const FOR_EVER: Duration = Duration::from_secs(1_000_000);

/// What a timer may be late: tokio's are of a millisecond.
const LATE: Duration = Duration::from_millis(2);

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn every_call_of_every_batch_is_answered() {
    silence::planned_panics();
    let seed = from_environment("ALWAYS_ANSWERS_SEED", fastrand::u64(..));
    let batches = from_environment("ALWAYS_ANSWERS_BATCHES", BATCHES);
    println!("seed {seed}, {batches} batches; ALWAYS_ANSWERS_SEED={seed} repeats them");
    let mut told = oracle::Tally::default();
    for round in 0..batches {
        let mut random = fastrand::Rng::with_seed(seed.wrapping_add(round));
        let settings = Settings::random(&mut random);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        let runtime = runtime.expect("a runtime");
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            runtime.block_on(one_round(&settings, &mut random, &mut told));
        }));
        if let Err(fault) = result {
            eprintln!(
                "ALWAYS_ANSWERS_SEED={} ALWAYS_ANSWERS_BATCHES=1\n{settings:#?}",
                seed.wrapping_add(round)
            );
            std::panic::resume_unwind(fault);
        }
    }
    println!("{told}");
    told.assert_that_everything_was_tried();
}

/// One registry, and one to three batches on it at once.
async fn one_round(settings: &Settings, random: &mut fastrand::Rng, told: &mut oracle::Tally) {
    let at_work = Arc::<AtWork>::default();
    let registry = settings.registry(&at_work);
    let batches: Vec<Vec<Planned>> = (0..settings.batches).map(|_| plan::batch(settings, random)).collect();
    let begun = Instant::now();
    let dispatched = batches.iter().enumerate().map(|(tenant, batch)| {
        let registry = registry.clone();
        async move { dispatch(&registry, settings, batch, tenant).await }
    });
    let answers = tokio::time::timeout(FOR_EVER, futures_util::future::join_all(dispatched)).await;
    let answers = answers.expect("every dispatch ends");
    let took = begun.elapsed();
    let oracle = Oracle::new(settings, &batches);
    assert!(took <= oracle.latest + LATE, "{took:?} where at most {:?} is allowed", oracle.latest);
    for (tenant, (batch, answers)) in batches.iter().zip(&answers).enumerate() {
        if let Some(answers) = answers {
            oracle.assert_answered(tenant, batch, answers, told);
        }
    }
    assert_eq!(at_work.futures(), 0, "a tool is still at work");
    at_work.wait_for_threads();
    assert_eq!(tokio::runtime::Handle::current().metrics().num_alive_tasks(), 0, "a task is left behind");
    if let Some(places) = settings.max_concurrency {
        assert!(at_work.most_futures() <= places, "{} at once, in {places} places", at_work.most_futures());
        assert_that_all_places_are_free(&registry, places).await;
    }
}

/// The answers to one batch; `None` if it was dropped before it was done.
async fn dispatch(
    registry: &Registry,
    settings: &Settings,
    batch: &[Planned],
    tenant: usize,
) -> Option<Vec<ToolMessage>> {
    let calls: Vec<ToolCall> = batch.iter().map(|planned| planned.call.clone()).collect();
    let mut context = BatchContext::new().state(Tenant(tenant));
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
    let dispatching = async {
        let dispatching = std::pin::pin!(registry.dispatch_with(&calls, &context));
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

/// As many tools as may run at once meet each other: with a place lost, they would wait for ever.
async fn assert_that_all_places_are_free(registry: &Registry, places: usize) {
    let batch = BatchContext::new().state(Arc::new(tokio::sync::Barrier::new(places)));
    let call = [ToolCall::new("1", "meets", "{}")];
    let meeting = futures_util::future::join_all((0..places).map(|_| registry.dispatch_with(&call, &batch)));
    let met = tokio::time::timeout(FOR_EVER, meeting).await;
    let has_met = |answers: &Vec<ToolMessage>| {
        answers[0].outcome().is_some_and(tool_runtime::dispatch::Outcome::succeeded)
    };
    assert!(met.is_ok_and(|met| met.iter().all(has_met)), "a place is not free");
}
