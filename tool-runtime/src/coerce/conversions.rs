//! Values of another type that have one reading.

use crate::json::TypeSet;
use serde::de::IgnoredAny;

/// The JSON inside of a string, if it is of a type that is wanted: `"42"`, `"true"`, `"[1,2]"`, `"{..}"`. A number is never a
/// boolean, nor is one with a fraction an integer.
pub(super) fn json_in_string(wanted: TypeSet, json: &str) -> Option<String> {
    let text: String = serde_json::from_str(json).ok()?;
    let inner = text.trim();
    serde_json::from_str::<IgnoredAny>(inner).ok()?;
    let types = TypeSet::of_json(inner);
    let is_not_text = !TypeSet::NULL.union(TypeSet::STRING).intersects(types);
    (is_not_text && wanted.intersects(types)).then(|| inner.to_owned())
}

/// Whether a value may be the only item of an array: not a null, which is rather no array at all, nor a string that is empty, or
/// begins as JSON or a code fence does.
pub(super) fn may_be_only_item(wanted: TypeSet, json: &str) -> bool {
    let is_plain_text = || {
        serde_json::from_str::<String>(json).is_ok_and(|text| {
            let text = text.trim();
            !text.is_empty()
                && text != "null"
                && !text.starts_with(['[', '{', '"', '\''])
                && !text.starts_with("```")
        })
    };
    wanted.intersects(TypeSet::ARRAY)
        && match TypeSet::of_json(json) {
            TypeSet::NULL | TypeSet::ARRAY => false,
            TypeSet::STRING => is_plain_text(),
            _ => true,
        }
}
