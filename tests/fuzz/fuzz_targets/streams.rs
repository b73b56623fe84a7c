//! Streams of every wire: `cargo +nightly fuzz run --fuzz-dir tests/fuzz streams`.
//!
//! The events of a stream must agree with its reply, a reply in pieces must equal the whole reply, and no truncated call may
//! run: see `tests/streams/any_stream.rs`.

#![no_main]

#[path = "../../streams/any_pieces.rs"]
mod any_pieces;
#[path = "../../streams/any_stream.rs"]
mod any_stream;
#[path = "../../hostile/events.rs"]
mod events;

use any_stream::{Choices, WIRES};
use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;

impl Choices for Unstructured<'_> {
    fn below(&mut self, limit: usize) -> usize {
        self.int_in_range(0..=limit - 1).unwrap_or_default()
    }
}

fuzz_target!(|data: &[u8]| {
    let choices = &mut Unstructured::new(data);
    let wire = WIRES[choices.below(WIRES.len())];
    if choices.one_in(4) {
        return any_pieces::check(choices, wire);
    }
    let (_, templates) = events::EVENTS.iter().find(|(name, _)| *name == wire).expect("a wire");
    let stream = any_stream::any_stream(choices, wire, templates);
    any_stream::check(wire, &stream);
});
