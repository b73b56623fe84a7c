//! A property test of long sessions: random scripts of replies on each wire, with hooks, an inbox, compaction at random marks, long
//! results in a store, budgets, storage before each request, dropped runs, and a journal.
//!
//! - Each request is valid by the rules of the wire's providers.
//! - Each handle that the model has received is in the session, and is read, until the results are removed.
//! - No message of the user is lost or doubled: it is in the session, in its inbox, or was passed on when it was removed.
//! - Budgets are exceeded by at most one reply of each running session.
//! - With a journal, no effect happens twice, and a run of the first stored session has the same messages.
//!
//! The seed is printed; `LONG_SESSIONS_SEED` repeats a run, and `LONG_SESSIONS_ROUNDS` sets the number of rounds of each seed.

mod program;
mod round;
mod script;
mod tools;

use round::Round;
use std::collections::BTreeMap;
use std::fmt;

/// The default number of rounds. `for seed in 1 2 3 …; LONG_SESSIONS_SEED=$seed LONG_SESSIONS_ROUNDS=400` is the longer test.
const ROUNDS: u64 = 60;

/// The events of all rounds. A test without one of them is red.
#[derive(Default)]
pub(crate) struct Tally(BTreeMap<String, u64>);

impl Tally {
    pub(crate) fn add(&mut self, event: impl Into<String>) {
        *self.0.entry(event.into()).or_default() += 1;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(event, times)| write!(f, "{event} {times}; "))
    }
}

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn long_sessions_are_valid_and_lose_nothing() {
    let seed = from_environment("LONG_SESSIONS_SEED", fastrand::u64(..));
    let rounds = from_environment("LONG_SESSIONS_ROUNDS", ROUNDS);
    println!("seed {seed}, {rounds} rounds; LONG_SESSIONS_SEED={seed} repeats them");
    let mut tally = Tally::default();
    for number in 0..rounds {
        let seed = seed.wrapping_add(number);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        let played = runtime.expect("a runtime").block_on(Round::new(seed).play(&mut tally));
        if let Err(violation) = played {
            panic!("LONG_SESSIONS_SEED={seed} LONG_SESSIONS_ROUNDS=1\n{violation}");
        }
    }
    println!("{tally}");
    if rounds >= ROUNDS {
        let events = [
            "summary",
            "notice",
            "handle",
            "read",
            "message",
            "overflow",
            "dropped run",
            "restart",
            "budget",
            "journal",
            "stop",
            "inner session",
        ];
        for event in events {
            assert!(tally.0.contains_key(event), "no round has: {event}; {tally}");
        }
    }
}
