//! The instructions of a dispatch, compared with a dispatcher written by hand. Unlike times, they are nearly equal in
//! every run.
//!
//! `cargo bench -p tool-runtime --bench dispatch_instructions`, with Valgrind and
//! `cargo install gungraun-runner@0.18.2 --locked`.

#![allow(missing_docs, clippy::unused_async, reason = "the tools are async, as most tools are")]

mod by_hand;
#[allow(dead_code, reason = "not all samples are counted")]
mod samples;

use futures_util::FutureExt as _;
use gungraun::{library_benchmark, library_benchmark_group};
use samples::{
    ERROR, NESTED, SCALARS, SCALARS_AND_JSON, Sample, UNKNOWN_TOOL, WRONG_ARGUMENT, has_equal_results,
};
use std::error::Error;
use std::hint::black_box;
use std::process::{Command, Stdio};
use tool_runtime::{Registry, ToolCall};

/// The maximum ratios to the instructions by hand.
const BUDGETS: [(&str, f64); 4] = [
    ("scalars_in_1_call", 1.3),
    ("scalars_in_64_calls", 1.3),
    ("nested_in_1_call", 1.35),
    ("nested_in_64_calls", 1.35),
];

/// Set in the process that runs the harness, which prints the counts.
const HARNESS_VARIABLE: &str = "DISPATCH_INSTRUCTIONS_HARNESS";

/// The number of dispatches in a figure.
const DISPATCHES: usize = 16;

type Prepared = (Registry, Vec<ToolCall>);

fn prepared(sample: Sample, number: usize) -> Prepared {
    let registry = samples::registry().unwrap_or_else(|error| panic!("{error}"));
    let calls = sample.calls(number);
    // The first dispatch allocates more, and does not count.
    assert!(has_equal_results(&registry, sample, &calls), "the results differ: {}", sample.name);
    (registry, calls)
}

#[library_benchmark(setup = prepared)]
#[bench::scalars_in_1_call(SCALARS, 1)]
#[bench::scalars_in_64_calls(SCALARS, 64)]
#[bench::scalars_as_json_in_1_call(SCALARS_AND_JSON, 1)]
#[bench::scalars_as_json_in_64_calls(SCALARS_AND_JSON, 64)]
#[bench::nested_in_1_call(NESTED, 1)]
#[bench::nested_in_64_calls(NESTED, 64)]
#[bench::error_in_1_call(ERROR, 1)]
#[bench::error_in_64_calls(ERROR, 64)]
#[bench::wrong_argument_in_1_call(WRONG_ARGUMENT, 1)]
#[bench::unknown_tool_in_1_call(UNKNOWN_TOOL, 1)]
fn dispatch((registry, calls): Prepared) -> Prepared {
    for _ in 0..DISPATCHES {
        drop(black_box(registry.dispatch(black_box(&calls)).now_or_never()));
    }
    (registry, calls)
}

#[library_benchmark(setup = prepared)]
#[bench::scalars_in_1_call(SCALARS, 1)]
#[bench::scalars_in_64_calls(SCALARS, 64)]
#[bench::scalars_as_json_in_1_call(SCALARS_AND_JSON, 1)]
#[bench::scalars_as_json_in_64_calls(SCALARS_AND_JSON, 64)]
#[bench::nested_in_1_call(NESTED, 1)]
#[bench::nested_in_64_calls(NESTED, 64)]
#[bench::error_in_1_call(ERROR, 1)]
#[bench::error_in_64_calls(ERROR, 64)]
#[bench::wrong_argument_in_1_call(WRONG_ARGUMENT, 1)]
#[bench::unknown_tool_in_1_call(UNKNOWN_TOOL, 1)]
fn written_by_hand((registry, calls): Prepared) -> Prepared {
    for _ in 0..DISPATCHES {
        drop(black_box(by_hand::dispatch(black_box(&calls)).now_or_never()));
    }
    (registry, calls)
}

library_benchmark_group!(
    name = instructions;
    compare_by_id = true;
    benchmarks = dispatch, written_by_hand
);

/// The harness. Its `main` ends the process if its tools are missing.
mod harness {
    use super::instructions;
    use gungraun::{Callgrind, EventKind, LibraryBenchmarkConfig, main};

    main!(
        config = LibraryBenchmarkConfig::default()
            .tool(Callgrind::with_args(["--cache-sim=no"]).format([EventKind::Ir])),
        library_benchmark_groups = instructions
    );

    pub(super) fn run() {
        main();
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // `gungraun-runner` starts this program again for each benchmark.
    let is_benchmark = std::env::args().nth(1).is_some_and(|argument| argument == "--gungraun-run");
    if is_benchmark || std::env::var_os(HARNESS_VARIABLE).is_some() {
        harness::run();
        return Ok(());
    }
    for tool in ["valgrind", "gungraun-runner"] {
        if Command::new(tool).arg("--version").output().is_err() {
            println!(
                "skipped: `{tool}` is missing; this benchmark needs Valgrind and gungraun-runner \
                 (cargo install gungraun-runner@0.18.2 --locked)"
            );
            return Ok(());
        }
    }
    let mut harness = Command::new(std::env::current_exe()?);
    harness.args(std::env::args().skip(1)).env(HARNESS_VARIABLE, "").stderr(Stdio::inherit());
    let output = harness.output()?;
    let printed = String::from_utf8(output.stdout)?;
    println!("{printed}");
    if !output.status.success() {
        return Err("the harness failed".into());
    }
    compare_with_budgets(&printed)
}

/// Reads the lines `Comparison with dispatch NAME:(..)` and `Instructions: OURS|BY_HAND (..)`.
fn compare_with_budgets(printed: &str) -> Result<(), Box<dyn Error>> {
    let mut compared = 0;
    let mut is_over = false;
    for comparison in printed.split("Comparison with dispatch ").skip(1) {
        let (name, rest) = comparison.split_once(':').ok_or("a comparison has no name")?;
        let counts = rest.split_once("Instructions:").and_then(|(_, counts)| counts.split_once('|'));
        let (ours, by_hand) = counts.ok_or_else(|| format!("`{name}` has no counts"))?;
        let by_hand = by_hand.split_whitespace().next().unwrap_or_default();
        let ratio = ours.trim().parse::<f64>()? / by_hand.parse::<f64>()?;
        let budget = BUDGETS.into_iter().find(|&(budgeted, _)| budgeted == name);
        let is_over_here = budget.is_some_and(|(_, max)| ratio > max);
        is_over |= is_over_here;
        compared += 1;
        let budget = budget.map_or(String::new(), |(_, max)| format!(", at most {max}"));
        println!("{name:28}{ratio:6.3}{budget}{}", if is_over_here { ": over" } else { "" });
    }
    if compared == 0 {
        return Err("the harness printed no comparison".into());
    }
    if is_over { Err("a dispatch takes more instructions than its budget".into()) } else { Ok(()) }
}
