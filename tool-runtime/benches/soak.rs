//! A million calls with every kind of failure, to find memory leaks.
//!
//! `cargo bench -p tool-runtime --bench soak`
//!
//! Resident memory after a million calls may be at most 5 % more than after a hundred thousand.

#![allow(clippy::unused_async, missing_docs, reason = "some tools are async and do not wait")]

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tool_runtime::dispatch::{CancellationToken, Decision};
use tool_runtime::{CallContext, Registry, RunContext, ToolCall, ToolOutput, tool, tools};

const CALLS: usize = 1_000_000;
const BATCH: usize = 100;
/// The number of calls after which the memory is read for the first time.
const EARLY: usize = CALLS / 10;
const MAX_RATIO: f64 = 1.05;

/// The message of a planned panic.
const PLANNED: &str = "as planned";

/// Adds.
#[tool]
async fn add(a: u64, b: u64, #[context] call: &CallContext) -> String {
    format!("{} for {}", a + b, call.id())
}

/// Fails.
#[tool]
async fn fails(text: &str) -> Result<(), std::io::Error> {
    tokio::task::yield_now().await;
    Err(std::io::Error::other(text.to_owned()))
}

/// Panics after an await.
#[tool]
async fn panics(#[state] buffer: &Arc<Vec<u8>>) {
    let _buffer = Arc::clone(buffer);
    tokio::task::yield_now().await;
    std::panic::panic_any(PLANNED);
}

/// Never ends.
#[tool(timeout = "1ms")]
async fn hangs(#[state] buffer: &Arc<Vec<u8>>) {
    let _buffer = Arc::clone(buffer);
    std::future::pending::<()>().await;
}

/// Works on a thread.
#[tool(blocking)]
fn works(text: String) -> String {
    text
}

/// Works on a thread for longer than its time limit.
#[tool(timeout = "1ms")]
fn works_too_long() {
    std::thread::sleep(Duration::from_millis(3));
}

/// Returns a long text and an artifact.
#[tool]
async fn returns_much() -> ToolOutput {
    ToolOutput::from("0123456789".repeat(10_000)).with_artifact(vec![7_u8; 10_000])
}

/// Is never approved.
#[tool(requires_approval)]
async fn deletes() {}

fn call(number: usize) -> ToolCall {
    let (name, arguments) = match number % 50 {
        0 => ("hangs", String::new()),
        1 => ("works", r#"{"text":"on a thread"}"#.to_owned()),
        2 if number % 500 == 2 => ("works_too_long", String::new()),
        3 | 4 => ("panics", String::new()),
        5..=8 => ("fails", format!(r#"{{"text":"error {number}"}}"#)),
        9 => ("returns_much", String::new()),
        10 | 11 => ("deletes", String::new()),
        12..=14 => ("ad", "{}".to_owned()),
        15..=17 => ("add", r#"{"a":1,"#.to_owned()),
        18..=20 => ("add", r#"{"a":-1,"c":2}"#.to_owned()),
        _ => ("add", format!(r#"{{"a":{number},"b":1}}"#)),
    };
    ToolCall::new(format!("call_{number}"), name, arguments)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic.payload().downcast_ref::<&str>() != Some(&PLANNED) {
            default_hook(panic);
        }
    }));
    let registry = Registry::builder()
        .tools(tools![add, fails, panics, hangs, works, works_too_long, returns_much, deletes])
        .state(Arc::new(vec![0_u8; 1_000]))
        .max_concurrency(64)
        .max_result_bytes(1_000)
        .max_calls_per_reply(BATCH - 2)
        .before_call(|_| async { Decision::Undecided })
        .build()?;
    let started = Instant::now();
    let (mut early, mut failed) = (None, 0);
    for first in (0..CALLS).step_by(BATCH) {
        let calls: Vec<ToolCall> = (first..first + BATCH).map(call).collect();
        let token = CancellationToken::new();
        let bound = registry.with(&RunContext::new().state(first).cancellation(token.clone()));
        let cancelled = (first / BATCH) % 10 == 0;
        let cancelling = async {
            tokio::task::yield_now().await;
            if cancelled {
                token.cancel();
            }
        };
        let (results, ()) = tokio::join!(bound.dispatch(&calls), cancelling);
        for (call, result) in calls.iter().zip(&results) {
            assert_eq!(call.id, result.tool_call_id, "each call has its tool message");
            failed += usize::from(result.outcome().is_some_and(|outcome| outcome.error().is_some()));
        }
        assert_eq!(results.len(), calls.len());
        if first + BATCH == EARLY {
            early = resident_kilobytes();
        }
    }
    println!("{CALLS} calls, {failed} of them failed, in {:.1} s", started.elapsed().as_secs_f64());
    let (Some(early), Some(late)) = (early, resident_kilobytes()) else {
        println!("skipped: this system does not report resident memory in /proc/self/status");
        return Ok(());
    };
    let ratio = late / early;
    println!(
        "resident after {EARLY} calls {early} kB, after {CALLS} {late} kB: {ratio:.3}, at most {MAX_RATIO}"
    );
    if ratio <= MAX_RATIO { Ok(()) } else { Err("the memory has grown".into()) }
}

fn resident_kilobytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
