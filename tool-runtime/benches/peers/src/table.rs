//! The table: a row for each measurement, and a column for each library.

use crate::crates::Package;
use crate::libraries::{Each, Library};
use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};

/// The unit of the figures of a row.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    Seconds,
    Bytes,
    Count,
}

pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) unit: Unit,
    /// `None` if a library has no such figure.
    figures: Each<Option<f64>>,
    by_hand: Option<f64>,
}

impl Row {
    pub(crate) fn new(name: impl Into<String>, unit: Unit, figures: Each<Option<f64>>) -> Self {
        Row { name: name.into(), unit, figures, by_hand: None }
    }

    /// Adds the figure of code without a library.
    pub(crate) fn with_by_hand(self, by_hand: Option<f64>) -> Self {
        Row { by_hand, ..self }
    }

    /// Each figure with the name of its column, and its ratio to ours.
    pub(crate) fn figures(&self) -> impl Iterator<Item = (&'static str, f64, f64)> {
        let ours = self.figures[0];
        let figures = self.figures.iter().chain([&self.by_hand]);
        columns()
            .zip(figures)
            .filter_map(move |(column, figure)| Some((column, (*figure)?, (*figure)? / ours?)))
    }

    /// The cells of a row. Our figure is absolute; the others are ratios to it.
    fn cells(&self) -> Vec<String> {
        let mut cells = vec![self.name.clone()];
        cells.extend(columns().map(|column| match self.figures().find(|(name, ..)| *name == column) {
            Some((name, figure, _)) if name == Library::Ours.package() => self.unit.format(figure),
            Some((.., ratio)) => format!("{ratio:.2}"),
            None => "-".to_owned(),
        }));
        cells
    }
}

/// The column of code without a library.
const BY_HAND: &str = "by hand";

fn columns() -> impl Iterator<Item = &'static str> {
    Library::ALL.map(Library::package).into_iter().chain([BY_HAND])
}

impl Unit {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Unit::Seconds => "seconds",
            Unit::Bytes => "bytes",
            Unit::Count => "count",
        }
    }

    fn format(self, figure: f64) -> String {
        match self {
            Unit::Seconds if figure < 1e-3 => format!("{:.2} µs", figure * 1e6),
            Unit::Seconds => format!("{figure:.2} s"),
            Unit::Bytes => format!("{:.0} kB", figure / 1e3),
            Unit::Count => format!("{figure:.0}"),
        }
    }
}

/// Prints the table of rows and that of packages, and the notes after them.
pub(crate) fn print(rows: &[Row], packages: &[Package], notes: &[String]) {
    if !rows.is_empty() {
        let mut header = vec![String::new()];
        header.extend(Library::ALL.map(|library| {
            let version = library.version().unwrap_or_default();
            format!("{} {version}", library.package())
        }));
        header.push(BY_HAND.to_owned());
        print_table(header, rows.iter().map(Row::cells));
        println!("The figures of the first column are absolute; the others are ratios to it.\n");
    }
    if !packages.is_empty() {
        let header = ["package", "version", "minimum Rust", "crates"].map(str::to_owned).to_vec();
        let cells = packages.iter().map(|package| {
            let rust = package.rust.as_deref().unwrap_or("-");
            [package.name, &package.version, rust, &package.crates.to_string()].map(str::to_owned).to_vec()
        });
        print_table(header, cells);
    }
    for note in notes {
        println!("- {note}");
    }
}

fn print_table(header: Vec<String>, rows: impl Iterator<Item = Vec<String>>) {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_header(header).add_rows(rows);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("{table}\n");
}
