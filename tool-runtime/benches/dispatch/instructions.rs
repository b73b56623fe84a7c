//! The instructions of a dispatch beside those of one written by hand: nearly the same in every run, where times drift.
//!
//! `cargo bench -p tool-runtime --bench dispatch_instructions`, with Valgrind and
//! `cargo install gungraun-runner@0.18.2 --locked`.

#![allow(missing_docs, clippy::unused_async, reason = "the tools are async, as most are, and do not wait")]

mod by_hand;
#[allow(dead_code, reason = "not all samples are counted")]
mod samples;

use futures_util::FutureExt as _;
use gungraun::{library_benchmark, library_benchmark_group};
use samples::{ERROR, NESTED, SCALARS, SCALARS_AND_JSON, Sample, UNKNOWN_TOOL, is_answered_alike};
use std::hint::black_box;
use std::process::Command;
use tool_runtime::{Registry, ToolCall};

/// A figure is of so many.
const DISPATCHES: usize = 16;

type Prepared = (Registry, Vec<ToolCall>);

fn prepared(sample: Sample, number: usize) -> Prepared {
    let registry = samples::registry().unwrap_or_else(|error| panic!("{error}"));
    let calls = sample.calls(number);
    // The first time allocates more, and is not counted.
    assert!(is_answered_alike(&registry, sample, &calls), "the answers differ: {}", sample.name);
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

/// The harness, whose `main` ends the process where its tools are missing.
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

fn main() {
    for tool in ["valgrind", "gungraun-runner"] {
        if Command::new(tool).arg("--version").output().is_err() {
            println!(
                "skipped: there is no `{tool}`; instructions are counted by Valgrind and gungraun-runner \
                 (cargo install gungraun-runner@0.18.2 --locked)"
            );
            return;
        }
    }
    println!(
        "a figure is of {DISPATCHES} dispatches; the ratio to by hand is the last figure under each `Comparison`"
    );
    harness::run();
}
