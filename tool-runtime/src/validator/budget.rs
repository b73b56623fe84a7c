//! The limit of the work that validation does for one value.

/// The work that is left. A schema can require many readings of one value, for example in nested unions: all work after
/// the first reading is paid from the budget.
#[derive(Debug)]
pub(crate) struct Budget(usize);

/// Why a validation ended early.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stop {
    /// The value is invalid, and there is no report or it is full.
    Invalid,
    /// The validation would take too long.
    LimitReached,
}

impl Budget {
    /// Enough to read every value in the text dozens of times. A unit is about 50 ns of work.
    pub(crate) fn new(json: &str) -> Self {
        const UNITS_PER_BYTE: usize = 12;
        const MIN_UNITS: usize = 300_000;
        Budget(json.len().saturating_mul(UNITS_PER_BYTE).saturating_add(MIN_UNITS))
    }

    pub(crate) fn spend(&mut self, units: usize) -> Result<(), Stop> {
        let rest = self.0.checked_sub(units);
        self.0 = rest.unwrap_or(0);
        rest.map(drop).ok_or(Stop::LimitReached)
    }

    /// Pays for reading a text.
    pub(crate) fn spend_reading(&mut self, json: &str) -> Result<(), Stop> {
        self.spend(json.len() / 3 + 1)
    }
}
