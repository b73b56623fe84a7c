//! What a call costs from what the model sent to its answer, beside a dispatcher written by hand.
//!
//! `cargo bench -p tool-runtime --bench dispatch`

#![allow(missing_docs, clippy::unused_async, reason = "the tools are async, as most are, and do not wait")]
#![allow(clippy::cast_precision_loss, reason = "nothing is counted that far")]

mod by_hand;
#[path = "../medians.rs"]
mod medians;
mod samples;

use futures_util::FutureExt as _;
use samples::{ALL, SCALARS, is_answered_alike, registry};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

/// How many calls of scalars, and how many times what they take by hand they may take.
const BUDGETS: [(usize, f64); 2] = [(1, 1.25), (64, 1.15)];

fn main() -> Result<(), Box<dyn Error>> {
    let registry = registry()?;
    println!("medians of {} runs, per call", medians::RUNS);
    println!("{:24}{:>7}{:>12}{:>12}{:>8}{:>9}", "", "calls", "by hand", "dispatch", "ratio", "budget");
    for sample in ALL {
        for number in [1, 8, 64, 1_000] {
            let calls = sample.calls(number);
            assert!(is_answered_alike(&registry, sample, &calls), "the answers differ: {}", sample.name);
            let [by_hand, ours] = medians::of([
                &mut || drop(black_box(by_hand::dispatch(black_box(&calls)).now_or_never())),
                &mut || drop(black_box(registry.dispatch(black_box(&calls)).now_or_never())),
            ]);
            let ratio = ours / by_hand;
            let budget = BUDGETS.into_iter().find(|&(of, _)| of == number && sample.name == SCALARS.name);
            let budget = budget.map_or(String::new(), |(_, most)| {
                format!("{most:9.2}{}", if ratio > most { "  over" } else { "" })
            });
            let told = |time: f64| format!("{:.0} ns", time / number as f64);
            println!(
                "{:24}{number:7}{:>12}{:>12}{ratio:8.2}{budget}",
                sample.name,
                told(by_hand),
                told(ours)
            );
        }
    }
    let calls = SCALARS.calls(1);
    let [by_hand, ours] = medians::of([
        &mut || drop(black_box(by_hand::answer(black_box(&calls[0]), Instant::now()).now_or_never())),
        &mut || drop(black_box(registry.dispatch(black_box(&calls)).now_or_never())),
    ]);
    println!("{}, one call, by hand without `join_all`: {:.2}", SCALARS.name, ours / by_hand);
    Ok(())
}
