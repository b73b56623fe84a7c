//! Compares the costs of this library with those of three other tool libraries.
//!
//! `cargo run --release --manifest-path tool-runtime/benches/peers/Cargo.toml`
//!
//! This command prints one table; `-- dispatch`, `-- build` and `-- tokens` print a part of it. The part `build` takes a
//! quarter of an hour. It downloads dependencies before it measures.

mod build_cost;
mod cargo;
mod dispatch;
mod libraries;
mod median;
mod program;
mod table;
mod tokens;

use std::error::Error;
use table::Row;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The rows of a part, and notes about them.
#[derive(Default)]
struct Measured {
    rows: Vec<Row>,
    notes: Vec<String>,
}

/// A part of the table, with its name on the command line.
type Part = (&'static str, fn() -> Result<Measured>);

const PARTS: [Part; 3] =
    [("dispatch", dispatch::measure), ("build", build_cost::measure), ("tokens", tokens::measure)];

fn main() -> Result<()> {
    let selected: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = selected.iter().find(|part| PARTS.iter().all(|(name, _)| name != part)) {
        return Err(
            format!("there is no part `{unknown}`; the parts are {:?}", PARTS.map(|(name, _)| name)).into()
        );
    }
    let mut all = Measured::default();
    for (name, measure) in PARTS {
        if selected.is_empty() || selected.iter().any(|part| part == name) {
            let Measured { rows, notes } = measure()?;
            all.rows.extend(rows);
            all.notes.extend(notes);
        }
    }
    table::print(&all.rows, &all.notes);
    Ok(())
}
