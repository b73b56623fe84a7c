//! Hostile programs, in the process and in a worker: the host survives, within the limits of memory and time.
//!
//! It prints the memory and the time of each program.

mod programs;

use programs::{Hostile, programs};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};
use tool_runtime::{Registry, tool, tools};
use tool_runtime_code::{CodeTool, Engine, Limits, QuickJs, Worker, serve_worker};

const MEMORY: usize = 16 << 20;
const COMPUTE_TIME: Duration = Duration::from_millis(300);
/// For programs that end by themselves, also on a busy machine.
const LONG_COMPUTE_TIME: Duration = Duration::from_secs(10);
/// The memory that an engine takes in addition to that of its program, in bytes.
const MEMORY_OVERHEAD: u64 = 8 << 20;
/// Far more than the time of any program: the machine may be busy.
const MAX_TIME: Duration = Duration::from_secs(20);

/// In bytes: the printed text and the value, which have 1,000 bytes each, and the list of calls.
const MAX_TEXT: usize = 8_000;

/// Returns the text.
#[tool(read_only)]
fn echo(text: String) -> String {
    text
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["run-program", report] => {
            let report = PathBuf::from(report);
            // The process is killed after its program.
            thread::spawn(move || {
                loop {
                    write_report(&report);
                    thread::sleep(Duration::from_millis(2));
                }
            });
            // A worker may also be a program with a Tokio runtime.
            runtime().block_on(async { serve_worker() })
        }
        ["run-here", number] => {
            run_here(number.parse().expect("the number of a program"));
            ExitCode::SUCCESS
        }
        ["keep-threads-busy"] => {
            keep_threads_busy();
            ExitCode::SUCCESS
        }
        _ => run_all(),
    }
}

/// Writes the largest memory of this process so far. A reader never sees a part of the text.
fn write_report(path: &Path) {
    let unfinished = path.with_extension("unfinished");
    fs::write(&unfinished, peak_memory().to_string()).expect("the report can be written");
    fs::rename(unfinished, path).expect("the report can be renamed");
}

/// Runs one program in this process, and prints its text, its time and its memory.
fn run_here(number: usize) {
    // The engine and the runtime have their memory before it is measured.
    run("return 1", QuickJs, LONG_COMPUTE_TIME);
    let before = peak_memory();
    let (text, time) = run(programs()[number].code, QuickJs, programs()[number].compute_time());
    println!(
        "{}",
        json!({ "text": text, "ms": time.as_millis(), "memory": peak_memory().saturating_sub(before) })
    );
}

/// Starts programs whose threads do not stop, and prints how the next program ends. The end of this process ends the threads.
fn keep_threads_busy() {
    for _ in 0..4 {
        run("return 'a'.repeat(6e6).indexOf('a'.repeat(3e6) + 'b')", QuickJs, COMPUTE_TIME);
    }
    // A thread that does not stop within a second counts.
    thread::sleep(Duration::from_millis(1_500));
    println!("{}", run("return 1", QuickJs, LONG_COMPUTE_TIME).0);
}

impl Hostile {
    /// A program whose error is not known may need a limit.
    fn compute_time(&self) -> Duration {
        if self.expected == "Error: " { COMPUTE_TIME } else { LONG_COMPUTE_TIME }
    }
}

fn run(code: &str, engine: impl Engine, compute_time: Duration) -> (String, Duration) {
    let limits = Limits::default().memory(MEMORY).compute_time(compute_time).calls(50).output(1_000);
    let code_tool =
        CodeTool::new(Registry::new(tools![echo]).expect("a valid tool")).engine(engine).limits(limits);
    let registry = Registry::builder().dynamic(code_tool.tool()).build().expect("a valid tool");
    let runtime = runtime();
    let started = Instant::now();
    let result = runtime.block_on(registry.call("run_code", json!({ "code": code })));
    (result.text().into_owned(), started.elapsed())
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// The largest memory of this process so far, in bytes; 0 where it is not known. The resident part of the program's file does not
/// count, since it grows with the build.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = |field: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(field));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or_default()
    };
    kilobytes("VmHWM:").saturating_sub(kilobytes("RssFile:")) * 1024
}

/// The time and the memory that a program has taken.
struct Taken {
    text: String,
    time: Duration,
    memory: u64,
}

fn run_all() -> ExitCode {
    let folder = tempfile::tempdir().expect("a folder");
    let idle = idle_worker(folder.path());
    if peak_memory() == 0 {
        println!("skipped: the memory of programs, which is not known on this system");
    }
    println!("running {} tests", 2 * programs().len() + 1);
    let (mut passed, mut failed) = (0, 0);
    let next = after_busy_threads();
    if next.contains("earlier programs do not stop") {
        passed += 1;
        println!("test in the process: four threads that do not stop ... ok");
    } else {
        failed += 1;
        println!("test in the process: four threads that do not stop ... FAILED: {next:?}");
    }
    for (number, program) in programs().into_iter().enumerate() {
        let Hostile { name, expected, .. } = program;
        let worker = in_worker(program, &folder.path().join(number.to_string()));
        let worker = Taken { memory: worker.memory.saturating_sub(idle.memory), ..worker };
        for (engine, taken) in [("in the process", here(number)), ("in a worker", Ok(worker))] {
            match taken.and_then(|taken| check(&taken, expected).map(|()| taken)) {
                Ok(Taken { text, time, memory }) => {
                    passed += 1;
                    let text: String = text.chars().take(70).collect();
                    println!("test {engine}: {name} ... ok ({time:.0?}, {} kB) {text:?}", memory >> 10);
                }
                Err(error) => {
                    failed += 1;
                    println!("test {engine}: {name} ... FAILED: {error}");
                }
            }
        }
    }
    let result = if failed == 0 { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {result}. {passed} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out"
    );
    ExitCode::from(u8::from(failed > 0))
}

fn check(taken: &Taken, expected: &str) -> Result<(), String> {
    let max_memory = MEMORY as u64 + MEMORY_OVERHEAD;
    if taken.memory > max_memory {
        return Err(format!("it took {} kB of memory: {}", taken.memory >> 10, taken.text));
    }
    if taken.time > MAX_TIME {
        return Err(format!("it took {:?}", taken.time));
    }
    if taken.text.len() > MAX_TEXT {
        return Err(format!("the model reads {} bytes", taken.text.len()));
    }
    if taken.text.contains(expected) {
        Ok(())
    } else {
        Err(format!("{:?} does not have {expected:?}", taken.text))
    }
}

/// A worker without work, which may be killed before it reports its memory.
fn idle_worker(folder: &Path) -> Taken {
    let idle = Hostile { name: "no work", code: "return 1", expected: "1" };
    let workers = (0..100).map(|number| in_worker(idle, &folder.join(format!("idle-{number}"))));
    let is_measured = |worker: &Taken| worker.memory > 0 || peak_memory() == 0;
    workers.into_iter().find(is_measured).expect("a worker reports its memory")
}

fn own_program() -> PathBuf {
    env::current_exe().expect("the path of this program")
}

/// In another process, which the program must not end.
fn here(number: usize) -> Result<Taken, String> {
    let mut command = Command::new(own_program());
    let output = command.arg("run-here").arg(number.to_string()).stderr(Stdio::null()).output();
    let output = output.map_err(|error| error.to_string())?;
    let line = String::from_utf8_lossy(&output.stdout).into_owned();
    let report: serde_json::Value =
        serde_json::from_str(&line).map_err(|_| format!("the process has ended: {}", output.status))?;
    Ok(Taken {
        text: report["text"].as_str().unwrap_or_default().to_owned(),
        time: Duration::from_millis(report["ms"].as_u64().unwrap_or(u64::MAX)),
        memory: report["memory"].as_u64().unwrap_or(u64::MAX),
    })
}

/// The text of a program after those of `keep_threads_busy`.
fn after_busy_threads() -> String {
    let output = Command::new(own_program()).arg("keep-threads-busy").output();
    output
        .map_or_else(|error| error.to_string(), |output| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn in_worker(program: Hostile, report: &Path) -> Taken {
    let worker = Worker::new(own_program()).arg("run-program").arg(report);
    let (text, time) = run(program.code, worker, program.compute_time());
    // A worker that was killed at once wrote no report.
    let memory = fs::read_to_string(report).ok().and_then(|memory| memory.parse().ok()).unwrap_or_default();
    Taken { text, time, memory }
}
