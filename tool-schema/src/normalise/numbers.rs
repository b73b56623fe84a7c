//! The ranges of number types. schemars generates a format such as `uint8` for each, and the bounds of some.

use crate::json::remove_entry;
use serde_json::{Map, Value};

/// The bounds that a schema has because of the types of its numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TypeBounds {
    /// The range of each type.
    Enforced,
    /// Only that an unsigned integer is not negative. Small models copy the other bounds: two pizzas become 255.
    Published,
}

/// Replaces the format with the bounds of the type. [`Published`](TypeBounds::Published) removes a bound that equals the end of
/// the type's range, since schemars may have written it.
pub(super) fn replace_format(keywords: &mut Map<String, Value>, bounds: TypeBounds) {
    let Some(range) = keywords.get("format").and_then(Value::as_str).and_then(range) else { return };
    remove_entry(keywords, "format");
    for (keyword, bound) in range.into_iter().flatten() {
        if bounds == TypeBounds::Enforced || bound == 0 {
            keywords.entry(keyword).or_insert(bound);
        } else if keywords.get(keyword) == Some(&bound) {
            remove_entry(keywords, keyword);
        }
    }
}

const TWO_POW_127: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

type Range = [Option<(&'static str, Value)>; 2];

/// The range of the type that a format names. A bound of 128 bits is the nearest float, since `serde_json` has no
/// larger integers; the decoder rejects the integers between the end of the type's range and that float.
fn range(format: &str) -> Option<Range> {
    fn between(minimum: impl Into<Value>, maximum: impl Into<Value>) -> Range {
        [Some(("minimum", minimum.into())), Some(("maximum", maximum.into()))]
    }
    Some(match format {
        "int8" => between(i8::MIN, i8::MAX),
        "uint8" => between(u8::MIN, u8::MAX),
        "int16" => between(i16::MIN, i16::MAX),
        "uint16" => between(u16::MIN, u16::MAX),
        "int32" => between(i32::MIN, i32::MAX),
        "uint32" => between(u32::MIN, u32::MAX),
        "int64" => between(i64::MIN, i64::MAX),
        "uint64" => between(u64::MIN, u64::MAX),
        "int" => between(isize::MIN, isize::MAX),
        "uint" => between(usize::MIN, usize::MAX),
        // `f32::MAX` in decimal. The features of serde_json decide whether a larger number is rejected or becomes
        // infinity.
        "float" => between(-3.402_823_5e38, 3.402_823_5e38),
        "int128" => between(-TWO_POW_127, TWO_POW_127),
        "uint128" => between(0, 2.0 * TWO_POW_127),
        "double" => [None, None],
        _ => return None,
    })
}
