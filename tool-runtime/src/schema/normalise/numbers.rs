//! The formats that schemars gives to numbers are none of JSON Schema's: what they mean are bounds.

use serde_json::{Map, Value};

pub(super) fn bound(keywords: &mut Map<String, Value>) {
    let Some((least, most)) = keywords.get("format").and_then(Value::as_str).and_then(bounds) else { return };
    keywords.remove("format");
    for (keyword, bound) in [("minimum", least), ("maximum", most)] {
        if let Some(bound) = bound {
            keywords.entry(keyword).or_insert(bound);
        }
    }
}

type Bounds = (Option<Value>, Option<Value>);

/// What the type of this format can hold; what has more digits than a float, in round figures.
fn bounds(format: &str) -> Option<Bounds> {
    fn of<T: Into<Value>>(least: T, most: T) -> Bounds {
        (Some(least.into()), Some(most.into()))
    }
    Some(match format {
        "int8" => of(i8::MIN, i8::MAX),
        "uint8" => of(u8::MIN, u8::MAX),
        "int16" => of(i16::MIN, i16::MAX),
        "uint16" => of(u16::MIN, u16::MAX),
        "int32" => of(i32::MIN, i32::MAX),
        "uint32" => of(u32::MIN, u32::MAX),
        "int64" => of(i64::MIN, i64::MAX),
        "uint64" => of(u64::MIN, u64::MAX),
        "int" => of(isize::MIN, isize::MAX),
        "uint" => of(usize::MIN, usize::MAX),
        // Beyond it serde gives infinity, or an error, by the features of serde_json.
        "float" => of(-3.4e38, 3.4e38),
        "int128" => of(-1.7e38, 1.7e38),
        "uint128" => (Some(0.into()), Some(3.4e38.into())),
        "double" => (None, None),
        _ => return None,
    })
}
