//! What this library costs beside three others that give a model the same tools.
//!
//! `cargo run --release --manifest-path tool-runtime/benches/peers/Cargo.toml`
//!
//! prints one table; `-- dispatch`, `-- build` and `-- tokens` print a part of it. The part `build` takes a
//! quarter of an hour; what it has to download comes before the times are taken.

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

/// The rows of a part, and what must be known to read them.
#[derive(Default)]
struct Measured {
    rows: Vec<Row>,
    notes: Vec<String>,
}

/// By its name on the command line.
type Part = (&'static str, fn() -> Result<Measured>);

const PARTS: [Part; 3] =
    [("dispatch", dispatch::measure), ("build", build_cost::measure), ("tokens", tokens::measure)];

fn main() -> Result<()> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = asked.iter().find(|asked| PARTS.iter().all(|(name, _)| name != asked)) {
        return Err(
            format!("there is no part `{unknown}`: there are {:?}", PARTS.map(|(name, _)| name)).into()
        );
    }
    let mut all = Measured::default();
    for (name, measure) in PARTS {
        if asked.is_empty() || asked.iter().any(|asked| asked == name) {
            let Measured { rows, notes } = measure()?;
            all.rows.extend(rows);
            all.notes.extend(notes);
        }
    }
    table::print(&all.rows, &all.notes);
    Ok(())
}
