//! The cost of a recorded call, relative to a commit of the database on the same disk, in the same run.
//!
//! `cargo bench -p tool-runtime-durable --bench commits` measures one call and 16 calls at once. With `-- million`, it also
//! records a million calls in 100,000 runs, with and without expiry, and opens the file after `kill -9`.

use redb::{Database, TableDefinition};
use serde_json::json;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use tool_runtime::RunContext;
use tool_runtime::dispatch::{CallKey, ToolResult};
use tool_runtime_durable::{FileJournal, Journal, JournalCall};

const ROUNDS: u32 = 201;
const RUNS: u32 = 100_000;
const CALLS_PER_RUN: u32 = 10;
/// The calls that run at once while a million are recorded.
const AT_ONCE: usize = 500;
const TABLE: TableDefinition<(&str, u64, u64), &[u8]> = TableDefinition::new("records");

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [role, path] = arguments.as_slice()
        && role == "write-a-million"
    {
        let journal = FileJournal::open(path).expect("the file can be written");
        runtime().block_on(write_runs(&journal, |_| {}));
        println!("written");
        std::thread::sleep(Duration::MAX);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("commits-{}", process::id()));
    fs::create_dir_all(&folder).expect("the target folder can be written");
    compare(&folder);
    if arguments.iter().any(|argument| argument == "million") {
        grow(&folder);
        open_after_kill(&folder);
    }
    fs::remove_dir_all(&folder).expect("the target folder can be written");
}

/// One call and 16 at once, against one commit of the database. They take turns.
fn compare(folder: &Path) {
    let path = folder.join("compared");
    let runtime = runtime();
    let journal = FileJournal::open(&path).expect("the file can be written");
    let database = Database::create(folder.join("bare")).expect("the file can be written");
    let result = serde_json::to_vec(&result()).expect("a result serializes");
    let mut times = [const { Vec::new() }; 4];
    let mut commits = [0; 2];
    for round in 0..u64::from(ROUNDS) {
        let record = serde_json::to_vec(&call(&format!("run {round}"), 0, 0)).expect("a call serializes");
        times[0].push(time(|| {
            bare_commit(&database, round, &record);
            bare_commit(&database, round + (1 << 32), &result);
        }));
        for (index, calls) in [1, 16].into_iter().enumerate() {
            let before = commits_of(&path);
            times[index + 1]
                .push(time(|| runtime.block_on(at_once(&journal, &format!("{calls} {round}"), calls))));
            commits[index] += commits_of(&path) - before;
        }
        times[3].push(time(|| {
            runtime.block_on(async {
                for reply in 0..16 {
                    execute(&journal, call(&format!("in turn {round}"), reply, 0)).await;
                }
            });
        }));
    }
    let [bare, one, sixteen, in_turn] = times.map(median);
    let row = |name: &str, time: f64, commits: Option<f64>| {
        let commits = commits.map_or(String::new(), |commits| format!("{commits:.2}"));
        println!("{name:<44} {:>9.3} ms {:>6.2} x {commits:>8}", time * 1e3, time / bare);
    };
    println!("{:<44} {:>12} {:>8} {:>8}", "begin and finish", "median", "", "commits");
    row("redb: two commits of one record", bare, Some(2.0));
    row("one call", one, Some(f64::from(commits[0]) / f64::from(ROUNDS)));
    row("16 calls at once", sixteen, Some(f64::from(commits[1]) / f64::from(ROUNDS)));
    row("16 calls in turn", in_turn, None);
}

/// The size of the file while a million calls are recorded, which expire after two seconds.
fn grow(folder: &Path) {
    for expiry in [None, Some(Duration::from_secs(2))] {
        let path = folder.join(format!("growing {}", expiry.is_some()));
        let mut options = FileJournal::options();
        if let Some(time) = expiry {
            options = options.remove_after(time);
        }
        let journal = options.open(&path).expect("the file can be written");
        println!(
            "\n{} calls in {RUNS} runs, {AT_ONCE} calls at once, removed after {expiry:?}",
            RUNS * CALLS_PER_RUN
        );
        println!("{:>10} {:>14} {:>12}", "calls", "time per call", "file");
        let mut last = Instant::now();
        runtime().block_on(write_runs(&journal, |calls| {
            if calls % (RUNS * CALLS_PER_RUN / 10) == 0 {
                let time = last.elapsed().as_secs_f64() * 1e6 / f64::from(RUNS * CALLS_PER_RUN / 10);
                println!("{calls:>10} {time:>11.1} us {:>8.1} MiB", mebibytes(&path));
                last = Instant::now();
            }
        }));
        drop(journal);
        println!("{:>10} {:>14} {:>8.1} MiB", "closed", "", mebibytes(&path));
        let opened = time(|| drop(FileJournal::open(&path).expect("the file is complete")));
        println!("opened after it was closed: {:.3} s", opened.as_secs_f64());
        fs::remove_file(&path).expect("the file is closed");
    }
}

/// The time to open a file with a million calls after `kill -9` of its process.
fn open_after_kill(folder: &Path) {
    let path = folder.join("killed");
    let mut process = Command::new(env::current_exe().expect("this program has a path"))
        .arg("write-a-million")
        .arg(&path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program starts");
    let output = process.stdout.take().expect("its output is piped");
    assert_eq!(
        BufReader::new(output).lines().next().expect("it writes a line").expect("in UTF-8"),
        "written"
    );
    process.kill().expect("the process can be killed");
    process.wait().expect("the process ends");
    let opened = time(|| drop(FileJournal::open(&path).expect("the file is repaired")));
    println!("\n{:.1} MiB opened after kill -9: {:.3} s", mebibytes(&path), opened.as_secs_f64());
}

/// Begins and finishes the calls of all runs.
async fn write_runs(journal: &FileJournal, mut progress: impl FnMut(u32)) {
    let mut calls = 0;
    let mut tasks = JoinSet::new();
    for run in 0..RUNS {
        for number in 0..CALLS_PER_RUN {
            if tasks.len() >= AT_ONCE {
                tasks.join_next().await.expect("a call runs").expect("it does not panic");
            }
            let journal = journal.clone();
            tasks.spawn(
                async move { execute(&journal, call(&format!("run {run}"), u64::from(number), 0)).await },
            );
            calls += 1;
            progress(calls);
        }
    }
    tasks.join_all().await;
}

async fn at_once(journal: &FileJournal, run_id: &str, calls: usize) {
    let mut tasks = JoinSet::new();
    for position in 0..calls {
        let (journal, call) = (journal.clone(), call(run_id, 0, position));
        tasks.spawn(async move { execute(&journal, call).await });
    }
    tasks.join_all().await;
}

async fn execute(journal: &FileJournal, call: JournalCall) {
    journal.begin_call(&call).await.expect("the disk has space");
    journal.finish_call(&call.key, &result()).await.expect("the disk has space");
}

fn bare_commit(database: &Database, number: u64, record: &[u8]) {
    let transaction = database.begin_write().expect("the disk has space");
    let mut table = transaction.open_table(TABLE).expect("the disk has space");
    table.insert(("run", number, 0), record).expect("the disk has space");
    drop(table);
    transaction.commit().expect("the disk has space");
}

fn call(run_id: &str, reply: u64, position: usize) -> JournalCall {
    let key: CallKey =
        RunContext::new().run_id(run_id).key(reply, position).expect("the context has a run id");
    let arguments = r#"{"order":4711,"cents":1999,"reason":"The customer has sent the parcel back."}"#;
    let call = json!({ "key": key, "id": "call_0123456789abcdef", "tool": "refund", "arguments": arguments });
    serde_json::from_value(call).expect("the fields of a call")
}

fn result() -> ToolResult {
    ToolResult::ok("The refund of 19.99 was accepted by the bank, with the number 4711-0815.")
}

/// The number of commits, from the process file.
fn commits_of(journal: &Path) -> u32 {
    let mut path = journal.as_os_str().to_owned();
    path.push(".process");
    let text = fs::read_to_string(PathBuf::from(path)).expect("the journal is open");
    text.split_whitespace().next_back().and_then(|commits| commits.parse().ok()).expect("a number of commits")
}

fn mebibytes(path: &Path) -> f64 {
    let kibibytes = fs::metadata(path).expect("the file exists").len() >> 10;
    f64::from(u32::try_from(kibibytes).expect("the file has less than 4 TiB")) / 1024.0
}

fn time(execute: impl FnOnce()) -> Duration {
    let started = Instant::now();
    execute();
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().build().expect("the system has threads")
}
