//! How much looking at a value may cost.

/// Alternatives within alternatives could ask for 2 to the power of their depth: what is looked at more than once is paid
/// for by its length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget(usize);

impl Budget {
    /// Enough for every value in the text to be looked at dozens of times.
    pub(crate) fn of(json: &str) -> Self {
        Budget(json.len().saturating_mul(64).saturating_add(10_000))
    }

    /// A fraction of it, where each question is a walk of its own.
    pub(crate) fn for_trials(json: &str) -> Self {
        Budget(json.len().saturating_mul(16).saturating_add(10_000))
    }

    pub(crate) fn is_spent(self) -> bool {
        self.0 == 0
    }

    /// Pays for looking at a text once more; `false` if there is not enough.
    pub(crate) fn spend(&mut self, json: &str) -> bool {
        let rest = self.0.checked_sub(json.len() / 8 + 1);
        self.0 = rest.unwrap_or(0);
        rest.is_some()
    }
}
