//! The time from a call to its tool message, compared with a dispatcher written by hand.
//!
//! `cargo bench -p tool-runtime --bench dispatch`

#![allow(missing_docs, clippy::unused_async, reason = "the tools are async, as most tools are")]
#![allow(clippy::cast_precision_loss, reason = "the numbers are small")]

mod by_hand;
#[path = "../medians.rs"]
mod medians;
mod samples;

use futures_util::FutureExt as _;
use samples::{ALL, SCALARS, has_equal_results, registry};
use std::error::Error;
use std::hint::black_box;

/// The maximum ratio of the time with middleware that only runs the call to the time without middleware.
const MIDDLEWARE_BUDGET: f64 = 1.3;

fn main() -> Result<(), Box<dyn Error>> {
    let registry = registry()?;
    println!("medians of {} runs, per call", medians::RUNS);
    println!("{:24}{:>7}{:>12}{:>12}{:>8}", "", "calls", "by hand", "dispatch", "ratio");
    for sample in ALL {
        for number in [1, 8, 64, 1_000] {
            let calls = sample.calls(number);
            assert!(has_equal_results(&registry, sample, &calls), "the results differ: {}", sample.name);
            let [by_hand, ours] = medians::measure([
                &mut || drop(black_box(by_hand::dispatch(black_box(&calls)).now_or_never())),
                &mut || drop(black_box(registry.dispatch(black_box(&calls)).now_or_never())),
            ]);
            let ratio = ours / by_hand;
            let format = |time: f64| format!("{:.0} ns", time / number as f64);
            println!("{:24}{number:7}{:>12}{:>12}{ratio:8.2}", sample.name, format(by_hand), format(ours));
        }
    }
    let calls = SCALARS.calls(1);
    let [by_hand, ours] = medians::measure([
        &mut || drop(black_box(by_hand::message(black_box(&calls[0])).now_or_never())),
        &mut || drop(black_box(registry.dispatch(black_box(&calls)).now_or_never())),
    ]);
    println!("{}, one call, ratio to by hand without `join_all`: {:.2}", SCALARS.name, ours / by_hand);
    let with_middleware = samples::registry_with_middleware()?;
    for number in [1, 64] {
        let calls = SCALARS.calls(number);
        let [without, with] = medians::measure([
            &mut || drop(black_box(registry.dispatch(black_box(&calls)).now_or_never())),
            &mut || drop(black_box(with_middleware.dispatch(black_box(&calls)).now_or_never())),
        ]);
        let (ratio, over) = (with / without, with / without > MIDDLEWARE_BUDGET);
        println!(
            "{}, {number} calls, ratio of one pass-through middleware to none: {ratio:.2}, at most \
             {MIDDLEWARE_BUDGET}{}",
            SCALARS.name,
            if over { "  over" } else { "" }
        );
    }
    Ok(())
}
