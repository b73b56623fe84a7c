//! What models send in place of what a schema asks for, and means one thing.

use crate::check::Kinds;
use serde::de::IgnoredAny;

/// What a string holds, where that is JSON of a kind that is wanted: `"42"`, `"true"`, `"[1,2]"`, `"{..}"`. A number is
/// never a boolean, nor one with a fraction an integer.
pub(super) fn in_text(wanted: Kinds, json: &str) -> Option<String> {
    let text: String = serde_json::from_str(json).ok()?;
    let inner = text.trim();
    serde_json::from_str::<IgnoredAny>(inner).ok()?;
    let kind = Kinds::of(inner);
    let is_readable = Kinds::BOOLEAN.with(Kinds::NUMBER).with(Kinds::LIST).with(Kinds::OBJECT).meets(kind);
    (is_readable && wanted.meets(kind)).then(|| inner.to_owned())
}

/// Whether a value may be the only one of a list: not a null, which is rather no list at all, nor a text that says nothing or
/// begins as JSON or a code fence does.
pub(super) fn may_stand_alone(wanted: Kinds, json: &str) -> bool {
    let is_plain_text = || {
        serde_json::from_str::<String>(json).is_ok_and(|text| {
            let text = text.trim();
            !text.is_empty()
                && text != "null"
                && !text.starts_with(['[', '{', '"', '\''])
                && !text.starts_with("```")
        })
    };
    wanted.meets(Kinds::LIST)
        && match Kinds::of(json) {
            Kinds::NULL | Kinds::LIST => false,
            Kinds::TEXT => is_plain_text(),
            _ => true,
        }
}
