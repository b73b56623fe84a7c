//! The build cost of a tool: the cost of a program with many tools minus that of a program with one, which is the cost
//! of any program.

use super::each;
use crate::libraries::Each;
use crate::median::median;
use crate::program::Program;
use crate::row::{Row, Unit};
use crate::{Measured, Result};
use std::path::Path;
use std::time::Instant;

const TOOLS: usize = 200;
const RUNS: usize = 3;

/// The programs of a library.
struct Programs {
    one: Program,
    many: Program,
}

pub(super) fn measure(programs: &Path) -> Result<Measured> {
    let target = programs.join("target");
    let programs = each(|library| {
        Ok(Programs {
            one: Program::write(programs, library, 1)?,
            many: Program::write(programs, library, TOOLS)?,
        })
    })?;
    let mut rows = Vec::new();
    for (name, command) in [
        ("cargo check", ["check"].as_slice()),
        ("debug build", &["build"]),
        ("release build", &["build", "--release"]),
    ] {
        let seconds = times(&programs, &target, command)?;
        rows.push(Row::new(format!("{name}, {TOOLS} tools"), Unit::Seconds, seconds));
    }
    let (mut with_one, mut growth) = ([None; 4], [None; 4]);
    for (index, Programs { one, many }) in programs.iter().enumerate() {
        let [one, many] = [one, many].map(|program| program.bytes(&target));
        let (one, many) = (f64::from(u32::try_from(one?)?), f64::from(u32::try_from(many?)?));
        (with_one[index], growth[index]) = (Some(one), Some(many - one));
    }
    rows.push(Row::new(format!("release binary, {TOOLS} tools"), Unit::Bytes, growth));
    // The rows for many tools do not show that the binaries of the other libraries are smaller with one tool.
    rows.push(Row::new("release binary, 1 tool, total", Unit::Bytes, with_one));
    let notes = vec![format!(
        "{TOOLS} tools: tools of three parameters; the figure of the program's crate without dependencies, minus the \
         figure for 1 tool; medians of {RUNS} runs, in turns, without incremental compilation. Binaries are stripped."
    )];
    Ok(Measured { rows, notes, ..Measured::default() })
}

/// The median time for many tools, minus that for one.
fn times(programs: &Each<Programs>, target: &Path, command: &[&str]) -> Result<Each<Option<f64>>> {
    let command = [command, &["--offline"]].concat();
    let mut times: Each<[Vec<f64>; 2]> = Default::default();
    // The first run builds the dependencies, and does not count.
    for run in 0..=RUNS {
        eprintln!("cargo {}, {TOOLS} tools: run {run} of {RUNS}", command.join(" "));
        for (Programs { one, many }, times) in programs.iter().zip(&mut times) {
            for (program, times) in [one, many].into_iter().zip(times) {
                program.touch()?;
                let started = Instant::now();
                program.cargo(target, &command)?;
                if run > 0 {
                    times.push(started.elapsed().as_secs_f64());
                }
            }
        }
    }
    // If the difference between two runs is larger than the cost of the tools, there is no figure.
    Ok(times.map(|[one, many]| Some(median(many)? - median(one)?).filter(|&added| added > 0.0)))
}
