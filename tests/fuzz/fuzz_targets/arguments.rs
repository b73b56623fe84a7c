//! Random arguments of a function with many types:
//! `ASAN_OPTIONS=detect_leaks=0 cargo +nightly fuzz run --fuzz-dir tests/fuzz arguments`.
//!
//! Arguments that a derived struct decodes and that another validator accepts must run, with the same values. Arguments
//! that run must be accepted by the other validator.

#![no_main]
#![allow(dead_code, reason = "the fields are only compared by their `Debug` text")]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;
use tool_runtime::{Registry, tool, tools};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Item {
    #[serde(rename = "a \"quoted\" name")]
    name: String,
    #[serde(default)]
    count: u64,
    price: f64,
    ratio: Option<f32>,
    tags: Vec<Option<i8>>,
    pair: (u8, char),
    inner: Option<Box<Item>>,
    kind: Option<Kind>,
    shape: Shape,
    wide: Option<i128>,
}

#[derive(Debug, Deserialize, JsonSchema)]
enum Kind {
    Small,
    /// The larger one.
    Large,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "type")]
enum Shape {
    Circle { radius: f64 },
    Square(Square),
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Square {
    side: i16,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    Number(i32),
    Text(String),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
struct Name(String);

#[derive(Debug, Deserialize, JsonSchema)]
struct Open {
    #[serde(flatten)]
    rest: BTreeMap<String, bool>,
    unit: (),
}

/// The arguments of the tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    text: String,
    number: Option<u8>,
    item: Option<Item>,
    items: Option<Vec<Item>>,
    map: Option<HashMap<String, i64>>,
    either: Option<Either>,
    name: Option<Name>,
    open: Option<Open>,
    any: Option<Value>,
    raw: Option<Box<RawValue>>,
}

/// Takes many types.
#[allow(clippy::too_many_arguments, reason = "each argument is a kind of type")]
#[tool]
fn take(
    text: String,
    number: Option<u8>,
    item: Option<Item>,
    items: Option<Vec<Item>>,
    map: Option<HashMap<String, i64>>,
    either: Option<Either>,
    name: Option<Name>,
    open: Option<Open>,
    any: Option<Value>,
    raw: Option<Box<RawValue>>,
) -> String {
    shown(&Arguments { text, number, item, items, map, either, name, open, any, raw })
}

/// The values, whatever the order of the map is.
fn shown(arguments: &Arguments) -> String {
    let map = arguments.map.as_ref().map(|map| map.iter().collect::<BTreeMap<_, _>>());
    let Arguments { text, number, item, items, either, name, open, any, raw, .. } = arguments;
    format!("{text:?} {number:?} {item:?} {items:?} {map:?} {either:?} {name:?} {open:?} {any:?} {raw:?}")
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::new(tools![take]).expect("one tool"));

static JUDGE: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let schema = REGISTRY.tool("take").expect("the tool").enforced_schema;
    jsonschema::draft202012::new(schema).expect("a schema")
});

/// Pieces of arguments. The fuzzer combines and changes them.
const PIECES: [&str; 44] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    " ",
    "\n",
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "255",
    "256",
    "-1",
    "1.0",
    "1e3",
    "0.5",
    "18446744073709551615",
    "9223372036854775808",
    "170141183460469231731687303715884105727",
    "1e400",
    "\"\"",
    "\"a\"",
    "\"\\u00e9\"",
    "\"\\ud83d\"",
    "\"a string of more than thirty-two bytes of text\"",
    "\"text\":\"a\"",
    "\"number\":",
    "\"item\":",
    "\"items\":",
    "\"map\":",
    "\"either\":",
    "\"name\":",
    "\"open\":",
    "\"any\":",
    "\"raw\":",
    "{\"a \\\"quoted\\\" name\":\"x\",\"price\":1.5,\"tags\":[1,null],\"pair\":[1,\"c\"],\"shape\":{\"type\":\"Circle\",\"radius\":2}}",
    "{\"shape\":{\"type\":\"Square\",\"side\":-3},\"pair\":[255,\"\\u00e9\"],\"tags\":[],\"price\":2,\"kind\":\"Large\",\"wide\":-1,\"ratio\":0.1,\"count\":7,\"inner\":null,\"a \\\"quoted\\\" name\":\"\"}",
    "{\"unit\":null,\"x\":true}",
    "{\"Small\":null}",
    "\"kind\":\"Small\"",
];

fuzz_target!(|data: &[u8]| {
    let Some(text) = text(&mut Unstructured::new(data)) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let result = runtime.block_on(REGISTRY.call("take", &text));
    assert_ne!(result.error_kind(), Some("panic"), "{text}");
    let derived = serde_json::from_str::<Arguments>(&text);
    let value = serde_json::from_str::<Value>(&text);
    let is_valid = value.as_ref().is_ok_and(|value| JUDGE.is_valid(value));
    match (result.into_result(), derived) {
        (Ok(output), Ok(derived)) if is_valid => assert_eq!(output.text(), shown(&derived), "{text}"),
        (Err(error), Ok(_)) if is_valid && !is_stricter_by_design(&error.to_string()) => {
            panic!("{text}: {error}")
        }
        // Integers that are written as `1.0` are coerced. A `RawValue` may be a number that no `Value` has.
        (Ok(_), derived) => assert!(is_valid || value.is_err(), "{text}: {derived:?}"),
        (Err(_), _) => {}
    }
});

/// Whether the tool rejects more than serde by design: text that is too deep, and repeated keys of a `Value` or a map.
fn is_stricter_by_design(error: &str) -> bool {
    let limits = ["takes too long to validate", "recursion limit", "occurs more than once"];
    limits.iter().any(|limit| error.contains(limit))
}

fn text(bytes: &mut Unstructured<'_>) -> Option<String> {
    let is_object = bytes.ratio(3, 4).ok()?;
    let mut text = String::from(if is_object { "{\"text\":\"a\"," } else { "" });
    while !bytes.is_empty() {
        match bytes.ratio(15, 16).ok()? {
            true => text.push_str(bytes.choose(&PIECES).ok()?),
            false => text.push(bytes.arbitrary().ok()?),
        }
    }
    Some(if is_object { text + "}" } else { text })
}
