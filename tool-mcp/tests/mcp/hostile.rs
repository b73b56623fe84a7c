//! Peers that flood, do not read, or send messages of many megabytes. Each case runs in a process of its own, at three sizes, and
//! its memory must not grow with what the peer sends.
//!
//! `cargo test -p tool-runtime-mcp --all-features hostile -- --nocapture` prints the memory of each case. With `HOSTILE_SCALE=100`,
//! the sizes are 100 times larger; the text of a single large message, which the scripted peer builds, takes memory then, too.

mod clients;
mod floods;
#[cfg(feature = "http-client")]
mod http_servers;
mod running;
mod servers;

use std::future::Future;
use std::io::Write as _;
use std::num::NonZero;
use std::pin::Pin;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

/// The name and the size of the case that a child process runs.
const CASE: &str = "HOSTILE_CASE";

/// The factor of all sizes, for tests by hand.
const SCALE: &str = "HOSTILE_SCALE";

/// The address space of a process, in kB: threads and the program itself take most of it.
const ADDRESS_SPACE: u64 = 2 << 20;

/// The time that a process may compute, for cases that never end.
const MAX_SECONDS: u64 = 60;

/// The time in which a case ends also on a busy machine, for cases that wait for ever.
fn max_duration() -> Duration {
    Duration::from_secs(120).saturating_mul(scale().try_into().unwrap_or(u32::MAX))
}

/// The greatest difference of memory between the sizes of a case, in MB.
const MAX_GROWTH: f64 = 12.0;

/// A case, its three sizes, and the memory in MB that it may take at any of them.
struct Case {
    name: &'static str,
    sizes: [usize; 3],
    megabytes: f64,
    run: fn(usize) -> Running,
}

/// A running case, which returns its outcome. It panics if the outcome is wrong.
type Running = Pin<Box<dyn Future<Output = String>>>;

impl Case {
    /// Runs the case at each size, and returns the errors.
    fn measure(&self, scale: usize) -> Vec<String> {
        let Case { name, sizes, megabytes: limit, .. } = self;
        let (mut least, mut failures) = (f64::INFINITY, Vec::new());
        for size in sizes.map(|size| size * scale) {
            match run_in_process(name, size) {
                Ok((megabytes, outcome)) => {
                    println!("{name:<50} {size:>12} {megabytes:>8.1}  {outcome}");
                    least = least.min(megabytes);
                    if megabytes > *limit || megabytes > least + MAX_GROWTH.max(limit / 2.0) {
                        failures.push(format!("{name} at {size}: {megabytes:.1} MB"));
                    }
                }
                Err(error) => failures.push(format!("{name} at {size}: {error}")),
            }
        }
        failures
    }

    const fn new(name: &'static str, sizes: [usize; 3], megabytes: f64, run: fn(usize) -> Running) -> Self {
        Case { name, sizes, megabytes, run }
    }
}

fn all() -> Vec<Case> {
    // The longest cases come first, so that none of them runs alone at the end.
    let mut cases = running::cases();
    cases.extend(servers::cases());
    cases.extend(clients::cases());
    cases.extend(floods::cases());
    #[cfg(feature = "http-client")]
    cases.extend(http_servers::cases());
    cases
}

fn scale() -> usize {
    std::env::var(SCALE).map_or(1, |scale| scale.parse().expect("a number"))
}

#[test]
fn no_peer_makes_the_memory_grow() {
    let scale = scale();
    println!("{:<50} {:>12} {:>8}  outcome", "case", "size", "MB");
    let cases = Mutex::new(all().into_iter());
    let measure_cases = || {
        let next = || cases.lock().expect("no thread panics while it has the lock").next();
        std::iter::from_fn(next).flat_map(|case| case.measure(scale)).collect::<Vec<_>>()
    };
    let failures: Vec<String> = std::thread::scope(|scope| {
        let at_once = std::thread::available_parallelism().map_or(1, NonZero::get);
        let threads: Vec<_> = (0..at_once).map(|_| scope.spawn(measure_cases)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("the cases are measured")).collect()
    });
    assert!(failures.is_empty(), "{failures:#?}");
}

/// The memory that the case took, in MB, and its outcome.
fn run_in_process(name: &str, size: usize) -> Result<(f64, String), String> {
    let test = std::env::current_exe().expect("a path");
    let mut command = Command::new("sh");
    let limit = if cfg!(target_os = "linux") {
        format!("ulimit -v {ADDRESS_SPACE}; ulimit -t {MAX_SECONDS};")
    } else {
        String::new()
    };
    command.args(["-c", &format!(r#"{limit} exec "$0" "$@""#)]).arg(test);
    command.args(["--exact", "hostile::runs_one_case", "--nocapture", "--test-threads", "1"]);
    // By default, glibc keeps freed blocks of many megabytes, and how many depends on the order of all blocks. With this threshold,
    // it returns them to the system, and the memory is what the program holds.
    command.env("MALLOC_MMAP_THRESHOLD_", "131072");
    let output = command.env(CASE, format!("{name} {size}")).env("RUST_BACKTRACE", "0").output();
    let output = output.expect("the process of the case starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    let measured = printed.lines().find_map(|line| line.split_once("measured ")).map(|(_, rest)| rest);
    let (megabytes, outcome) = measured
        .and_then(|line| line.split_once(' '))
        .ok_or_else(|| format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()))?;
    Ok((megabytes.parse().expect("a number"), outcome.to_owned()))
}

/// A server and a client whose peer sends requests and does not read, in real time.
#[test]
#[ignore = "it takes more than a minute"]
fn nothing_grows_in_a_minute_without_reading() {
    let mut server = Command::new(crate::process::server())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut input = server.stdin.take().expect("a pipe");
    let sender = std::thread::spawn(move || {
        let first = crate::http::initialize(&serde_json::json!({}));
        let ping = |id: u64| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let lines = std::iter::once(first).chain((1..).map(ping));
        lines.take_while(|line| input.write_all(format!("{line}\n").as_bytes()).is_ok()).count()
    });
    let mut memory = Vec::new();
    for _ in 0..12 {
        std::thread::sleep(Duration::from_secs(5));
        memory.push(resident_memory(&server.id().to_string()));
    }
    server.kill().expect("it runs or has ended");
    let status = server.wait().expect("a status");
    println!("server, kB each 5 s: {memory:?} ({status}, {} lines sent)", sender.join().expect("no panic"));
    assert!(memory.iter().all(|&kilobytes| kilobytes < 30_000), "{memory:?}");

    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let memory = runtime.block_on(floods::minute_of_a_client());
    println!("client, kB each 5 s: {memory:?}");
    let (first, last) = (memory[0], memory[memory.len() - 1]);
    assert!(last < first + 5_000, "{memory:?}");
}

#[test]
fn runs_one_case() {
    let Ok(case) = std::env::var(CASE) else { return };
    let (name, size) = case.rsplit_once(' ').expect("a name and a size");
    let size = size.parse().expect("a number");
    let case = all().into_iter().find(|case| case.name == name).expect("a case");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let before = taken_memory();
    // The clock of the runtime may be paused.
    std::thread::spawn(|| {
        let limit = max_duration();
        std::thread::sleep(limit);
        eprintln!("the case has not ended after {limit:?}: it waits for ever, or the machine is too busy");
        std::process::exit(1);
    });
    let outcome = runtime.block_on((case.run)(size));
    #[allow(clippy::cast_precision_loss, reason = "a measurement")]
    let megabytes = taken_memory().saturating_sub(before) as f64 / 1024.0;
    println!("measured {megabytes} {outcome}");
}

/// The greatest memory that this process took so far, in kB; 0 on other systems than Linux. The resident part of the program's file
/// does not count, since it grows with the build.
fn taken_memory() -> u64 {
    memory_of("self", "VmHWM:").saturating_sub(memory_of("self", "RssFile:"))
}

/// The resident memory of a process, in kB; 0 if it has ended, and on other systems than Linux.
fn resident_memory(process: &str) -> u64 {
    memory_of(process, "VmRSS:")
}

fn memory_of(process: &str, field: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
