//! Calls that wait: side by side, in the queue, and beside tools that block.
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
    (0..number).map(|place| ToolCall::new(place.to_string(), tool, "{}")).collect()
}

/// The median of what is measured several times, in milliseconds.
async fn median<F: Future<Output = Duration>>(measure: impl Fn() -> F) -> f64 {
    let mut times = Vec::new();
    for _ in 0..RUNS {
        times.push(measure().await);
    }
    times.sort();
    times[RUNS / 2].as_secs_f64() * 1_000.0
}

async fn batch(registry: &Registry, calls: &[ToolCall]) -> Duration {
    let begun = Instant::now();
    let answers = registry.dispatch(calls).await;
    assert!(answers.iter().all(|answer| answer.content == "ok"));
    begun.elapsed()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let tools = || Registry::builder().tools(tools![sleeps, blocks, waits_a_moment]);
    let (registry, limited) = (tools().build()?, tools().max_concurrency(100).build()?);
    let thousand = calls("sleeps", 1_000);
    println!("medians of {RUNS} runs, on one thread");
    let all = median(|| batch(&registry, &thousand)).await;
    println!("1000 calls that each sleep 50 ms: {all:.1} ms, at most 100");
    let turns = median(|| batch(&limited, &thousand)).await;
    println!("the same with `max_concurrency(100)`: {turns:.1} ms, at least 500");

    let mut beside = calls("blocks", 64);
    beside.push(ToolCall::new("async", "waits_a_moment", "{}"));
    let delay = |calls: &[ToolCall]| {
        let (registry, calls) = (registry.clone(), calls.to_vec());
        async move {
            let answers = registry.dispatch(&calls).await;
            let last = answers.last().and_then(|answer| answer.outcome());
            last.map(Outcome::duration).unwrap_or_default()
        }
    };
    let alone = median(|| delay(&beside[64..])).await;
    let together = median(|| delay(&beside)).await;
    println!("an async tool that waits 1 ms, alone: {alone:.1} ms");
    println!("beside 64 blocking tools of 50 ms: {together:.1} ms");
    if all > 100.0 {
        return Err("1000 calls that sleep 50 ms take more than 100 ms".into());
    }
    if turns < 500.0 {
        return Err("more than 100 calls run at once".into());
    }
    Ok(())
}
