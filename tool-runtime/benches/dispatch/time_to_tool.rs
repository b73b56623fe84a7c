//! The time from a call to the first instruction of its tool, compared with a `match` written by hand.
//!
//! `cargo bench -p tool-runtime --bench time_to_tool`

#![allow(missing_docs, clippy::unused_async, reason = "the tool is async, as most tools are")]

use futures_util::FutureExt as _;
use serde::Deserialize;
use std::borrow::Cow;
use std::cell::Cell;
use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};
use tool_runtime::{Registry, ToolCall, tool, tools};

const RUNS: usize = 21;
const CALLS_IN_A_RUN: u32 = 1_000;

thread_local! {
    static STARTED: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Looks up the weather.
#[tool]
async fn get_weather(city: &str, days: u8, detail: bool) {
    STARTED.set(Some(Instant::now()));
    black_box((city, days, detail));
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments<'a> {
    #[serde(borrow)]
    city: Cow<'a, str>,
    days: u8,
    detail: bool,
}

/// Reads the clock before the call, as a dispatch does.
async fn by_hand(call: &ToolCall) -> Duration {
    let started = Instant::now();
    match &*call.name {
        "get_weather" => match serde_json::from_str(&call.arguments) {
            Ok(Arguments { city, days, detail }) => get_weather(&city, days, detail).await,
            Err(error) => panic!("{error}"),
        },
        other => panic!("there is no tool `{other}`"),
    }
    started.elapsed()
}

/// The mean time until the tool starts.
fn time<T>(dispatch: impl Fn() -> T) -> Option<Duration> {
    let mut sum = Duration::ZERO;
    for _ in 0..CALLS_IN_A_RUN {
        let sent = Instant::now();
        black_box(dispatch());
        sum += STARTED.take()? - sent;
    }
    Some(sum / CALLS_IN_A_RUN)
}

fn main() -> Result<(), Box<dyn Error>> {
    let registry = Registry::new(tools![get_weather])?;
    let calls = [ToolCall::new("call_1", "get_weather", r#"{"city":"Beijing","days":3,"detail":true}"#)];
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..RUNS {
        let by_hand = time(|| by_hand(black_box(&calls[0])).now_or_never());
        let ours = time(|| registry.dispatch(black_box(&calls)).now_or_never());
        times[0].push(by_hand.ok_or("the tool was not called")?);
        times[1].push(ours.ok_or("the tool was not called")?);
    }
    let [by_hand, ours] = times.map(|mut times| {
        times.sort();
        times[RUNS / 2]
    });
    println!("from a call to its tool's first instruction, medians of {RUNS} runs of {CALLS_IN_A_RUN} calls");
    let ratio = ours.as_secs_f64() / by_hand.as_secs_f64();
    println!("by hand {by_hand:?}, dispatch {ours:?}: {ratio:.2}; both include reading the clock");
    Ok(())
}
