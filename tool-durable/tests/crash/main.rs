//! A program that is killed at random moments: each call has at most one effect, and the conversation stays the same.
//!
//! Each round has a plan, which its seed determines. In some rounds, tools run inner sessions (`inner`), a process runs two
//! sessions at once (`two`), or it runs the same session twice at once (`same`). The environment variables:
//!
//! - `CRASH_ROUNDS`: the number of rounds.
//! - `CRASH_SEED`: the seed of the first round. The next round has the next seed.
//! - `CRASH_KIND`: `inner`, `two` or `same`. Each round has this kind; the seed decides about the other kinds.
//!
//! # Mutations
//!
//! With each of these changes of the source, the test fails within 60 rounds of the given kind:
//!
//! - A call is not recorded before it runs: `run_recorded` calls `begin_call` after `ReadyCall::run`.
//! - The calls of inner sessions are not recorded: `run_recorded` only runs those with the run id of an inner session (`inner`).
//! - An interrupted destructive call runs again: `Annotations::may_repeat` returns `true`.
//! - A recorded result is ignored: `RecordedCall::new` drops the result.
//! - A reply is not recorded: `JournalLog::record_reply` calls `release_reply` instead of `record_reply`.
//! - A reply is not recorded before its calls: `JournalLog::record_reply` calls `record_reply` in a task that it does not await.
//! - The results of calls without records are lost: `JournalLog::compare_calls` does not add them to the reply.
//! - A request that another run sends is not waited for: `FileJournal::begin_reply` only calls `find_reply` (`same`).
//! - A running call is not waited for: `FileJournal::begin_call` does not call `InProgress::begin` (`same`).
//! - A dropped run keeps its request: `JournalLog::after_run` does nothing (`same`).
//! - A dropped call keeps running: `RunningCall::drop` does nothing (`same`).
//! - A run that waits is not woken: `InProgress::end` does not notify it (`same`).
//! - The records of inner sessions have the key of the outer call only: all calls in them have the reply and the position 0
//!   (`inner`).
//! - An inner session has the run id of the outer session: `RunContext::inner` copies it (`inner`).
//! - Two calls of a reply have the same inner run id: it ends with 0 instead of the position (`inner`).
//! - The records of an inner session expire while its outer call is open: `is_needed` does not read the outer calls (`inner`).
//! - The replies of all sessions share their records: `FileJournal` reads and writes them with an empty run id (`two`).
//! - The records of a session expire while a call is open: `write_used` adds each run to `closed_runs`.
//! - All calls of a streamed reply start early: `StreamSettings::only_reads` is `false`.

mod calls;
mod child;
mod effects;
mod ledger;
mod model;
mod oracle;
mod plan;
mod process;
mod program;
mod round;
mod run;
mod stage;
mod store;
mod tally;
mod tools;

use plan::Kind;
use round::Round;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use tally::Tally;

/// The default number of rounds.
const ROUNDS: u64 = 20;

/// In so many rounds, a process is killed in each stage, and each kind occurs.
const ROUNDS_OF_ALL_STAGES: u64 = 100;

/// The rounds that are played at once.
const THREADS: usize = 2;

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn an_effect_happens_at_most_once_whenever_the_program_is_killed() {
    let seed = from_environment("CRASH_SEED", fastrand::u64(..));
    let rounds = from_environment("CRASH_ROUNDS", ROUNDS);
    let kind = Kind::forced().map(|kind| format!("CRASH_KIND={} ", kind.name())).unwrap_or_default();
    println!("seed {seed}, {rounds} rounds; {kind}CRASH_SEED={seed} repeats them");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("crash-{}", std::process::id()));
    let (next, tally, failure) = (AtomicU64::new(0), Mutex::new(Tally::default()), Mutex::new(None));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= rounds || failure.lock().expect("no panic").is_some() {
                        break;
                    }
                    match play(&folder.join(number.to_string()), seed.wrapping_add(number)) {
                        Ok(played) => tally.lock().expect("no panic").add(played),
                        Err(error) => *failure.lock().expect("no panic") = Some(error),
                    }
                }
            });
        }
    });
    if let Some(failure) = failure.into_inner().expect("no panic") {
        panic!("{failure}");
    }
    let tally = tally.into_inner().expect("no panic");
    println!("{tally}\n{rounds} of {rounds}");
    if rounds >= ROUNDS_OF_ALL_STAGES {
        assert_eq!(tally.missed_stages(), []);
        assert_eq!(tally.missed_kinds(), []);
    }
    std::fs::remove_dir_all(folder).expect("the files are closed");
}

/// Plays a round in a folder, which remains after a failure.
fn play(folder: &Path, seed: u64) -> Result<Tally, String> {
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let played = catch_unwind(AssertUnwindSafe(|| Round::new(folder, seed).play()));
    match played.unwrap_or_else(|_| Err("a panic".to_owned())) {
        Ok(tally) => {
            std::fs::remove_dir_all(folder).map_err(|error| error.to_string())?;
            Ok(tally)
        }
        Err(error) => {
            let stderr = std::fs::read_to_string(folder.join("stderr")).unwrap_or_default();
            let kind = Kind::forced().map(|kind| format!("CRASH_KIND={} ", kind.name())).unwrap_or_default();
            Err(format!(
                "{kind}CRASH_SEED={seed} CRASH_ROUNDS=1, files in {}: {error}\n{stderr}",
                folder.display()
            ))
        }
    }
}

/// The program that the other test kills. Without its settings, it does nothing.
#[test]
#[ignore = "the other test starts it as a process"]
fn child() {
    let Some(settings) = std::env::var_os(process::SETTINGS) else { return };
    let settings = settings.into_string().expect("the settings are text");
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic.payload().downcast_ref() != Some(&tools::PLANNED) {
            default(panic);
        }
    }));
    child::run(&serde_json::from_str(&settings).expect("the settings are JSON"));
}
