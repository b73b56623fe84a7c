//! Programs whose process is killed at random moments, in sessions with a journal, approvals and questions of a tool: no effect
//! happens twice, and the conversation is that of a session that was not killed.
//!
//! `KILLED_KILLS` sets the number of kills, and `KILLED_SEED` repeats the moments.

mod session;

use session::{Files, check_ended, conversation, run_session};
use std::process::{Command, Stdio};
use std::time::Duration;

const KILLS: u64 = 40;
/// The processes of a session that are killed at most. The last one ends by itself.
const MAX_KILLS: u64 = 60;
/// In milliseconds: a process that is killed later has usually ended.
const LATEST_KILL: u64 = 120;

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().expect("a runtime").block_on(future)
}

#[test]
fn a_killed_program_ends_like_one_that_was_not_killed() {
    let seed = from_environment("KILLED_SEED", fastrand::u64(..));
    println!("seed {seed}; KILLED_SEED={seed} repeats it");
    let mut rng = fastrand::Rng::with_seed(seed);
    let folder = tempfile::tempdir().expect("a folder");
    let expected = block_on(async {
        let files = Files::new(folder.path());
        run_session(&files).await;
        conversation(&files)
    });
    let (mut kills, mut sessions, mut kills_after_effect) = (0, 0, 0);
    while kills < from_environment("KILLED_KILLS", KILLS) {
        let folder = tempfile::tempdir().expect("a folder");
        let (killed, after_effect) = kill_until_it_ends(&mut rng, folder.path());
        (kills, sessions) = (kills + killed, sessions + 1);
        kills_after_effect += after_effect;
        let files = Files::new(folder.path());
        block_on(check_ended(&files));
        assert_eq!(conversation(&files), expected);
    }
    println!("{sessions} sessions, {kills} killed processes, {kills_after_effect} after an effect");
    assert!(kills_after_effect > 0, "no process was killed after an effect");
}

/// Starts processes that run one session, and kills them, until one ends. Returns the number of kills, and of those after an effect
/// of the killed process.
fn kill_until_it_ends(rng: &mut fastrand::Rng, folder: &std::path::Path) -> (u64, u64) {
    let (mut killed, mut after_effect) = (0, 0);
    let effects = || std::fs::metadata(folder.join("effects")).map_or(0, |effects| effects.len());
    loop {
        let before = effects();
        let mut process = Command::new(std::env::current_exe().expect("this test"))
            .args(["--ignored", "--exact", "process_of_the_other_test", "--nocapture"])
            .env("KILLED_FOLDER", folder)
            .stdout(Stdio::null())
            .spawn()
            .expect("a process");
        if killed < MAX_KILLS {
            std::thread::sleep(Duration::from_millis(rng.u64(5..LATEST_KILL)));
            process.kill().expect("it is killed, or has ended");
        }
        let ended = process.wait().expect("it ends");
        if ended.success() {
            return (killed, after_effect);
        }
        // Windows gives a killed process an exit code.
        let was_killed = cfg!(windows) || ended.code().is_none();
        assert!(killed < MAX_KILLS && was_killed, "the process failed: {ended}");
        killed += 1;
        after_effect += u64::from(effects() > before);
    }
}

#[test]
#[ignore = "a process of the other test"]
fn process_of_the_other_test() {
    let Some(folder) = std::env::var_os("KILLED_FOLDER") else { return };
    block_on(run_session(&Files::new(folder.as_ref())));
}
