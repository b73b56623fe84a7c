//! Median times of alternatives. They take turns, so that other load on the machine affects all of them.

use std::time::{Duration, Instant};

/// The number of runs of each alternative.
pub(crate) const RUNS: usize = 21;
/// The minimum time of a run, which is much longer than reading the clock.
const MIN_RUN: Duration = Duration::from_millis(1);

/// The median times of one execution of each alternative, in nanoseconds.
pub(crate) fn measure<const N: usize>(mut alternatives: [&mut dyn FnMut(); N]) -> [f64; N] {
    let repetitions = alternatives.each_mut().map(|alternative| repetitions(&mut **alternative));
    let mut times = [[0.0; RUNS]; N];
    for run in 0..RUNS {
        for ((alternative, times), repetitions) in alternatives.iter_mut().zip(&mut times).zip(repetitions) {
            times[run] = time(&mut **alternative, repetitions).as_secs_f64() * 1e9 / f64::from(repetitions);
        }
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[RUNS / 2]
    })
}

fn time(alternative: &mut dyn FnMut(), repetitions: u32) -> Duration {
    let started = Instant::now();
    for _ in 0..repetitions {
        alternative();
    }
    started.elapsed()
}

fn repetitions(alternative: &mut dyn FnMut()) -> u32 {
    let mut repetitions = 1;
    while time(alternative, repetitions) < MIN_RUN {
        repetitions *= 2;
    }
    repetitions
}
