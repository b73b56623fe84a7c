//! An agent that hands its calls to a worker process over a pipe. Both are killed at random moments: each call has one result, and
//! at most one effect under its key.
//!
//! The agent stores its session before a call leaves, and sends each call of [`Session::handed_out`] until it has the end. The
//! worker runs each key once, with [`record_calls`](tool_runtime_durable::record_calls) and a journal of its own. The ledger of the
//! effects is a file that neither of them reads.
//!
//! `HAND_OUT_ROUNDS=200 cargo test -p tool-runtime-durable --test handed_out -- --nocapture` plays 200 rounds.

// The test kills a process that is not its child.
#![cfg(unix)]

mod agent;
mod ledger;
mod oracle;
mod plan;
mod round;
mod worker;

use plan::Plan;
use round::{Role, Settings};
use std::path::Path;
use std::time::Instant;

/// The default number of rounds.
const ROUNDS: u64 = 8;

/// In so many rounds, each kind of kill occurs.
const ROUNDS_OF_ALL_KILLS: u64 = 100;

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn each_call_takes_effect_at_most_once_whichever_process_is_killed() {
    let seed = from_environment("HAND_OUT_SEED", fastrand::u64(..));
    let rounds = from_environment("HAND_OUT_ROUNDS", ROUNDS);
    println!("seed {seed}, {rounds} rounds; HAND_OUT_SEED={seed} repeats them");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("handed-out-{}", std::process::id()));
    let (started, mut tally) = (Instant::now(), oracle::Tally::default());
    for number in 0..rounds {
        let (folder, seed) = (folder.join(number.to_string()), seed.wrapping_add(number));
        std::fs::create_dir_all(&folder).expect("the target folder can be written");
        let played = round::play(&folder, Plan::new(seed), &mut tally);
        let stderr = || std::fs::read_to_string(folder.join("stderr")).unwrap_or_default();
        played.unwrap_or_else(|error| {
            panic!(
                "HAND_OUT_SEED={seed} HAND_OUT_ROUNDS=1, files in {}: {error}\n{}",
                folder.display(),
                stderr()
            )
        });
        std::fs::remove_dir_all(&folder).expect("the files are closed");
    }
    println!("{tally}\n{rounds} of {rounds} in {:?}", started.elapsed());
    if rounds >= ROUNDS_OF_ALL_KILLS {
        assert!(tally.has_each_kind(), "{tally}");
    }
    std::fs::remove_dir_all(folder).expect("the files are closed");
}

/// The agent and its worker. Without settings, it does nothing.
#[test]
#[ignore = "the other test starts it as a process"]
fn child() {
    let Some(settings) = std::env::var_os(round::SETTINGS) else { return };
    let settings = settings.into_string().expect("the settings are text");
    let settings: Settings = serde_json::from_str(&settings).expect("the settings are JSON");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    match settings.role {
        Role::Agent => runtime.block_on(agent::run(&settings)),
        Role::Worker => runtime.block_on(worker::run(&settings)),
    }
}
