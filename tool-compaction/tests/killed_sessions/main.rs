//! Sessions whose process is killed at random moments, with hooks, an inbox, compaction, stored results and a journal: the next
//! process continues the stored session, no effect happens twice, and a run of the first session ends the same.
//!
//! `KILLED_ROUNDS` sets the number of rounds, and `KILLED_SEED` repeats the moments.

mod program;

use program::{Files, check_ended, run_program};
use std::process::{Command, Stdio};
use std::time::Duration;

const ROUNDS: u64 = 6;
/// The processes of a round that are killed at most. The last one ends by itself.
const MAX_KILLS: u32 = 40;

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn a_killed_session_ends_like_one_that_was_not_killed() {
    let seed = from_environment("KILLED_SEED", fastrand::u64(..));
    println!("seed {seed}; KILLED_SEED={seed} repeats it");
    let mut rng = fastrand::Rng::with_seed(seed);
    let (mut kills, mut rounds_with_kills) = (0, 0);
    let rounds = from_environment("KILLED_ROUNDS", ROUNDS);
    for _ in 0..rounds {
        let folder = tempfile::tempdir().expect("a folder");
        let mut killed = 0;
        loop {
            let mut process = Command::new(std::env::current_exe().expect("this test"))
                .args(["--ignored", "--exact", "process_of_the_other_test", "--nocapture"])
                .env("KILLED_FOLDER", folder.path())
                .env("KILLED_PROCESS", killed.to_string())
                .stdout(Stdio::null())
                .spawn()
                .expect("a process");
            if killed < MAX_KILLS {
                std::thread::sleep(Duration::from_millis(rng.u64(20..300)));
                process.kill().expect("it is killed, or has ended");
            }
            let ended = process.wait().expect("it ends");
            if ended.success() {
                break;
            }
            // Windows gives a killed process an exit code.
            let was_killed = cfg!(windows) || ended.code().is_none();
            assert!(killed < MAX_KILLS && was_killed, "the process failed: {ended}");
            killed += 1;
        }
        kills += killed;
        rounds_with_kills += u32::from(killed > 0);
        let files = Files::new(folder.path());
        tokio::runtime::Runtime::new().expect("a runtime").block_on(check_ended(&files));
    }
    println!("{rounds} rounds, {kills} killed processes");
    assert!(rounds_with_kills > 0, "no process was killed");
}

#[test]
#[ignore = "a process of the other test"]
fn process_of_the_other_test() {
    let Some(folder) = std::env::var_os("KILLED_FOLDER") else { return };
    let process = from_environment("KILLED_PROCESS", 0);
    let files = Files::new(folder.as_ref());
    tokio::runtime::Runtime::new().expect("a runtime").block_on(run_program(&files, process));
}
