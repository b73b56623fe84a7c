//! A row of a table: the figures of one measurement, with a column for each library.

use crate::libraries::{Each, Library};

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
}
