//! Random schemas and arguments: `ASAN_OPTIONS=detect_leaks=0 cargo +nightly fuzz run --fuzz-dir tests/fuzz schemas`.
//! The option is needed since the other validator leaks memory.
//!
//! If a registry with the schema builds, its tool must accept all arguments that another validator accepts and, if
//! every keyword is supported, no others. Lenient arguments must be valid after they are coerced.

#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};
use tool_runtime::{DynamicTool, Registry};

fuzz_target!(|data: &[u8]| {
    let _ = run(&mut Unstructured::new(data));
});

const MAX_DEPTH: usize = 6;
const DEFINITIONS: [&str; 4] = ["p", "q", "r s", "t~/%"];
const KEYS: [&str; 5] = ["a", "b", "c", "key", "\u{202e}ü"];

fn run(bytes: &mut Unstructured) -> Result<()> {
    let mut parameters = object(bytes, MAX_DEPTH)?;
    let definitions: Result<Map<String, Value>> =
        DEFINITIONS.iter().map(|name| Ok(((*name).to_owned(), schema(bytes, MAX_DEPTH)?))).collect();
    parameters.insert("type".to_owned(), "object".into());
    parameters.insert("$defs".to_owned(), definitions?.into());
    let parameters = Value::Object(parameters);
    let mut arguments = Map::new();
    for _ in 0..bytes.int_in_range(0..=3)? {
        arguments.insert(key(bytes)?, value(bytes, MAX_DEPTH)?);
    }
    let arguments = Value::Object(arguments);
    let mut text = arguments.to_string();
    let is_changed = bytes.ratio(1, 4)?;
    if is_changed {
        change(bytes, &mut text)?;
    }
    let (lenient, strict, closed) = (bytes.arbitrary()?, bytes.ratio(1, 8)?, bytes.ratio(1, 8)?);
    let seen = Arc::new(Mutex::new(None));
    let slot = Arc::clone(&seen);
    let tool = DynamicTool::new("take", "", parameters.clone(), move |arguments| {
        *slot.lock().expect("nobody panicked") = Some(Value::Object(arguments));
        std::future::ready(Ok::<_, String>(()))
    });
    let registry =
        Registry::builder().dynamic(tool.deny_unknown_arguments(closed)).lenient_arguments(lenient).build();
    let Ok(registry) = registry else { return Ok(()) };
    if strict {
        let schema = &registry.schemas()[0];
        let _ = (schema.openai_strict(), schema.anthropic_strict());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let result = runtime.block_on(registry.call("take", &text));
    assert_ne!(result.error_kind(), Some("panic"), "{parameters} {text}");
    if strict || closed {
        return Ok(());
    }
    let Ok(judge) = jsonschema::draft202012::new(&parameters) else { return Ok(()) };
    let all_supported = registry.tool("take").expect("it is there").unsupported_keywords.is_empty();
    if let Some(seen) = seen.lock().expect("nobody panicked").take() {
        assert!(!all_supported || judge.is_valid(&seen), "{parameters} accepted {text} as {seen}");
    } else if !is_changed && judge.is_valid(&arguments) {
        let error = result.into_result().expect_err("it was not called").to_string();
        let is_limit = error.contains("takes too long to validate") || error.contains("recursion limit");
        assert!(is_limit, "{parameters} rejected {text}: {error}");
    }
    Ok(())
}

fn key(bytes: &mut Unstructured) -> Result<String> {
    Ok((*bytes.choose(&KEYS)?).to_owned())
}

fn value(bytes: &mut Unstructured, depth: usize) -> Result<Value> {
    Ok(match bytes.int_in_range(0..=if depth == 0 { 7 } else { 11 })? {
        0 => Value::Null,
        1 => bytes.arbitrary::<bool>()?.into(),
        2 => bytes.int_in_range(-3..=3)?.into(),
        3 => json!(1.0),
        4 => json!(0.5),
        5 => bytes.arbitrary::<i64>()?.into(),
        6 => json!(*bytes.choose(&["", "a", "1", "true", "[1]", "{\"a\":1}", "\u{1F600}ab"])?),
        7 => json!(*bytes.choose(&[1e300, -0.0, 1e18, 2.5e-8])?),
        8 | 9 => {
            let items = (0..bytes.int_in_range(0..=4)?).map(|_| value(bytes, depth - 1));
            Value::Array(items.collect::<Result<_>>()?)
        }
        _ => {
            let entries =
                (0..bytes.int_in_range(0..=4)?).map(|_| Ok((key(bytes)?, value(bytes, depth - 1)?)));
            Value::Object(entries.collect::<Result<_>>()?)
        }
    })
}

fn schema(bytes: &mut Unstructured, depth: usize) -> Result<Value> {
    if depth == 0 || bytes.ratio(1, 10)? {
        return Ok(match bytes.int_in_range(0..=5)? {
            0 => Value::Bool(true),
            1 => Value::Bool(false),
            2 => json!({}),
            3 => reference(bytes)?,
            _ => json!({"type": kind(bytes)?}),
        });
    }
    Ok(Value::Object(object(bytes, depth)?))
}

fn reference(bytes: &mut Unstructured) -> Result<Value> {
    let name = *bytes.choose(&[
        "#",
        "#/$defs/p",
        "#/%24defs/q",
        "#/$defs/r%20s",
        "#/$defs/t~0~1%25",
        "#/$defs/gone",
    ])?;
    Ok(json!({ "$ref": name }))
}

fn kind(bytes: &mut Unstructured) -> Result<&'static str> {
    bytes.choose(&["null", "boolean", "integer", "number", "string", "array", "object"]).copied()
}

/// The keywords of a schema.
fn object(bytes: &mut Unstructured, depth: usize) -> Result<Map<String, Value>> {
    let mut keywords = Map::new();
    for _ in 0..bytes.int_in_range(0..=4)? {
        let keyword = *bytes.choose(&[
            "type",
            "enum",
            "const",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "minLength",
            "maxLength",
            "pattern",
            "minItems",
            "maxItems",
            "uniqueItems",
            "items",
            "prefixItems",
            "properties",
            "required",
            "additionalProperties",
            "patternProperties",
            "propertyNames",
            "minProperties",
            "maxProperties",
            "allOf",
            "anyOf",
            "oneOf",
            "not",
            "$ref",
            "contains",
            "if",
            "dependentRequired",
            "unevaluatedProperties",
            "x-other",
        ])?;
        let many = |bytes: &mut Unstructured| -> Result<Vec<Value>> {
            (0..bytes.int_in_range(1..=3)?).map(|_| schema(bytes, depth - 1)).collect()
        };
        let named = |bytes: &mut Unstructured, names: &[&str]| -> Result<Map<String, Value>> {
            (0..bytes.int_in_range(0..=3)?)
                .map(|_| Ok(((*bytes.choose(names)?).to_owned(), schema(bytes, depth - 1)?)))
                .collect()
        };
        let content: Value = match keyword {
            "type" if bytes.ratio(1, 4)? => json!([kind(bytes)?, "null"]),
            "type" => kind(bytes)?.into(),
            "enum" => {
                (0..bytes.int_in_range(1..=4)?).map(|_| value(bytes, 2)).collect::<Result<Vec<_>>>()?.into()
            }
            "const" => value(bytes, 2)?,
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                json!(*bytes.choose(&[-1.0, 0.0, 0.5, 2.0, 1e18])?)
            }
            "multipleOf" => json!(*bytes.choose(&[1.0, 2.0, 0.5])?),
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
                bytes.int_in_range(0..=3)?.into()
            }
            "pattern" => json!(*bytes.choose(&["^a", "[0-9]", "^$", "a{2,}", "(", "^\\S+$"])?),
            "uniqueItems" => bytes.arbitrary::<bool>()?.into(),
            "prefixItems" | "allOf" | "anyOf" | "oneOf" => many(bytes)?.into(),
            "properties" => named(bytes, &KEYS)?.into(),
            "patternProperties" => named(bytes, &["^a", "[bc]", "key"])?.into(),
            "required" => {
                (0..bytes.int_in_range(0..=2)?).map(|_| key(bytes)).collect::<Result<Vec<_>>>()?.into()
            }
            "$ref" => reference(bytes)?["$ref"].take(),
            "dependentRequired" => json!({"a": ["b"]}),
            "x-other" => value(bytes, 1)?,
            _ => schema(bytes, depth - 1)?,
        };
        keywords.insert(keyword.to_owned(), content);
    }
    Ok(keywords)
}

/// Makes a few changes to the text of arguments.
fn change(bytes: &mut Unstructured, text: &mut String) -> Result<()> {
    for _ in 0..bytes.int_in_range(1..=3)? {
        let positions: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let at = *bytes.choose(&positions)?;
        match bytes.int_in_range(0..=2)? {
            0 => text.truncate(at),
            1 => text.insert_str(
                at,
                bytes.choose(&[
                    "{", "}", "[", "]", "\"", "'", ",", ":", "/*", "*/", "//", "```", "True", "x", "\n",
                    "\\", "1",
                ])?,
            ),
            _ => {
                let end = *bytes.choose(&positions)?;
                text.replace_range(at.min(end)..at.max(end), "");
            }
        }
    }
    Ok(())
}
