//! A schema as schemars makes it, less what tells the model nothing.

use serde_json::Value;

/// Takes out titles, which say less than the descriptions beside them, and the formats of numbers, whose bounds stay.
pub(super) fn normalise(schema: &mut Value) {
    match schema {
        Value::Object(keywords) => {
            keywords.remove("title");
            if let Some(format) = keywords.get("format").and_then(Value::as_str).and_then(NumberFormat::of) {
                keywords.remove("format");
                if let NumberFormat::Unwritten(minimum, maximum) = format {
                    keywords.entry("minimum").or_insert(minimum);
                    keywords.entry("maximum").or_insert(maximum);
                }
            }
            for (keyword, value) in keywords {
                match keyword.as_str() {
                    // A property may itself be called `title`: only the schemas in here are touched.
                    "properties" | "patternProperties" | "$defs" => {
                        value
                            .as_object_mut()
                            .into_iter()
                            .flat_map(|named| named.values_mut())
                            .for_each(normalise);
                    }
                    "default" | "const" | "enum" | "examples" => {}
                    _ => normalise(value),
                }
            }
        }
        Value::Array(schemas) => schemas.iter_mut().for_each(normalise),
        _ => {}
    }
}

/// A format that schemars gives to numbers, and that is none of JSON Schema's.
enum NumberFormat {
    /// The bounds of the type stand beside it, as those of 8 and 16 bits do, or it has none to speak of.
    Written,
    /// These bounds go with it.
    Unwritten(Value, Value),
}

impl NumberFormat {
    fn of(format: &str) -> Option<Self> {
        match format {
            "int32" => Some(NumberFormat::Unwritten(i32::MIN.into(), i32::MAX.into())),
            "uint32" => Some(NumberFormat::Unwritten(0.into(), u32::MAX.into())),
            "int8" | "uint8" | "int16" | "uint16" | "int64" | "uint64" | "int128" | "uint128" | "int"
            | "uint" | "float" | "double" => Some(NumberFormat::Written),
            _ => None,
        }
    }
}
