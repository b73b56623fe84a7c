//! Mutated streams of every wire, and replies in pieces of any size.

use crate::any_pieces;
use crate::any_stream::{Choices, WIRES, any_stream, check};
use crate::stream_events::EVENTS;
use fastrand::Rng;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The number of streams for each wire. `MUTATED_STREAMS` sets another one.
const STREAMS: usize = 500;

impl Choices for Rng {
    fn below(&mut self, limit: usize) -> usize {
        self.usize(..limit)
    }
}

fn count() -> usize {
    std::env::var("MUTATED_STREAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(STREAMS)
}

#[test]
fn mutated_streams_agree_with_their_events_and_run_no_truncated_call() {
    let count = count();
    for (wire, templates) in EVENTS {
        for _ in 0..count {
            let seed = fastrand::u64(..);
            let events = any_stream(&mut Rng::with_seed(seed), wire, templates);
            let result = catch_unwind(AssertUnwindSafe(|| check(wire, &events)));
            assert!(result.is_ok(), "seed {seed}, {wire}:\n{}", events.join("\n"));
        }
        println!("{wire}: {count} streams");
    }
}

#[test]
fn a_reply_in_pieces_equals_the_whole_reply() {
    for wire in WIRES {
        for _ in 0..count() {
            let seed = fastrand::u64(..);
            let result =
                catch_unwind(AssertUnwindSafe(|| any_pieces::check(&mut Rng::with_seed(seed), wire)));
            assert!(result.is_ok(), "seed {seed}, {wire}");
        }
    }
}
