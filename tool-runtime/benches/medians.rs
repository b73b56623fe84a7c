//! The times of several ways to the same end, which take turns: what slows the machine down slows all of them.

use std::time::{Duration, Instant};

/// How often each has its turn.
pub(crate) const RUNS: usize = 21;
/// What a turn takes at least: much longer than reading the clock.
const TURN: Duration = Duration::from_millis(1);

/// The medians of the times that each way takes once, in nanoseconds.
pub(crate) fn of<const WAYS: usize>(mut ways: [&mut dyn FnMut(); WAYS]) -> [f64; WAYS] {
    let repetitions = ways.each_mut().map(|way| repetitions(&mut **way));
    let mut times = [[0.0; RUNS]; WAYS];
    for run in 0..RUNS {
        for ((way, times), repetitions) in ways.iter_mut().zip(&mut times).zip(repetitions) {
            times[run] = turn(&mut **way, repetitions).as_secs_f64() * 1e9 / f64::from(repetitions);
        }
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[RUNS / 2]
    })
}

fn turn(way: &mut dyn FnMut(), repetitions: u32) -> Duration {
    let begun = Instant::now();
    for _ in 0..repetitions {
        way();
    }
    begun.elapsed()
}

fn repetitions(way: &mut dyn FnMut()) -> u32 {
    let mut repetitions = 1;
    while turn(way, repetitions) < TURN {
        repetitions *= 2;
    }
    repetitions
}
