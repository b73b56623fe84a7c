//! Tests with a real engine. `RESTATE_SERVER` names its program; without one, the test prints how to install it, and ends.
//!
//! `RESTATE_SESSIONS=500 cargo test -p tool-runtime-restate --test restate -- sessions_survive_kills` plays 500 sessions.

mod engine;
mod failures;
mod inputs;
mod kills;
mod ledger;
mod model;
mod oracle;
mod person;
mod process;
mod remote;
#[path = "../../examples/shop/server.rs"]
mod server;
mod settings;
mod setup;
mod sizes;
mod tools;
mod workers;

use futures_util::StreamExt as _;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::ExitCode;
use std::time::Instant;

type Test = for<'a> fn(&'a Path, &'a Path) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

macro_rules! tests {
    ($($module:ident::$test:ident),* $(,)?) => {
        [$((stringify!($test), (|program, folder| Box::pin($module::$test(program, folder))) as Test)),*]
    };
}

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[tokio::main]
async fn main() -> ExitCode {
    if let Ok(role) = std::env::var(workers::ROLE) {
        if !workers::play(&role).await {
            remote::run().await;
        }
        return ExitCode::SUCCESS;
    }
    let Some(program) = server::program() else {
        println!("skipped: the engine is not installed ({})", server::INSTALL);
        return ExitCode::SUCCESS;
    };
    let wanted: Vec<_> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let tests = tests![
        inputs::a_second_decision_is_a_conflict,
        inputs::a_message_with_its_key_arrives_once,
        inputs::a_message_waits_for_the_calls_that_run,
        inputs::a_cancelled_session_runs_no_further_call,
        inputs::a_message_after_a_cancellation_is_answered,
        inputs::a_decision_after_a_message_or_a_cancellation_is_a_conflict,
        sizes::many_large_inputs_arrive,
        failures::a_failed_request_ends_the_session_and_resume_continues,
        sizes::a_session_of_five_megabytes_continues,
        sizes::a_result_that_is_too_large_is_an_error,
        failures::a_session_continues_after_an_operator_cancels_its_step,
        failures::a_removed_session_is_gone,
        failures::a_session_that_does_not_exist_is_an_error,
        failures::a_paused_invocation_is_reported,
        settings::a_call_may_take_longer_than_the_limit_of_the_engine,
        failures::a_worker_accepts_connections_after_too_many,
        settings::an_agent_has_its_settings,
        remote::a_call_whose_response_is_lost_may_have_taken_effect,
        remote::a_program_that_is_killed_receives_the_results,
        kills::sessions_survive_kills,
    ];
    let selected = tests
        .into_iter()
        .filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|wanted| name.contains(&**wanted)));
    // Most tests wait for timers of the engine.
    let ended: Vec<bool> = futures_util::stream::iter(selected)
        .map(|(name, test)| run(name, test, program.clone()))
        .buffer_unordered(2)
        .collect()
        .await;
    if ended.iter().all(|&passed| passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs a test, and returns whether it has passed.
async fn run(name: &str, test: Test, program: PathBuf) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, started) = (folder.path().to_owned(), Instant::now());
    let passed = tokio::spawn(async move { test(&program, &path).await }).await.is_ok();
    println!("test {name} ... {} ({:.1?})", if passed { "ok" } else { "FAILED" }, started.elapsed());
    if !passed {
        println!("the files are in {}", folder.keep().display());
    }
    passed
}
