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
use samples::{ERROR, NESTED, SCALARS, SCALARS_AND_JSON, Sample, UNKNOWN_TOOL, has_equal_results};
use std::hint::black_box;
use std::process::Command;
use tool_runtime::{Registry, ToolCall};

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

fn main() {
    for tool in ["valgrind", "gungraun-runner"] {
        if Command::new(tool).arg("--version").output().is_err() {
            println!(
                "skipped: `{tool}` is missing; this benchmark needs Valgrind and gungraun-runner \
                 (cargo install gungraun-runner@0.18.2 --locked)"
            );
            return;
        }
    }
    println!(
        "each figure is for {DISPATCHES} dispatches; the last one under each `Comparison` is the ratio to by hand"
    );
    harness::run();
}
