//! Compares the costs of this library with those of three other tool libraries, and the crates of ten packages.
//!
//! `cargo run --release --manifest-path tool-runtime/benches/peers/Cargo.toml`
//!
//! This command writes the figures to `tool-runtime/benches/figures.json`, from which `.ci/figures` writes the tables of
//! documents. `-- dispatch`, `-- build`, `-- tokens` and `-- crates` measure a part, and replace the figures of this part only. The part `build`
//! takes a third of an hour. It downloads dependencies before it measures.

mod build_cost;
mod cargo;
mod crates;
mod dispatch;
mod figures;
mod libraries;
mod median;
mod program;
mod row;
mod tokens;

use crates::Package;
use row::Row;
use std::error::Error;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The figures of a part, and notes about them.
#[derive(Default)]
struct Measured {
    rows: Vec<Row>,
    packages: Vec<Package>,
    notes: Vec<String>,
}

/// A part of the figures, with its name on the command line.
type Part = (&'static str, fn() -> Result<Measured>);

const PARTS: [Part; 4] = [
    ("dispatch", dispatch::measure),
    ("build", build_cost::measure),
    ("tokens", tokens::measure),
    ("crates", crates::measure),
];

fn main() -> Result<()> {
    let selected: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = selected.iter().find(|part| PARTS.iter().all(|(name, _)| name != part)) {
        return Err(
            format!("there is no part `{unknown}`; the parts are {:?}", PARTS.map(|(name, _)| name)).into()
        );
    }
    for (name, measure) in PARTS {
        if selected.is_empty() || selected.iter().any(|part| part == name) {
            let measured = measure()?;
            figures::write(name, &measured)?;
            for note in measured.notes {
                println!("- {note}");
            }
        }
    }
    println!("Run .ci/figures to write the tables.");
    Ok(())
}
