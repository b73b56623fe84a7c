//! The build cost of a library.

mod clean_build;
mod many_tools;

use crate::libraries::{Each, Library};
use crate::{Measured, Result, cargo};

pub(crate) fn measure() -> Result<Measured> {
    let programs = cargo::programs()?;
    let mut all = many_tools::measure(&programs)?;
    let Measured { rows, notes, .. } = clean_build::measure(&programs)?;
    all.rows.extend(rows);
    all.notes.extend(notes);
    Ok(all)
}

/// Calls `make` for each library.
fn each<T>(mut make: impl FnMut(Library) -> Result<T>) -> Result<Each<T>> {
    let [ours, llm_tool, tools_rs, rig] = Library::ALL;
    Ok([make(ours)?, make(llm_tool)?, make(tools_rs)?, make(rig)?])
}
