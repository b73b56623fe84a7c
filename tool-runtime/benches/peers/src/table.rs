//! The table: a row for each measurement, and a column for each library.

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
    name: String,
    unit: Unit,
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

    /// The cells of a row. Our figure is absolute; the others are ratios to it.
    fn cells(&self) -> Vec<String> {
        let [ours, peers @ ..] = self.figures;
        let mut cells = vec![self.name.clone(), ours.map_or_else(none, |ours| self.unit.format(ours))];
        cells.extend(peers.iter().chain([&self.by_hand]).map(|other| match (other, ours) {
            (Some(other), Some(ours)) => format!("{:.2}", other / ours),
            _ => none(),
        }));
        cells
    }
}

fn none() -> String {
    "-".to_owned()
}

impl Unit {
    fn format(self, figure: f64) -> String {
        match self {
            Unit::Seconds if figure < 1e-3 => format!("{:.2} µs", figure * 1e6),
            Unit::Seconds => format!("{figure:.2} s"),
            Unit::Bytes => format!("{:.0} kB", figure / 1e3),
            Unit::Count => format!("{figure:.0}"),
        }
    }
}

/// Prints the table, and the notes after it.
pub(crate) fn print(rows: &[Row], notes: &[String]) {
    let mut header = vec![String::new()];
    header.extend(Library::ALL.map(|library| {
        let version = library.version().unwrap_or_default();
        format!("{} {version}", library.package())
    }));
    header.push("by hand".to_owned());
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_header(header);
    for row in rows {
        table.add_row(row.cells());
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("{table}\n\nThe figures of the first column are absolute; the others are ratios to it.");
    for note in notes {
        println!("- {note}");
    }
}
