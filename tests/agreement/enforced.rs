//! The keywords that a tool enforces and does not publish, since a grammar engine rejects them or cannot express them.
//! With them, the published schema of a shape accepts exactly what its tool accepts.

use serde_json::{Value, json};

/// A shape, a JSON pointer into its published schema, and the keywords that are enforced there.
type Enforced = (&'static str, &'static str, Value);

const VALUE: &str = "/properties/value";

fn enforced() -> Vec<Enforced> {
    let i64_range = || json!({"minimum": i64::MIN, "maximum": i64::MAX});
    let i32_range = || json!({"minimum": i32::MIN, "maximum": i32::MAX});
    let i16_range = || json!({"minimum": i16::MIN, "maximum": i16::MAX});
    let absent =
        |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), json!(false))).collect::<Value>();
    vec![
        // Ranges of other types than `u8` and `i8`.
        ("middle", VALUE, json!({"maximum": u16::MAX})),
        ("middle_signed", VALUE, i16_range()),
        ("int", VALUE, i32_range()),
        ("unsigned", VALUE, json!({"maximum": u32::MAX})),
        ("non_zero_signed", "/properties/value/anyOf/0", json!({"minimum": i32::MIN})),
        ("non_zero_signed", "/properties/value/anyOf/1", json!({"maximum": i32::MAX})),
        ("option_of_option", VALUE, i32_range()),
        ("closed", "/properties/value/properties/a", i16_range()),
        ("nested", "/properties/value/properties/many/items/properties/a", i16_range()),
        ("newtype", VALUE, json!({"maximum": u16::MAX})),
        ("all_default", "/properties/value/properties/a", json!({"maximum": u32::MAX})),
        ("defaulted", "/properties/plain/properties/a", json!({"maximum": u32::MAX})),
        ("constrained", "/properties/value/properties/fives", i32_range()),
        ("externally_tagged", "/properties/value/anyOf/2/properties/Newtype", i32_range()),
        ("several", "/properties/c/items/anyOf/2/properties/Newtype", i32_range()),
        ("untagged_structs", "/properties/value/anyOf/0/properties/x", i32_range()),
        ("untagged_structs", "/properties/value/anyOf/0/properties/y", i32_range()),
        ("flattened_option_of_untagged", "/properties/value/anyOf/0/properties/x", i32_range()),
        ("flattened_option_of_untagged", "/properties/value/anyOf/0/properties/y", i32_range()),
        ("long", VALUE, i64_range()),
        ("signed_size", VALUE, i64_range()),
        ("unsigned_long", VALUE, json!({"maximum": u64::MAX})),
        ("size", VALUE, json!({"maximum": u64::MAX})),
        ("wide", VALUE, json!({"maximum": 2.0_f64.powi(128)})),
        ("wide_signed", VALUE, json!({"minimum": -2.0_f64.powi(127), "maximum": 2.0_f64.powi(127)})),
        ("float", VALUE, json!({"minimum": -3.402_823_5e38, "maximum": 3.402_823_5e38})),
        ("non_zero_long", "/properties/value/anyOf/0", json!({"minimum": i64::MIN})),
        ("non_zero_long", "/properties/value/anyOf/1", json!({"maximum": i64::MAX})),
        ("defaults", "/properties/value/properties/b", i64_range()),
        ("vector_of_vectors", "/properties/value/items/items", i64_range()),
        // Sets.
        ("set", VALUE, json!({"uniqueItems": true})),
        ("set_of_text", VALUE, json!({"uniqueItems": true})),
        ("set_of_lists", VALUE, json!({"uniqueItems": true})),
        // Formats that only schemars uses. No validator enforces them; instances are generated from them.
        ("local_date_time", VALUE, json!({"format": "partial-date-time"})),
        ("time_of_day", VALUE, json!({"format": "partial-time"})),
        ("address", VALUE, json!({"format": "ip"})),
        // An incomplete flattened `Option`.
        ("flattened_option_of_enum", "/properties/value/anyOf/3/properties", absent(&["t", "x", "a", "b"])),
        (
            "flattened_option_of_variants",
            "/properties/value/oneOf/3/properties",
            absent(&["Open", "Shut", "Ajar"]),
        ),
        (
            "flattened_option_of_untagged",
            "/properties/value/anyOf/2/properties",
            absent(&["x", "y", "from", "to"]),
        ),
    ]
}

/// Shapes that reject a value that matches two of their alternatives.
const EXCLUSIVE: [&str; 2] = ["flattened_option_of_variants", "flattened_variants"];

/// Adds to the published or strict schema of a shape the ranges of the types of its numbers: those of [`enforced`] whose
/// pointer resolves, then those of `u8` and `i8`.
pub(crate) fn add_ranges(shape: &str, schema: &mut Value) {
    for (_, pointer, keywords) in enforced().into_iter().filter(|(name, ..)| *name == shape) {
        let is_bound = |(keyword, _): &(&String, &Value)| matches!(&***keyword, "minimum" | "maximum");
        let bounds = keywords.as_object().into_iter().flatten().filter(is_bound);
        if let Some(schema) = schema.pointer_mut(pointer).and_then(Value::as_object_mut) {
            schema.extend(bounds.map(|(keyword, bound)| (keyword.clone(), bound.clone())));
        }
    }
    add_small_ranges(schema);
}

/// Adds the range of `u8` to each integer with only a minimum, and that of `i8` to the other ones.
fn add_small_ranges(schema: &mut Value) {
    match schema {
        Value::Object(keywords) => {
            let kind = keywords.get("type");
            let is_integer = |kind: &Value| *kind == "integer" || *kind == json!(["integer", "null"]);
            if kind.is_some_and(is_integer) {
                let bounds = match keywords.get("minimum").and_then(Value::as_i64) {
                    Some(_) => (i64::MIN, u8::MAX.into()),
                    None => (i8::MIN.into(), i64::from(i8::MAX)),
                };
                keywords.entry("minimum").or_insert(json!(bounds.0));
                keywords.entry("maximum").or_insert(json!(bounds.1));
            }
            keywords.values_mut().for_each(add_small_ranges);
        }
        Value::Array(items) => items.iter_mut().for_each(add_small_ranges),
        _ => {}
    }
}

/// Adds to the published schema of a shape the keywords that its tool enforces.
///
/// # Panics
///
/// If a keyword is published, or if its pointer does not resolve.
pub(crate) fn add_enforced(shape: &str, published: &mut Value) {
    if EXCLUSIVE.contains(&shape) {
        let value = published.pointer_mut(VALUE).and_then(Value::as_object_mut).expect("an object");
        let branches = value.remove("anyOf").unwrap_or_else(|| panic!("{shape}: `oneOf` is published"));
        value.insert("oneOf".to_owned(), branches);
    }
    for (_, pointer, keywords) in enforced().into_iter().filter(|(name, ..)| *name == shape) {
        let schema = published.pointer_mut(pointer).and_then(Value::as_object_mut);
        let schema = schema.unwrap_or_else(|| panic!("{shape}: {pointer} does not exist"));
        for (keyword, value) in keywords.as_object().expect("keywords") {
            let known = schema.insert(keyword.clone(), value.clone());
            assert_eq!(known, None, "{shape}: `{keyword}` is published at {pointer}");
        }
    }
    add_small_ranges(published);
}

#[test]
fn every_shape_with_enforced_keywords_exists() {
    let registry =
        tool_runtime::Registry::new(crate::shapes::shapes()).expect("the shapes have different names");
    for name in enforced().iter().map(|(name, ..)| *name).chain(EXCLUSIVE) {
        assert!(registry.tool(name).is_some(), "{name}");
    }
}
