//! Whether two parts of schemas are the same, together with the schemas that they refer to.

use super::{Comparison, Schema};
use crate::json::{descendants, referenced};
use serde_json::Value;
use std::collections::HashSet;

impl<'a> Comparison<'a> {
    /// Whether two values inside the documents of two schemas are equal, and all that they refer to.
    pub(super) fn is_same(&mut self, old: Schema<'a>, new: Schema<'a>) -> bool {
        if old.value != new.value || old.identity().1 != new.identity().1 {
            return false;
        }
        let (mut rest, mut known) = (vec![old.value], HashSet::new());
        while let Some(value) = rest.pop() {
            for (value, _) in descendants([value]) {
                if !self.spend(1) {
                    return false;
                }
                // A property may have this name, and then its schema is no string.
                let Some(reference) = value.get("$ref").and_then(Value::as_str) else { continue };
                if !known.insert(reference) {
                    continue;
                }
                let before = referenced(old.document(), reference);
                if before != referenced(new.document(), reference)
                    || (before.is_none() && reference.starts_with('#'))
                {
                    return false;
                }
                rest.extend(before);
            }
        }
        true
    }
}
