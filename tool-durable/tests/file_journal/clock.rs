//! A clock of the system that jumps.

use crate::child::{Child, Role};
use crate::folder::Folder;
use crate::records::{find_call, key};
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;
use tool_runtime_durable::FileJournal;

/// A command whose clock of the system is that of the file, which libfaketime reads at each look at the clock. As when an
/// administrator sets the clock, the monotonic clock does not jump. `None` if `faketime` is not installed.
fn with_clock(file: &Path) -> Option<Command> {
    // The file is read only if the time is not in the environment, where the command `faketime` writes it.
    let library = Command::new("faketime").args(["-f", "+0", "printenv", "LD_PRELOAD"]).output().ok()?;
    let library = String::from_utf8(library.stdout).ok().filter(|_| library.status.success())?;
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .env("LD_PRELOAD", library.trim())
        .env("FAKETIME_TIMESTAMP_FILE", file)
        .env("FAKETIME_NO_CACHE", "1")
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        .env("DONT_FAKE_MONOTONIC", "1");
    Some(command)
}

#[tokio::test]
async fn a_clock_that_jumps_removes_no_record() {
    const TEN_YEARS: u64 = 10 * 365 * 24 * 60 * 60;
    let folder = Folder::new("clock");
    let clock = folder.journal().with_extension("clock");
    let Some(command) = with_clock(&clock) else {
        println!("skipped: the command `faketime` is not installed");
        return;
    };
    fs::write(&clock, "+0").unwrap();
    let mut child = Child::start_with(command, Role::Steps, &folder.journal());
    assert_eq!(child.next_line(), "opened");
    let mut times = Vec::new();
    for (step, offset) in ["+0", "+3650d", "-3650d", "+0", "+3650d"].iter().enumerate() {
        fs::write(&clock, offset).unwrap();
        child.send(&step.to_string());
        times.push(child.next_line().parse::<u64>().unwrap());
    }
    // The process does see the clock jump.
    assert!(times[1] > times[0] + TEN_YEARS - 1000, "{times:?}");
    assert!(times[2] < times[1] - 2 * TEN_YEARS + 1000, "{times:?}");
    // The next process starts ten years later, after a crash.
    child.kill();
    fs::write(&clock, "+3650d").unwrap();
    let mut child = Child::start_with(with_clock(&clock).unwrap(), Role::Steps, &folder.journal());
    assert_eq!(child.next_line(), "opened");
    child.send("5");
    child.next_line();
    child.kill();
    let journal = FileJournal::open(folder.journal()).unwrap();
    for step in 0..6 {
        let found = find_call(&journal, &key(&format!("run {step}"), 0, step)).await.unwrap();
        assert!(found.is_some(), "the call of step {step} is removed");
    }
}
