//! Peers that flood, do not read, or send messages of many megabytes. Each case runs in a process of its own, at three sizes, and
//! its memory must not grow with what the peer sends.
//!
//! `cargo test -p tool-runtime-mcp --all-features hostile -- --nocapture` prints the memory of each case. With `HOSTILE_SCALE=100`,
//! the sizes are 100 times larger.

mod clients;
mod floods;
#[cfg(feature = "http-client")]
mod http_servers;
mod servers;

use std::future::Future;
use std::pin::Pin;
use std::process::Command;

/// The name and the size of the case that a child process runs.
const CASE: &str = "HOSTILE_CASE";

/// The factor of all sizes, for tests by hand.
const SCALE: &str = "HOSTILE_SCALE";

/// The address space of a process, in kB: threads and the program itself take most of it.
const ADDRESS_SPACE: u64 = 2 << 20;

/// The time that a process may compute, for cases that never end.
const MAX_SECONDS: u64 = 60;

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
    const fn new(name: &'static str, sizes: [usize; 3], megabytes: f64, run: fn(usize) -> Running) -> Self {
        Case { name, sizes, megabytes, run }
    }
}

fn all() -> Vec<Case> {
    let mut cases = servers::cases();
    cases.extend(clients::cases());
    cases.extend(floods::cases());
    #[cfg(feature = "http-client")]
    cases.extend(http_servers::cases());
    cases
}

#[test]
fn no_peer_makes_the_memory_grow() {
    let scale = std::env::var(SCALE).map_or(1, |scale| scale.parse().expect("a number"));
    println!("{:<50} {:>12} {:>8}  outcome", "case", "size", "MB");
    let mut failures = Vec::new();
    for case in all() {
        let mut least = f64::INFINITY;
        for size in case.sizes.map(|size| size * scale) {
            let (megabytes, outcome) = match run_in_process(case.name, size) {
                Ok(measured) => measured,
                Err(error) => {
                    failures.push(format!("{} at {size}: {error}", case.name));
                    continue;
                }
            };
            println!("{:<50} {size:>12} {megabytes:>8.1} {outcome}", case.name);
            least = least.min(megabytes);
            if megabytes > case.megabytes || megabytes > least + MAX_GROWTH.max(case.megabytes / 2.0) {
                failures.push(format!("{} at {size}: {megabytes:.1} MB", case.name));
            }
        }
    }
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
    let output = command.env(CASE, format!("{name} {size}")).env("RUST_BACKTRACE", "0").output();
    let output = output.expect("the process of the case starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    let measured = printed.lines().find_map(|line| line.split_once("measured ")).map(|(_, rest)| rest);
    let (megabytes, outcome) = measured
        .and_then(|line| line.split_once(' '))
        .ok_or_else(|| format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()))?;
    Ok((megabytes.parse().expect("a number"), outcome.to_owned()))
}

#[test]
fn runs_one_case() {
    let Ok(case) = std::env::var(CASE) else { return };
    let (name, size) = case.rsplit_once(' ').expect("a name and a size");
    let size = size.parse().expect("a number");
    let case = all().into_iter().find(|case| case.name == name).expect("a case");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let before = peak_memory();
    let outcome = runtime.block_on((case.run)(size));
    #[allow(clippy::cast_precision_loss, reason = "a measurement")]
    let megabytes = (peak_memory() - before) as f64 / 1024.0;
    println!("measured {megabytes} {outcome}");
}

/// The greatest resident memory of this process so far, in kB; 0 on other systems than Linux.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
