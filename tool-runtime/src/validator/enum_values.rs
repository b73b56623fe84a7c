//! The values of `enum` and `const`.

use super::budget::{Budget, Stop};
use crate::json::{canonical, canonical_text};
use serde_json::Value;

#[derive(Debug)]
pub(super) struct EnumValues {
    /// In the order of the schema.
    pub(super) values: Vec<Value>,
    /// In canonical form, sorted.
    canonical: Vec<String>,
}

impl EnumValues {
    pub(super) fn new(values: Vec<Value>) -> Self {
        let mut canonical: Vec<String> = values.iter().map(canonical).collect();
        canonical.sort_unstable();
        EnumValues { values, canonical }
    }

    /// Whether a JSON value is one of them. Most values are in canonical form already.
    pub(super) fn contains(&self, json: &str, budget: &mut Budget) -> Result<bool, Stop> {
        let contains = |text: &str| self.canonical.binary_search_by(|known| known.as_str().cmp(text)).is_ok();
        if contains(json) {
            return Ok(true);
        }
        budget.spend(json.len())?;
        Ok(contains(&canonical_text(json)))
    }
}
