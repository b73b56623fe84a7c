//! The build time of a program with one tool when nothing is built yet.

use super::each;
use crate::libraries::Each;
use crate::median::median;
use crate::program::Program;
use crate::table::{Row, Unit};
use crate::{Measured, Result};
use std::collections::BTreeSet;
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
    let mut crates = [None; 4];
    for (crates, program) in crates.iter_mut().zip(&programs) {
        *crates = Some(f64::from(u32::try_from(crates_of(program, &target)?)?));
    }
    let rows = vec![
        Row::new("clean debug build, 1 tool", Unit::Seconds, times.map(median)),
        Row::new("crates of a program", Unit::Count, crates),
    ];
    let notes = vec![format!(
        "Clean build: dependencies are downloaded, and nothing is built; medians of {RUNS} runs, in turns. The crates \
         are those of the same program, including itself and tokio."
    )];
    Ok(Measured { rows, notes })
}

/// The number of crates of a program, including itself. Two versions of a crate count once.
fn crates_of(program: &Program, target: &Path) -> Result<usize> {
    let tree =
        program.cargo(target, &["tree", "--offline", "-e", "normal", "--prefix", "none", "--no-dedupe"])?;
    let names: BTreeSet<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    Ok(names.len())
}
