//! The work that validation may do for one value.

/// How much work is left. A schema can require many readings of one value, for example in nested unions: the budget pays for all
/// work beyond the first reading.
#[derive(Debug)]
pub(crate) struct Budget(usize);

/// Validation would take too long.
#[derive(Debug)]
pub(crate) struct LimitReached;

impl Budget {
    /// Enough to read every value in the text dozens of times. A unit is some 50 ns of work.
    pub(crate) fn new(json: &str) -> Self {
        const UNITS_PER_BYTE: usize = 12;
        const MIN_UNITS: usize = 300_000;
        Budget(json.len().saturating_mul(UNITS_PER_BYTE).saturating_add(MIN_UNITS))
    }

    pub(crate) fn spend(&mut self, units: usize) -> Result<(), LimitReached> {
        let rest = self.0.checked_sub(units);
        self.0 = rest.unwrap_or(0);
        rest.map(drop).ok_or(LimitReached)
    }

    /// Pays for reading a text.
    pub(crate) fn spend_reading(&mut self, json: &str) -> Result<(), LimitReached> {
        self.spend(json.len() / 3 + 1)
    }
}
