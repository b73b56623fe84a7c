//! The build time of a program with one tool when nothing is built yet.

use super::each;
use crate::libraries::Each;
use crate::median::median;
use crate::program::Program;
use crate::row::{Row, Unit};
use crate::{Measured, Result};
use std::fs;
use std::path::Path;
use std::time::Instant;

const RUNS: usize = 3;

pub(super) fn measure(programs: &Path) -> Result<Measured> {
    let target = programs.join("clean-target");
    let programs = each(|library| Program::write(programs, library, 1))?;
    let mut times: Each<Vec<f64>> = Default::default();
    for run in 1..=RUNS {
        eprintln!("clean debug build: run {run} of {RUNS}");
        for (program, times) in programs.iter().zip(&mut times) {
            if target.exists() {
                fs::remove_dir_all(&target)?;
            }
            let started = Instant::now();
            program.cargo(&target, &["build", "--offline"])?;
            times.push(started.elapsed().as_secs_f64());
        }
    }
    let rows = vec![Row::new("clean debug build, 1 tool", Unit::Seconds, times.map(median))];
    let notes = vec![format!(
        "Clean build: dependencies are downloaded, and nothing is built; medians of {RUNS} runs, in turns. rig has its default \
         features, with an HTTP client; no other library contains one."
    )];
    Ok(Measured { rows, notes, ..Measured::default() })
}
