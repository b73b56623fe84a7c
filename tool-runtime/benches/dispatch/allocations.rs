//! The allocations of a dispatch, compared with a dispatcher written by hand.
//!
//! `cargo bench -p tool-runtime --bench dispatch_allocations`

#![allow(missing_docs, clippy::unused_async, reason = "the tools are async, as most tools are")]
#![allow(clippy::cast_precision_loss, reason = "the numbers are small")]

mod by_hand;
mod samples;

use allocation_counter::{AllocationInfo, measure};
use futures_util::FutureExt as _;
use samples::{ALL, Sample, UNKNOWN_TOOL, has_equal_results, registry};
use std::error::Error;
use std::hint::black_box;

/// The maximum number of allocations of a call in addition to those by hand. With a failure, the program gets the error
/// itself; with an unknown tool, the call of a similar tool as well, which is compared word by word and validated.
fn budget(sample: Sample) -> f64 {
    if sample.name == UNKNOWN_TOOL.name {
        55.0
    } else if sample.fails {
        6.0
    } else {
        1.0
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let registry = registry()?;
    println!("allocations and bytes per call");
    println!("{:24}{:>7}{:>16}{:>16}{:>8}{:>9}", "", "calls", "by hand", "dispatch", "more", "at most");
    let mut is_within = true;
    for sample in ALL {
        for number in [1, 8, 64, 1_000] {
            let calls = sample.calls(number);
            assert!(has_equal_results(&registry, sample, &calls), "the results differ: {}", sample.name);
            let by_hand = measure(|| drop(black_box(by_hand::dispatch(&calls).now_or_never())));
            let ours = measure(|| drop(black_box(registry.dispatch(&calls).now_or_never())));
            let by_call = |count: u64| count as f64 / number as f64;
            let format = |info: &AllocationInfo| {
                format!("{:.2} {:>6.0} B", by_call(info.count_total), by_call(info.bytes_total))
            };
            let more = by_call(ours.count_total) - by_call(by_hand.count_total);
            let (name, max) = (sample.name, budget(sample));
            println!("{name:24}{number:7}{:>16}{:>16}{more:8.2}{max:9}", format(&by_hand), format(&ours));
            is_within &= more <= max;
        }
    }
    if is_within { Ok(()) } else { Err("a figure is over its budget".into()) }
}
