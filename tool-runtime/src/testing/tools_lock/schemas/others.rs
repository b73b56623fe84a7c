//! The keywords that are compared as a whole, references next to other keywords, and `allOf`.

use super::{Comparison, Schema};
use crate::testing::tools_lock::change::{Direction, Text};
use crate::testing::tools_lock::line_diff::json_diff;
use crate::testing::tools_lock::path::Path;
use serde_json::Value;
use std::collections::BTreeSet;

/// The keywords that other files compare, if their values are of the right type.
fn is_compared(keyword: &str, value: &Value) -> bool {
    match keyword {
        "type" => value.is_string() || value.is_array(),
        "const" => true,
        "enum" | "required" | "prefixItems" => value.is_array(),
        "anyOf" | "oneOf" => value.as_array().is_some_and(|schemas| !schemas.is_empty()),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minLength"
        | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => value.is_number(),
        "pattern" | "format" => value.is_string(),
        "uniqueItems" => value.is_boolean(),
        "properties" | "patternProperties" => value.is_object(),
        "additionalProperties" | "propertyNames" | "items" => value.is_object() || value.is_boolean(),
        _ => false,
    }
}

impl<'a> Comparison<'a> {
    /// Compares the keywords that no other method compares.
    pub(super) fn compare_others(&mut self, old: Schema<'a>, new: Schema<'a>, at: &Path<'_>) {
        let keywords: BTreeSet<&str> =
            old.constraints().chain(new.constraints()).map(|(keyword, _)| keyword).collect();
        for keyword in keywords {
            let (before, after) = (old.get(keyword), new.get(keyword));
            let is_well_formed =
                |value: Option<&Value>| value.is_none_or(|value| is_compared(keyword, value));
            // `anyOf` is compared as the union, and `const` as the list of values.
            let is_second = |schema: Schema<'_>| match keyword {
                "oneOf" => schema.get("anyOf").is_some(),
                "enum" => schema.get("const").is_some(),
                _ => false,
            };
            if is_well_formed(before) && is_well_formed(after) && !is_second(old) && !is_second(new) {
                continue;
            }
            match (keyword, before, after) {
                ("$ref", Some(Value::String(before)), Some(Value::String(after))) => {
                    if let (Some(old), Some(new)) = (old.target(before), new.target(after)) {
                        self.compare(old, new, at);
                        continue;
                    }
                }
                ("allOf", Some(Value::Array(before)), Some(Value::Array(after)))
                    if before.len() == after.len() =>
                {
                    for (before, after) in before.iter().zip(after) {
                        self.compare(old.inner(before), new.inner(after), at);
                    }
                    continue;
                }
                _ => {}
            }
            // These depend on the keywords next to them.
            let is_same = match (before, after) {
                _ if keyword.starts_with("unevaluated") => self.is_same(old, new),
                (Some(before), Some(after)) => self.is_same(old.inner(before), new.inner(after)),
                _ => false,
            };
            // A reference that the comparison does not follow.
            let is_unresolved = keyword == "$ref" && before == after && !starts_with_hash(before);
            if !is_same && !is_unresolved {
                self.push(Direction::Unknown, || {
                    let line = format!("{at}: `{keyword}` changes, and the comparison cannot tell how");
                    Text::new(line, json_diff(before, after))
                });
            }
        }
    }
}

fn starts_with_hash(reference: Option<&Value>) -> bool {
    reference.and_then(Value::as_str).is_some_and(|reference| reference.starts_with('#'))
}
