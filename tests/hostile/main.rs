//! Hostile schemas, arguments, replies and streams, which are designed to take a long time or much memory. Each case runs in
//! a process with 512 MB of memory (on Linux), on a thread with a stack of 2 MiB, and must end with a result or an error.
//!
//! `cargo test --release --package hostile -- --nocapture` prints the time and the memory of each case, and checks both.
//! Without `--release`, only the memory is checked.
//!
//! A processor that other programs use as well is slower, so the time of a case is relative to that of a known task, which runs
//! before and after the case. A case that takes too long runs again.

#![allow(
    clippy::cast_precision_loss,
    clippy::needless_pass_by_value,
    clippy::too_many_lines,
    reason = "a list of cases"
)]

mod anthropic;
mod bedrock;
mod calls;
mod cases;
mod coercions;
mod conversions;
mod events;
mod gemini;
mod gemini_interactions;
mod growth;
mod ollama;
mod pairs;
mod patterns;
mod products;
mod references;
mod responses;
mod schemas;
mod search;
mod sessions;
mod sizes;
mod texts;
mod unions;

use serde_json::Value;
use std::hint::black_box;
use std::num::NonZero;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The name of the case that a child process runs.
const CASE: &str = "HOSTILE_CASE";

/// Times are checked only with `--release`.
const CHECKS_TIMES: bool = !cfg!(debug_assertions);

/// The limits per 100 kB of input. Smaller inputs have the same limits.
const MAX_TIME: Duration = Duration::from_millis(200);
const MAX_MEGABYTES: f64 = 50.0;

/// How often a case may run until it takes less than the limit.
const ATTEMPTS: usize = 5;

/// The time of the known task on a processor that runs nothing else.
const KNOWN_TIME: Duration = Duration::from_millis(64);

/// A process that runs longer is ended.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The measurements of one case.
struct Measured {
    kilobytes: f64,
    time: Duration,
    megabytes: f64,
    outcome: String,
}

impl Measured {
    fn scale(&self) -> f64 {
        (self.kilobytes / 100.0).max(1.0)
    }

    fn is_slow(&self) -> bool {
        CHECKS_TIMES && self.time > MAX_TIME.mul_f64(self.scale())
    }
}

/// Lets the tests run one after the other where times are checked. Elsewhere they run side by side.
fn lock_processor() -> Option<MutexGuard<'static, ()>> {
    static PROCESSOR: Mutex<()> = Mutex::new(());
    CHECKS_TIMES.then(|| PROCESSOR.lock().unwrap_or_else(PoisonError::into_inner))
}

#[test]
fn every_hostile_case_ends_soon_and_with_little_memory() {
    let _processor = lock_processor();
    println!("{:<44} {:>8} {:>8} {:>7}  outcome", "case", "kB", "ms", "MB");
    let names: Vec<&str> = cases::all().iter().map(|case| case.name).collect();
    let mut failures = Vec::new();
    for (name, measured) in run_all(&names) {
        let measured = match measured {
            Ok(measured) => measured,
            Err(end) => {
                println!("{name:<44} {:>8} {:>8} {:>7}  {end}", "", "", "");
                failures.push(format!("{name}: {end}"));
                continue;
            }
        };
        let Measured { kilobytes, time, megabytes, outcome } = &measured;
        let milliseconds = time.as_secs_f64() * 1_000.0;
        println!("{name:<44} {kilobytes:>8.1} {milliseconds:>8.1} {megabytes:>7.1}  {outcome}");
        if *megabytes > MAX_MEGABYTES * measured.scale() {
            failures.push(format!("{name}: {megabytes:.1} MB"));
        }
        if measured.is_slow() {
            failures.push(format!("{name}: {milliseconds:.0} ms"));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Runs the cases. Where times are checked, each case has the processor for itself.
fn run_all(names: &[&'static str]) -> Vec<(&'static str, Result<Measured, String>)> {
    let parallel = std::thread::available_parallelism().map_or(1, NonZero::get);
    let at_once = if CHECKS_TIMES { 1 } else { parallel };
    let run_side_by_side = |names: &[&'static str]| {
        std::thread::scope(|scope| {
            let running: Vec<_> =
                names.iter().map(|&name| scope.spawn(move || (name, run_until_fast(name)))).collect();
            running.into_iter().map(|thread| thread.join().expect("the case is measured")).collect::<Vec<_>>()
        })
    };
    names.chunks(at_once).flat_map(run_side_by_side).collect()
}

fn run_until_fast(name: &str) -> Result<Measured, String> {
    let mut measured = run_in_process(name);
    for _ in 1..ATTEMPTS {
        if !measured.as_ref().is_ok_and(Measured::is_slow) {
            break;
        }
        measured = run_in_process(name);
    }
    measured
}

/// Runs the test `runs_one_case` in a separate process. The error describes how the process ended.
fn run_in_process(name: &str) -> Result<Measured, String> {
    let test = std::env::current_exe().expect("a path");
    let arguments = ["--exact", "runs_one_case", "--nocapture", "--test-threads", "1"];
    // On other systems, only the memory that the case allocates is measured.
    let mut command = if cfg!(target_os = "linux") {
        let mut command = Command::new("sh");
        command.args(["-c", r#"ulimit -v 524288; exec "$0" "$@""#]).arg(test);
        command
    } else {
        Command::new(test)
    };
    let mut child = command
        .args(arguments)
        .env(CASE, name)
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the process of the case starts");
    let started = Instant::now();
    while child.try_wait().expect("a status").is_none() {
        if started.elapsed() > TIME_LIMIT {
            child.kill().expect("the process can be ended");
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("its output");
    let printed = String::from_utf8_lossy(&output.stdout);
    let line = printed.lines().find_map(|line| line.split_once("measured ")).map(|(_, rest)| rest);
    let Some(line) = line.filter(|_| output.status.success()) else {
        let error = String::from_utf8_lossy(&output.stderr);
        let reason =
            ["stack overflow", "memory allocation", "panicked"].into_iter().find(|&end| error.contains(end));
        return Err(format!("{} ({})", reason.unwrap_or("took more than 60 s"), output.status));
    };
    let mut fields = line.splitn(4, ' ');
    let mut next = || fields.next().unwrap_or_default().to_owned();
    Ok(Measured {
        kilobytes: next().parse().expect("a number"),
        time: Duration::from_nanos(next().parse().expect("a number")),
        megabytes: next().parse().expect("a number"),
        outcome: next(),
    })
}

#[test]
fn runs_one_case() {
    let Ok(name) = std::env::var(CASE) else { return };
    let case = cases::all().into_iter().find(|case| case.name == name).expect("a case");
    let on_small_stack = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (mut outcome, mut time) = (String::new(), 0);
        let input = (case.prepare)();
        let bytes = input.len();
        known_task(); // the first one also pays for the memory of the process
        let known_before = known_task();
        let memory = allocation_counter::measure(|| {
            let before = cpu_time();
            outcome = runtime.block_on(input.run());
            time = cpu_time() - before;
        });
        let slowness = (known_before + known_task()).as_secs_f64() / (2.0 * KNOWN_TIME.as_secs_f64());
        let time = Duration::from_nanos(time).div_f64(slowness.max(1.0)).as_nanos();
        let megabytes = memory.bytes_max as f64 / 1e6;
        let outcome: String = outcome.replace('\n', " ").chars().take(90).collect();
        println!("measured {:.1} {time} {megabytes:.2} {outcome}", bytes as f64 / 1e3);
    });
    on_small_stack.expect("a thread").join().expect("the case ends");
}

/// The time of reading, copying and writing JSON, which is what most cases do, in memory that is larger than caches.
fn known_task() -> Duration {
    if !CHECKS_TIMES {
        return KNOWN_TIME;
    }
    let text = format!("[{}]", vec![r#"{"name":"take","values":[1,2,{"a":"b"}]}"#; 20_000].join(","));
    let before = cpu_time();
    let value: Value = serde_json::from_str(&text).expect("JSON");
    black_box(black_box(&value).clone().to_string());
    drop(value);
    Duration::from_nanos(cpu_time() - before)
}

/// The CPU time of this thread, in nanoseconds.
fn cpu_time() -> u64 {
    let read = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let time = read.and_then(|text| text.split(' ').next()?.parse().ok());
    // Other systems than Linux use the wall clock.
    time.unwrap_or_else(|| {
        use std::time::{SystemTime, UNIX_EPOCH};
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
    })
}
