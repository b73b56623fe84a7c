//! Whether no value is valid under both of two schemas: then a value matches only one of them in a `oneOf`.

use super::Schema;
use crate::json::{TypeSet, descendants};
use serde_json::Value;

/// Returns false if it cannot tell.
pub(super) fn are_disjoint(one: Schema<'_>, other: Schema<'_>) -> bool {
    let (one, other) = (one.resolved(), other.resolved());
    if one.is_never() || other.is_never() {
        return true;
    }
    let common = one.types().intersection(other.types());
    if common == TypeSet::NONE || have_other_values(one, other) {
        return true;
    }
    common == TypeSet::OBJECT
        && (have_other_tags(one, other) || requires_unknown(one, other) || requires_unknown(other, one))
}

/// Whether both list their values, and none is in both lists.
fn have_other_values(one: Schema<'_>, other: Schema<'_>) -> bool {
    match (one.values(), other.values()) {
        // `1` and `1.0` are different values here, and the same one in a schema.
        (Some(one), Some(other)) => {
            one.iter().chain(&other).all(|value| !contains_float(value))
                && !one.iter().any(|value| other.contains(value))
        }
        _ => false,
    }
}

/// Whether both require a property whose values differ.
fn have_other_tags(one: Schema<'_>, other: Schema<'_>) -> bool {
    let property = |schema: Schema<'_>, name: &str| schema.object("properties")?.get(name).cloned();
    one.strings("required").filter(|name| other.strings("required").any(|required| required == *name)).any(
        |name| match (property(one, name), property(other, name)) {
            (Some(tag), Some(other_tag)) => {
                let (tag, other_tag) = (Schema::root(&tag), Schema::root(&other_tag));
                have_other_values(tag, other_tag)
            }
            _ => false,
        },
    )
}

/// Whether `one` requires a property that `other` does not have.
fn requires_unknown(one: Schema<'_>, other: Schema<'_>) -> bool {
    let is_closed = other.get("additionalProperties") == Some(&Value::Bool(false));
    let has_patterns = other.get("patternProperties").is_some();
    let knows =
        |name: &str| other.object("properties").is_some_and(|properties| properties.contains_key(name));
    is_closed && !has_patterns && one.strings("required").any(|name| !knows(name))
}

fn contains_float(value: &Value) -> bool {
    descendants([value]).any(|(value, _)| value.is_f64())
}
