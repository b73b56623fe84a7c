//! Sessions on three workers and an engine, which are killed and frozen at random moments.

use crate::engine::{Engine, Settings};
use crate::oracle::Tally;
use crate::workers::{Version, Workers};
use crate::{from_environment, ledger, person};
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// A round that takes longer hangs.
const TIME_LIMIT: Duration = Duration::from_secs(240);

/// The sessions that run at once.
const AT_ONCE: usize = 20;

pub(crate) async fn sessions_survive_kills(program: &Path, folder: &Path) {
    let count = from_environment("RESTATE_SESSIONS", 20);
    let seed = from_environment("RESTATE_SEED", fastrand::u64(..));
    println!(
        "seed {seed}, {count} sessions; RESTATE_SEED={seed} RESTATE_SESSIONS={count} repeats the order of the kills"
    );
    let mut random = fastrand::Rng::with_seed(seed);
    // A frozen worker is recognized soon, and the calls are on all workers.
    let settings = Settings { keep_alive: "1s", streams_per_connection: "2", ..Settings::default() };
    let mut engine = Engine::start(program, folder, settings).await;
    let mut workers = Workers::start(3, Version::First, folder).await;
    engine.register(&workers.address).await;
    let (started, mut tally, mut conflicts) = (Instant::now(), Tally::default(), 0);
    let mut next = 0;
    while next < count {
        let mut players = JoinSet::new();
        let end = (next + AT_ONCE as u64).min(count);
        for number in next..end {
            players.spawn(person::play(
                engine.sessions(),
                format!("s{seed:x}-{number}"),
                folder.join("ledger"),
            ));
        }
        // In the middle of the last sessions of the first version, and back for the next ones.
        let deploys = next / AT_ONCE as u64 % 5 == 4 || end == count;
        next = end;
        let mut ended = Vec::new();
        tokio::select! {
            () = async { while let Some(player) = players.join_next().await { ended.push(player.expect("a player")); } } => {}
            () = disturb(&mut workers, &mut engine, &mut random, deploys) => {}
            () = tokio::time::sleep(TIME_LIMIT) => panic!("{} sessions of this round end, and the others do not", ended.len()),
        }
        workers.deploy(Version::First);
        engine.register(&workers.address).await;
        let ledger = ledger::read(&folder.join("ledger"));
        for person::Ended { id, session, conflicts: own } in ended {
            tally.add(&id, &session, &ledger);
            conflicts += own;
        }
    }
    let kills: usize = workers.processes.iter().map(|worker| worker.kills).sum();
    let freezes: usize = workers.processes.iter().map(|worker| worker.freezes).sum();
    println!("{tally}");
    println!(
        "{kills} kills of workers, {} of the engine, {freezes} freezes, {conflicts} second decisions rejected; {:?}",
        engine.process.kills,
        started.elapsed()
    );
    assert!(tally.violations.is_empty(), "{:#?}", tally.violations);
    assert_eq!(engine.admin().paused().await.expect("the engine responds"), []);
}

/// Kills and freezes processes until the sessions end.
async fn disturb(workers: &mut Workers, engine: &mut Engine, random: &mut fastrand::Rng, deploys: bool) {
    if deploys {
        tokio::time::sleep(Duration::from_millis(random.u64(50..500))).await;
        workers.deploy(Version::Next);
    }
    loop {
        tokio::time::sleep(Duration::from_millis(random.u64(50..700))).await;
        // A process is never left dead: nothing awaits between the kill and the start.
        match random.u8(..16) {
            0..=1 => {
                engine.process.kill();
                engine.process.restart();
            }
            2..=4 => {
                let worker = random.usize(..workers.processes.len());
                workers.processes[worker].freeze(Duration::from_millis(random.u64(100..3000))).await;
            }
            _ => {
                let worker = random.usize(..workers.processes.len());
                workers.processes[worker].kill();
                workers.processes[worker].restart();
            }
        }
    }
}
