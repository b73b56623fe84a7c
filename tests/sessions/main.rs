//! A property test of sessions: random scripts of replies, tools, decisions, interruptions and storage. A record of the
//! effects, which the tools keep, decides which results a session must have.
//!
//! The seed is printed; `SESSIONS_SEED` repeats a run, and `SESSIONS_ROUNDS` sets the number of rounds.

mod decide;
mod ends;
mod events;
mod formats;
mod found;
mod history;
mod ledger;
mod model;
mod oracle;
mod plan;
mod planned_reply;
mod registry;
mod round;
mod run;
#[path = "../always_answers/silence.rs"]
mod silence;
mod storage;
mod tally;

use round::Round;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tally::Tally;

/// The default number of rounds.
const ROUNDS: u64 = 700;

/// A test of so many rounds has each kind of runs and calls.
const ROUNDS_OF_ALL_KINDS: u64 = 800;

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn a_session_is_valid_whatever_happens() {
    silence::planned_panics();
    let seed = from_environment("SESSIONS_SEED", fastrand::u64(..));
    let rounds = from_environment("SESSIONS_ROUNDS", ROUNDS);
    println!("seed {seed}, {rounds} rounds; SESSIONS_SEED={seed} repeats them");
    let mut tally = Tally::default();
    for number in 0..rounds {
        let seed = seed.wrapping_add(number);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        let runtime = runtime.expect("a runtime");
        let mut round = Round::new(fastrand::Rng::with_seed(seed));
        let played = catch_unwind(AssertUnwindSafe(|| runtime.block_on(round.play(&mut tally))));
        match played {
            Ok(Ok(())) => {}
            Ok(Err(violation)) => panic!("SESSIONS_SEED={seed} SESSIONS_ROUNDS=1\n{violation}"),
            Err(panic) => {
                eprintln!("SESSIONS_SEED={seed} SESSIONS_ROUNDS=1");
                std::panic::resume_unwind(panic);
            }
        }
    }
    println!("{tally}");
    if rounds >= ROUNDS_OF_ALL_KINDS {
        tally.assert_all_kinds_occurred();
    }
}
