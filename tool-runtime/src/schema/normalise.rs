//! A schema as schemars makes it, less what tells the model nothing.

use serde_json::Value;

/// Takes out titles, which repeat the names of types, and the formats of numbers, whose bounds stay.
pub(super) fn normalise(schema: &mut Value) {
    match schema {
        Value::Object(keywords) => {
            keywords.remove("title");
            if let Some(bounds) = keywords.get("format").and_then(Value::as_str).and_then(number_format) {
                keywords.remove("format");
                if let Some((minimum, maximum)) = bounds {
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

/// The bounds that a format of schemars stands for, where the type's own are not written beside it: those of
/// 8 and 16 bits are. `None` for the formats of JSON Schema, which say something to the model.
fn number_format(format: &str) -> Option<Option<(Value, Value)>> {
    match format {
        "int32" => Some(Some((i32::MIN.into(), i32::MAX.into()))),
        "uint32" => Some(Some((0.into(), u32::MAX.into()))),
        "int8" | "uint8" | "int16" | "uint16" | "int64" | "uint64" | "int128" | "uint128" | "int"
        | "uint" | "float" | "double" => Some(None),
        _ => None,
    }
}
