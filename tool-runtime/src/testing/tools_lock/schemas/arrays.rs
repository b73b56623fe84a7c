//! The items of arrays.

use super::{Comparison, Schema};
use crate::json::TypeSet;
use crate::testing::tools_lock::path::{Path, Segment};
use serde_json::Value;

impl<'a> Comparison<'a> {
    /// Compares `prefixItems` and `items`.
    pub(super) fn compare_arrays(&mut self, old: Schema<'a>, new: Schema<'a>, at: &Path<'_>) {
        let is_array = |schema: Schema<'_>| schema.types().intersects(TypeSet::ARRAY);
        if !is_array(old) || !is_array(new) {
            return;
        }
        let (sub, _) = self.role.order(old, new);
        // An array of the values that must be valid has at most so many items.
        let most = sub.get("maxItems").and_then(Value::as_u64);
        let most = most.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
        let first = |schema: Schema<'a>| schema.array("prefixItems").unwrap_or_default().len();
        let rest_from = first(old).max(first(new));
        for index in 0..rest_from.min(most) {
            let at = at.inside(Segment::Item(index));
            self.compare_inside(item(old, index), item(new, index), &at);
        }
        if rest_from < most && (old.get("items").is_some() || new.get("items").is_some()) {
            let at = at.inside(Segment::Items);
            self.compare_inside(item(old, usize::MAX), item(new, usize::MAX), &at);
        }
    }
}

/// The schema of the item at an index.
fn item(schema: Schema<'_>, index: usize) -> Schema<'_> {
    let first = schema.array("prefixItems").and_then(|schemas| schemas.get(index));
    let rest = schema.get("items").filter(|items| !items.is_array());
    first.or(rest).map_or(schema.any(), |item| schema.inner(item))
}
