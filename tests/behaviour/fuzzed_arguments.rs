//! The decoder of arguments compared with `serde_json`: random text is accepted by both or by neither.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tool_runtime::{Registry, tool, tools};

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Inner {
    deep: Vec<i8>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Derived {
    city: String,
    days: u8,
    note: Option<String>,
    inner: Option<Inner>,
}

/// Takes a bit of everything.
#[tool]
fn takes(city: &str, days: u8, note: Option<String>, inner: Option<Inner>) -> String {
    format!("{city:?} {days} {note:?} {inner:?}")
}

const VALID: [&str; 5] = [
    r#"{"city":"Beijing","days":3}"#,
    r#"{ "days" : 3 , "city" : "\u5317\u4eac", "note": null }"#,
    r#"{"city":"","days":0,"note":"a\"b\\c","inner":{"deep":[1,-2]}}"#,
    r#"{"inner":null,"note":"{,}","city":"🌆","days":255}"#,
    "\n\t{\r\n\"city\": \"x\",\n\"days\": 1\n}\n",
];

const PIECES: [&str; 25] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    ":",
    ",",
    " ",
    "\n",
    "0",
    "1",
    "-",
    ".",
    "e",
    "null",
    "true",
    "\"city\"",
    "\"days\":1",
    "\"days\":1,",
    "\"\\u0063ity\":\"y\"",
    "\u{e9}",
    "\u{0}",
    "//",
    "'",
];

#[tokio::test]
async fn a_tool_accepts_exactly_the_text_that_a_derived_struct_accepts() {
    let mut random = crate::seeded();
    let registry = Registry::new(tools![takes]).expect("one tool");
    let (mut accepted, mut rejected) = (0, 0);
    for _ in 0..40_000 {
        let text = mutated(&mut random);
        if is_known_difference(&text) {
            continue;
        }
        let derived = serde_json::from_str::<Derived>(&text);
        match (registry.call("takes", &text).await.into_result(), derived) {
            (Ok(result), Ok(Derived { city, days, note, inner })) => {
                accepted += 1;
                assert_eq!(result.text(), format!("{city:?} {days} {note:?} {inner:?}"), "{text:?}");
            }
            (Err(_), Err(_)) => rejected += 1,
            (tool, derived) => panic!("{text:?}: the tool returns {tool:?}, the struct {derived:?}"),
        }
    }
    println!("{accepted} accepted, {rejected} rejected");
    assert!(accepted > 1_000 && rejected > 1_000, "{accepted} accepted, {rejected} rejected");
}

fn mutated(random: &mut fastrand::Rng) -> String {
    let mut text: Vec<char> = VALID[random.usize(..VALID.len())].chars().collect();
    for _ in 0..random.usize(..3) {
        let at = random.usize(..text.len());
        let length = random.usize(..=3).min(text.len() - at);
        let piece = if random.bool() { PIECES[random.usize(..PIECES.len())] } else { "" };
        text.splice(at..at + length * usize::from(random.bool()), piece.chars());
        if text.is_empty() {
            break;
        }
    }
    text.into_iter().collect()
}

/// Whether a tool intentionally differs from a struct: empty arguments are an empty object, an array is not an object,
/// and 1.0 is an integer.
fn is_known_difference(text: &str) -> bool {
    fn is_integral_float(value: &Value) -> bool {
        match value {
            Value::Number(number) => {
                number.is_f64() && number.as_f64().is_some_and(|float| float.fract() == 0.0)
            }
            Value::Array(items) => items.iter().any(is_integral_float),
            Value::Object(entries) => entries.values().any(is_integral_float),
            _ => false,
        }
    }
    if text.trim().is_empty() {
        return true;
    }
    let Ok(value) = serde_json::from_str::<Value>(text) else { return false };
    value.is_null()
        || value == ""
        || value == "null"
        || value.is_array()
        || value["inner"].is_array()
        || is_integral_float(&value)
}
