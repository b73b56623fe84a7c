//! Waiting calls: concurrent ones, ones in the queue, and ones next to blocking tools.
//!
//! `cargo bench -p tool-runtime --bench waiting`

use std::error::Error;
use std::time::{Duration, Instant};
use tool_runtime::dispatch::Outcome;
use tool_runtime::{Registry, ToolCall, tool, tools};

const RUNS: usize = 5;
const SLEEP: Duration = Duration::from_millis(50);

/// Sleeps for 50 ms.
#[tool]
async fn sleeps() {
    tokio::time::sleep(SLEEP).await;
}

/// Blocks its thread for 50 ms.
#[tool(blocking)]
fn blocks() {
    std::thread::sleep(SLEEP);
}

/// Waits for a moment.
#[tool]
async fn waits_a_moment() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

fn calls(tool: &str, number: usize) -> Vec<ToolCall> {
    (0..number).map(|index| ToolCall::new(index.to_string(), tool, "{}")).collect()
}

/// The median of several measurements, in milliseconds.
async fn median<F: Future<Output = Duration>>(measure: impl Fn() -> F) -> f64 {
    let mut times = Vec::new();
    for _ in 0..RUNS {
        times.push(measure().await);
    }
    times.sort();
    times[RUNS / 2].as_secs_f64() * 1_000.0
}

async fn time_of_dispatch(registry: &Registry, calls: &[ToolCall]) -> Duration {
    let started = Instant::now();
    let results = registry.dispatch(calls).await;
    assert!(results.iter().all(|result| result.content == "ok"));
    started.elapsed()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let tools = || Registry::builder().tools(tools![sleeps, blocks, waits_a_moment]);
    let (registry, limited) = (tools().build()?, tools().max_concurrency(100).build()?);
    let thousand = calls("sleeps", 1_000);
    println!("medians of {RUNS} runs, on one thread");
    let all = median(|| time_of_dispatch(&registry, &thousand)).await;
    println!("1000 calls that each sleep 50 ms: {all:.1} ms, at most 100");
    let queued = median(|| time_of_dispatch(&limited, &thousand)).await;
    println!("the same with `max_concurrency(100)`: {queued:.1} ms, at least 500");

    let mut mixed = calls("blocks", 64);
    mixed.push(ToolCall::new("async", "waits_a_moment", "{}"));
    let delay = |calls: &[ToolCall]| {
        let (registry, calls) = (registry.clone(), calls.to_vec());
        async move {
            let results = registry.dispatch(&calls).await;
            let last = results.last().and_then(|result| result.outcome());
            last.map(Outcome::duration).unwrap_or_default()
        }
    };
    let alone = median(|| delay(&mixed[64..])).await;
    let together = median(|| delay(&mixed)).await;
    println!("an async tool that waits 1 ms, alone: {alone:.1} ms");
    println!("next to 64 blocking tools of 50 ms: {together:.1} ms");
    if all > 100.0 {
        return Err("1000 calls that sleep 50 ms take more than 100 ms".into());
    }
    if queued < 500.0 {
        return Err("more than 100 calls run at once".into());
    }
    Ok(())
}
