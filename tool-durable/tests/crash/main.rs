//! A program that is killed at random moments: each call has at most one effect, and the conversation stays the same.

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
                        Ok(of_round) => tally.lock().expect("no panic").add(of_round),
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
